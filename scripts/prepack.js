// Ends `npm pack` with the command that makes a package which installs: install scripts of other packages fail where
// npm runs them, and only the archive of scripts/pack.ts has none. That script sets RAGCTL_PACK.
if (process.env["RAGCTL_PACK"] !== "archive") {
  process.stderr.write(
    "npm pack alone makes a package that does not install: packages that it depends on run scripts of their own.\n" +
      "→ `node scripts/pack.ts` makes ragctl-VERSION-PLATFORM.tgz, for `npm install -g FILE`\n",
  );
  process.exitCode = 1;
}

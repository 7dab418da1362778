// Compiles src and the conversion of weights to dist and copies the page, which needs no build; `npm run types` checks the types. Run by npm on
// `npm ci`; without the compiler (a production install) an existing dist is kept.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
const dist = fileURLToPath(new URL("dist", root));
if (!existsSync(compiler)) {
  if (!existsSync(dist))
    throw new Error("dist is missing and the compiler is not installed; run `npm ci` without --omit=dev");
} else {
  rmSync(dist, { recursive: true, force: true });
  for (const config of ["tsconfig.build.json", "tsconfig.convert.json"]) {
    const built = spawnSync(process.execPath, [compiler, "-p", fileURLToPath(new URL(config, root))], {
      stdio: "inherit",
    });
    process.exitCode ||= built.status ?? 1;
  }
  // JSON, because every command that answers reads all languages, and YAML takes many times as long.
  const { readLanguages } = await import("../dist/language/schema/read.js");
  writeFileSync(new URL("dist/language/languages.json", root), JSON.stringify(readLanguages()));
  cpSync(new URL("src/server/page", root), new URL("dist/server/page", root), { recursive: true });
}

// Builds the documentation as a static site in docs/.vitepress/dist: npm run site
// The site is built from a copy of docs/, in which the reference of commands and routes is complete.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sitePages } from "./docs/pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const copy = join(root, "dist-site");
rmSync(copy, { recursive: true, force: true });
cpSync(join(root, "docs"), join(copy, "docs"), { recursive: true });
for (const [path, text] of await sitePages()) writeFileSync(join(copy, path), text);
const { status } = spawnSync(
  "npm",
  [
    ...["exec", "--yes", "--package=vitepress@1.6.4", "--"],
    ...["vitepress", "build", join(copy, "docs"), "--outDir", join(root, "docs/.vitepress/dist")],
  ],
  { cwd: root, stdio: "inherit" },
);
rmSync(copy, { recursive: true, force: true });
process.exitCode = status ?? 1;

import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Identifies an installation: its version, location and build time. */
export function programIdentity(): string {
  const root = new URL("../../", import.meta.url);
  // Every package.json has a version, and the value is only compared.
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: unknown };
  const builtAt = new Date(statSync(fileURLToPath(import.meta.url)).mtimeMs).toISOString();
  return `ragctl ${String(version)} in ${fileURLToPath(root)} of ${builtAt}`;
}

import { readFileSync } from "node:fs";

// The program's own file: npm takes no package without a version, so nothing is checked with a schema here.
const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

/** Version of this program, as its package.json states it. */
export const programVersion: string = own.version;

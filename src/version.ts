import { readFileSync } from "node:fs";
import { z } from "./core/schema.ts";

/** Version of this program, as its package.json states it. */
export const programVersion: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))).version;

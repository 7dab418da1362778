import type { NamedBytes } from "../../../src/core/flow.ts";

/** A file of questions, from objects or raw lines. */
export const sourceOf = (lines: readonly (object | string)[]): NamedBytes => ({
  name: "q.jsonl",
  bytes: (async function* () {
    yield Buffer.from(
      lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
    );
  })(),
});

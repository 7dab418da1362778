import { hint, named } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { duplicatesShape } from "../../shapes/documents.ts";
import { collections } from "../fields.ts";
import { field, operation } from "../operation.ts";
import { singleLine } from "../text.ts";

const share = z.number().min(0).max(1);

const pathLines = (paths: readonly string[]): readonly string[] =>
  paths.map((path) => `  ${singleLine(path)}`);

/** Documents with the same text, or nearly. */
export const duplicates = operation({
  name: "duplicates",
  input: {
    collections: collections("check only this collection"),
    threshold: field(
      "--threshold <share>",
      share.default(0.8),
      "minimum share of common five-word sequences, 0 to 1",
    ),
  },
  document: "duplicates",
  examples: ["ragctl duplicates --threshold 0.7"],
  http: { route: "GET /v1/duplicates", tag: "Documents", answer: "Groups of documents", isSlow: true },
  mcp: { effect: "reads" },
  attempt: ({ collection }) => [
    { input: { threshold: 0 }, ...hint },
    { input: { threshold: 0, collections: [collection] }, by: "of its collection", ...named, ...hint },
  ],
  run: (app, input, { run }) => app.background.duplicates(input.collections, input.threshold, run),
  print: duplicatesShape,
  text({ exact, near }) {
    const lines = [
      ...exact.flatMap(({ paths }) => ["same content, stored once:", ...pathLines(paths)]),
      ...near.flatMap(({ similarity, paths }) => [
        `${Math.round(similarity * 100)} % alike:`,
        ...pathLines(paths),
      ]),
    ];
    return lines.length === 0 ? "no duplicates" : lines;
  },
});

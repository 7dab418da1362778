import { hint } from "../../app/audit/attempt.ts";
import { findConflicts } from "../../app/verify/conflicts.ts";
import { type ConflictReport, conflictsShape } from "../../shapes/verify.ts";
import { collections } from "../fields.ts";
import { operation } from "../operation.ts";
import { plural } from "../text.ts";

/** Figures that documents about the same thing give differently. */
export const conflicts = operation({
  name: "conflicts",
  input: { collections: collections("compare only documents in this collection") },
  document: "conflicts",
  lines: "conflicts",
  examples: ["ragctl conflicts --collection filings"],
  stage: "comparing tables",
  http: { route: "GET /v1/conflicts", tag: "Questions", answer: "Conflicts, the surest first", isSlow: true },
  mcp: { effect: "reads" },
  attempt: ({ collection }) => [{ input: { collections: [collection] }, ...hint }],
  run: (app, input, { run }) => findConflicts(input.collections, app, run),
  print: conflictsShape,
  text: (report) => [
    ...report.conflicts.map((each) => `${conflictText(each)}\n`),
    `${plural(report.conflicts.length, "conflict")} in ${plural(report.documents, "document")}`,
  ],
});

const conflictText = ({ row, period, values }: ConflictReport["conflicts"][number]): string =>
  [
    `${row}, ${period}`,
    ...values.flatMap(({ text, sources }) =>
      sources.flatMap(({ document, pages, quote }) => [
        `    ${text}  ${document}${pages.length === 0 ? "" : `, page ${pages.join("–")}`}`,
        `        “${quote}”`,
      ]),
    ),
  ].join("\n");

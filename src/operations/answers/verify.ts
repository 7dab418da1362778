import { canaryStatement, named } from "../../app/audit/attempt.ts";
import type { CheckedStatement } from "../../core/answers/verify.ts";
import { z } from "../../core/schema.ts";
import { visibleCharacter } from "../../core/text.ts";
import { verifyShape } from "../../shapes/verify.ts";
import { passages } from "../fields.ts";
import { field, operation } from "../operation.ts";
import { location } from "../text.ts";
import { narrowedTo, narrowingFields } from "./narrowing.ts";

const text = z.string().min(1).max(100_000).regex(visibleCharacter, "must not be empty");

/** A text held against the documents; the command, which reads files too, is in cli/. */
export const verify = operation({
  name: "verify",
  isCommand: false,
  input: {
    text: field("<text>", text, "text in complete sentences"),
    top_k: passages("to check each sentence against"),
    ...narrowingFields,
  },
  document: "verify",
  http: {
    route: "POST /v1/verify",
    tag: "Questions",
    summary: "Check a text against the documents, sentence by sentence",
    answer: "Every sentence with its verdict",
    isSlow: true,
  },
  mcp: {
    effect: "reads",
    description:
      "Check a text, such as a draft you wrote, against the documents sentence by sentence: supported, contradicted or not found, with document, page and quote.",
  },
  attempt: (canary) => {
    const input = { text: canaryStatement(canary), top_k: 50 };
    return [
      { input },
      { input: { ...input, collections: [canary.collection] }, by: "in its collection", ...named },
    ];
  },
  run: (app, { text, top_k, ...rest }, { run, topK }) =>
    app.verify({ text, topK: top_k ?? topK, ...narrowedTo(rest) }, run),
  print: verifyShape,
  text: ({ statements, unavailable }) => [
    ...statements.map(statementText),
    ...unavailable.map(({ collection, reason, hint }) => `not searched: ${collection} (${reason}) ${hint}`),
  ],
});

const signs = { supported: "✓", contradicted: "✗", documents_disagree: "≠", not_found: "?" } as const;

/** A sentence with its verdict, the reason and the sources. */
export function statementText({ text, verdict, reason, sources }: CheckedStatement): string {
  const why = reason === "" ? "" : `: ${reason}`;
  return [
    `${signs[verdict]} ${text}`,
    ...(verdict === "supported" ? [] : [`    ${verdict.replaceAll("_", " ")}${why}`]),
    ...sources.flatMap(({ marker, sourceFile, pages, section, cells, quotes }) => [
      `    [${marker}] ${location(sourceFile, pages, section, cells)}`,
      ...quotes.map((quote) => `        “${quote}”`),
    ]),
  ].join("\n");
}

import { z } from "../core/schema.ts";
import { visibleCharacter } from "../core/text.ts";
import { narrowed, narrowing } from "../shapes/narrowing.ts";
import { verifyDocument, verifyShape } from "../shapes/verify.ts";
import { dataNotice, fenced, lines, named, notSearched, sourceText } from "./text.ts";
import { type Tool, tool } from "./tool.ts";

/** Holds a text against the documents. */
export const verifyTool: Tool = tool("verify", {
  title: "Verify a text",
  description: `Check a text, such as a draft you wrote, against the documents sentence by sentence: supported, contradicted or not found, with document, page and quote. ${dataNotice}`,
  effect: "reads",
  input: z.strictObject({
    text: z
      .string()
      .min(1)
      .max(100_000)
      .regex(visibleCharacter, "must not be empty")
      .describe("Text in complete sentences."),
    ...narrowing,
  }),
  output: verifyDocument,
  async call({ text, ...rest }, { app, run, topK }) {
    const report = await app.verify({ text, topK, ...narrowed(rest) }, run);
    const checked = report.statements.flatMap((each) => [
      `${each.verdict}: ${named(each.text)}${each.reason === "" ? "" : ` (${named(each.reason)})`}`,
      ...each.sources.map(sourceText),
    ]);
    return {
      text: lines(fenced(checked.join("\n")), notSearched(report.unavailable)),
      data: verifyShape(report),
    };
  },
});

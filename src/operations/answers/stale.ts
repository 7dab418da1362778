import { hint } from "../../app/audit/attempt.ts";
import { staleAnswers } from "../../app/verify/stale.ts";
import { RagctlError } from "../../core/errors.ts";
import { type StaleReport, staleShape } from "../../shapes/verify.ts";
import { limit, toggle } from "../fields.ts";
import { operation } from "../operation.ts";
import { plural, timeOf } from "../text.ts";

/** Past answers whose quotes are no longer in the documents. */
export const stale = operation({
  name: "answers stale",
  summary: "list past answers whose cited passages changed or disappeared, with the old and new text",
  input: {
    limit: limit(10_000, 1000, "maximum number of runs to check, newest first"),
    gate: toggle("--gate", "exit with status 10 if an answer is stale"),
  },
  document: "stale",
  lines: "answers",
  examples: ["ragctl sync ./docs && ragctl answers stale --gate"],
  stage: "comparing answers with the current documents",
  http: { route: "GET /v1/answers/stale", tag: "Questions", answer: "Answers, newest first", isSlow: true },
  mcp: { effect: "reads" },
  attempt: () => [hint],
  run: (app, input, { run }) => staleAnswers(input.limit, app, app.parts.home, run),
  print: staleShape,
  text: (report) => [...report.answers.map((each) => `${answerText(each)}\n`), summaryOf(report)],
  failure: (report, { gate }) =>
    gate && report.answers.length > 0
      ? new RagctlError("GATE_FAILED", summaryOf(report), {
          hint: "ask again, or run `ragctl replay RUN --against now` to see what changed",
        })
      : undefined,
});

const summaryOf = ({ answers, checked }: StaleReport): string =>
  `${plural(answers.length, "stale answer")} of ${checked}`;

const answerText = ({ runId, question, askedAt, passages }: StaleReport["answers"][number]): string =>
  [
    `${runId.slice(0, 8)}  ${question}  (${timeOf(askedAt)})`,
    ...passages.flatMap(({ marker, document, state, before, after }) => [
      `    [${marker}] ${document}: ${state}`,
      `        then: “${before}”`,
      ...(state === "gone" ? [] : [`        now:  ${after === "" ? "no similar passage" : `“${after}”`}`]),
    ]),
  ].join("\n");

import { answerOf, showRest } from "../../agents/answer.ts";
import { readTyped } from "../../agents/decide/typed-question.ts";
import { openTrace } from "../../agents/steps.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import type { Run } from "../../core/run.ts";
import { type AskHome, type QuestionContext, withAgent } from "./question.ts";
import { writeAnswer } from "./steps/answering.ts";
import { execute, selectTools } from "./steps/gathering.ts";
import { chooseAgent, permit } from "./steps/routing.ts";
import { classify, reflect, reply } from "./steps/understanding.ts";

/**
 * Answers a question, step by step. Every decision is emitted as it is made; text is emitted as it is written
 * and judged. An error of a step ends the question: there is no partial answer.
 */
export async function* answerQuestion(
  question: QuestionContext,
  home: AskHome,
  run: Run,
): AsyncGenerator<AnswerEvent> {
  const { step, shown, events } = openTrace(run);
  const { query } = question.request;

  const typed = yield* step("orchestrate", () => readTyped(query, question.history));
  const { rewritten } = yield* step("reflect", () => reflect(typed.text, question, home, run));
  const text = rewritten ?? typed.text;
  const intent = yield* step("intent", () => classify(text, question, home, run));
  const wanted = intent.intent;
  if (wanted === "direct" || wanted === "clarify") {
    const replied = yield* step(wanted, () => reply(wanted, text, question, home, run));
    yield* step("finish", () => replied.verdict);
    return yield { type: "answer-end", answer: answerOf({ query, intent, draft: replied }, events) };
  }

  const choice = yield* step("route", () => chooseAgent(text, question, home, run));
  const permitted = yield* step("permit", () => permit(choice, question, home, run));
  const routed = withAgent(question, text, choice, permitted, home, run);
  const tools = yield* step("select_tools", () => selectTools(routed, intent, home, run));
  const found = yield* step("execute", () => execute(tools, routed, home, run));
  const draft = yield* step("assemble", () => writeAnswer(found, routed, home, run));
  // Writing judges each sentence before it is shown.
  yield* step("judge", () => draft.verdict);
  yield* step("finish", () => showRest(draft, shown()));
  yield { type: "answer-end", answer: answerOf({ query, intent, draft, choice, found }, events) };
}

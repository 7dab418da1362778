import { createAnswer, pastAnswer } from "../answer/answer.js";
import { ConnectionError, events, isStopped, remove } from "../core/api.js";
import { actionButton, append, fill, h } from "../core/dom.js";
import { problemOf } from "../core/problem.js";
import { t } from "../core/text.js";

/** @import { Run, Turn } from "../shapes.d.ts" */
/** @typedef {Readonly<Record<string, unknown>>} Filters */
/**
 * A question with the place of its answer. `filters`: members of its request; `isWritten`: its answer is being written already.
 * @typedef {{ readonly query: string, readonly turn: HTMLElement, readonly place: HTMLElement, readonly filters?: Filters, readonly isWritten?: boolean }} Asked
 */
/** @typedef {{ readonly filters: () => Filters, readonly changed: (talk: Talk) => void, readonly giveBack: (query: string) => void }} Surroundings */
/** @typedef {ReturnType<typeof createTalk>} Talk */

/** Most turns sent with a follow-up question; the server accepts 50. */
const mostTurns = 12;

/** @param {string} id */
export const pathOf = (id) => /** @type {const} */ (`/v1/conversations/${encodeURIComponent(id)}`);

/**
 * A conversation: its questions are answered one after another, also while it is not shown.
 * @param {string} id
 * @param {Surroundings} around `changed` is called when an answer begins and when none is left to come.
 */
export function createTalk(id, { filters, changed, giveBack }) {
  const turns = h("div", { class: "turns" });
  const written = /** @type {const} */ (`${pathOf(id)}/events`);
  /** @type {{ waiting: Asked[], said: Turn[], controller?: AbortController | undefined }} */
  const state = { waiting: [], said: [] };
  const talk = {
    id,
    turns,
    isBusy: () => state.controller !== undefined,
    /** @param {string} query @param {string} narrowed */
    ask(query, narrowed) {
      const asked = { ...turnIn(turns, query, narrowed), filters: filters() };
      void enqueue(asked);
      // One that waits leaves the answer in view that is being written.
      const block = state.waiting.includes(asked) ? "nearest" : "start";
      asked.turn.scrollIntoView({ block, behavior: "smooth" });
    },
    stop() {
      state.controller?.abort();
      void remove(written).catch(() => undefined);
    },
    /** Shows what the server kept. @param {readonly Run[]} runs */
    load(runs) {
      for (const run of runs) loadRun(run);
    },
  };
  /** @param {Run} run */
  function loadRun(run) {
    const { state: ended, question = "", response = "", error, trace = [], duration_ms: ms } = run;
    const asked = turnIn(turns, question);
    if (ended === "running") return void enqueue({ ...asked, isWritten: true });
    if (ended !== "completed") {
      const answer = answerIn(asked);
      for (const data of trace) answer.take({ name: "node-end", data });
      return answer.fail({ message: ended === "failed" && error ? error.message : t(`answer.${ended}`) }, ms);
    }
    fill(asked.place, pastAnswer(run));
    remember(question, response);
  }
  const remember = (/** @type {string} */ query, /** @type {string} */ response) =>
    state.said.push({ role: "user", text: query }, { role: "assistant", text: response });
  const answerIn = (/** @type {Asked} */ asked) => {
    const answer = createAnswer(() => void enqueue({ ...asked, isWritten: false }));
    fill(asked.place, answer.element);
    return answer;
  };
  /** @param {Asked} asked */
  async function enqueue(asked) {
    state.waiting.push(asked);
    if (state.controller !== undefined) return showWaiting(asked);
    for (let next = state.waiting.shift(); next !== undefined; next = state.waiting.shift()) {
      state.controller = new AbortController();
      changed(talk);
      await follow(answerIn(next), requestOf(next, state.controller.signal), (response) =>
        remember(next.query, response),
      );
    }
    state.controller = undefined;
    changed(talk);
  }
  /** @param {Asked} asked @param {AbortSignal} signal */
  function requestOf({ query, filters: chosen = filters(), isWritten = false }, signal) {
    if (isWritten) return { path: written, options: { signal } };
    const said = state.said.length === 0 ? {} : { history: state.said.slice(-mostTurns) };
    const body = { query, ...chosen, ...said, conversation: id };
    return { path: /** @type {const} */ ("/v1/ask"), options: { method: "POST", body, signal } };
  }
  /** @param {Asked} asked */
  function showWaiting(asked) {
    const takeBack = () => {
      state.waiting.splice(state.waiting.indexOf(asked), 1);
      asked.turn.remove();
      giveBack(asked.query);
    };
    fill(
      asked.place,
      h("span", { class: "muted" }, t("ask.waits"), " "),
      actionButton("link", takeBack, t("ask.take-back")),
    );
  }
  return talk;
}

/** Adds a question, with a place for its answer. @param {HTMLElement} turns @param {string} query */
function turnIn(turns, query, narrowed = "") {
  const place = h("div", {});
  const turn = h(
    "article",
    { class: "turn" },
    h("h2", { class: "question" }, query),
    narrowed !== "" && h("p", { class: "narrowed muted small" }, t("narrow.to", { what: narrowed })),
    place,
  );
  append(turns, [turn]);
  return { query, turn, place };
}

/**
 * Reads the stream of an answer to its end, even if it fails.
 * @param {ReturnType<typeof createAnswer>} answer
 * @param {{ readonly path: "/v1/ask" | `/v1/conversations/${string}/events`, readonly options: Parameters<typeof events>[1] }} request
 * @param {(response: string) => void} answered
 */
async function follow(answer, { path, options }, answered) {
  let ended = false;
  try {
    // Read to the end: the record of the run comes with the last event.
    for await (const event of events(path, options)) {
      if (event.name === "answer-end") {
        ended = true;
        answered(event.data.response);
      }
      answer.take(event);
    }
    if (!ended) answer.fail({ message: t("answer.lost") });
  } catch (thrown) {
    if (ended) return;
    if (isStopped(thrown)) answer.fail({ message: t("answer.cancelled") });
    else if (thrown instanceof ConnectionError) answer.fail({ message: t("answer.lost") });
    else answer.fail(problemOf(thrown));
  }
}

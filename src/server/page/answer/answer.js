import { actionButton, announce, append, fill, h } from "../core/dom.js";
import { notice, problemOf } from "../core/problem.js";
import { date, duration, t } from "../core/text.js";
import { openCitation } from "../reader/reader.js";
import { markdown } from "./markdown.js";
import { placeOf, sourceButton } from "./place.js";
import { createTrace, pastTrace } from "./trace.js";
import { judgeSentences, sentencesShown, verdictSummary } from "./verdict.js";

/** @import { Answer, AnswerEvent, Child, Finished, Passage, Problem, Run, Sentence, Source, Verdict } from "../shapes.d.ts" */

/** An answer on the page; `take` expects the events of its stream in order. `again` asks again where it failed. @param {() => void} [again] */
export function createAnswer(again) {
  const trace = createTrace();
  const body = h("div", { class: "answer-body" });
  const footer = h("div", { class: "answer-footer" });
  const element = h("div", { class: "answer", "aria-busy": "true" }, trace.element, body, footer);
  let text = "";
  /** @type {readonly Passage[]} */
  let passages = [];
  /** @type {Sentence[]} */
  const judged = [];
  const draw = () => {
    fill(
      body,
      markdown(text, (marker) =>
        chip(
          passages.find((each) => each.marker === marker),
          marker,
        ),
      ),
    );
    judgeSentences(body, judged);
  };
  /** @param {string} title @param {number} [ms] */
  const stop = (title, ms) => {
    trace.end(title, ms);
    element.removeAttribute("aria-busy");
  };
  /** @param {AnswerEvent} event */
  const show = ({ name, data }) => {
    switch (name) {
      case "node-end":
        return trace.add(data);
      case "context-ready":
        passages = data.passages;
        if (text !== "") return;
        trace.write(data.usual_ms);
        return fill(body, passages.length > 0 && found(passages));
      case "text-delta":
        text += data.text;
        judged.push(...(data.sentences ?? []));
        return draw();
      case "answer-end":
        stop(endTitle(data));
        showAnswer(data, body, footer);
        return announce(t("answer.done", { status: t(`status.${data.verdict.status}`) }));
    }
  };
  /** Ends without an answer: stopped by the user or refused by the server; `ms` of an earlier visit. @param {Problem} problem @param {number} [ms] */
  const fail = ({ message, hint = "" }, ms) => {
    stop(message, ms);
    append(footer, [notice({ message, hint }, again && actionButton("link", again, t("answer.retry")))]);
  };
  return {
    element,
    /** @param {AnswerEvent} event */
    take(event) {
      try {
        show(event);
      } catch (thrown) {
        const problem = problemOf(thrown);
        // An event that cannot be shown is not fatal: the last one has the whole answer.
        if (event.name === "answer-end") fail(problem);
      }
    },
    fail,
  };
}

/** An answer of an earlier visit, with what was shown beside it. @param {Run} run */
export function pastAnswer(run) {
  const { id, started_at: at, duration_ms: ms, response = "", verdict, citations = [] } = run;
  const [body, footer] = [h("div", { class: "answer-body" }), h("div", { class: "answer-footer" })];
  if (verdict) showAnswer({ ...run, response, citations, verdict }, body, footer);
  else fill(body, h("div", { class: "prose" }, h("p", {}, response)));
  const when = h("a", { class: "muted small", href: `#/runs/${id}` }, `${date(at)} · ${duration(ms)}`);
  return h("div", { class: "answer" }, when, stepsOf(run), body, footer);
}

/** The steps of a run, where they were kept. @param {Run} run */
export function stepsOf({ trace = [], agent = null, model = null, verdict, state, duration_ms: ms }) {
  if (trace.length === 0) return undefined;
  const refused = verdict?.status === "refused";
  return pastTrace(trace, verdict ? endTitle({ agent, model, refused }) : t(`runs.${state}`), ms);
}

/** @param {Pick<Answer, "agent" | "model" | "refused">} answer */
const endTitle = ({ agent, model, refused }) =>
  [
    refused ? t("answer.none") : agent === null ? t("answer.nobody") : t("answer.by", { agent }),
    model ?? t("answer.no-model"),
  ].join(" · ");

/** Shows a finished answer: text with verdicts, overall verdict, sources. @param {Finished} answer @param {Element} body @param {Element} footer */
export function showAnswer(
  { response, citations, verdict, draft, tools = [], unavailable = [], searched },
  body,
  footer,
) {
  const make = (/** @type {number} */ marker) =>
    chip(
      citations.find((each) => each.marker === marker),
      marker,
    );
  const isWhole = isQuoted(response, verdict);
  const text = isWhole ? quotes(verdict.sentences, make) : markdown(response, make);
  fill(body, text, draft && draftBelow(draft, make));
  judgeSentences(text, sentencesShown(verdict));
  // After the judgement, which looks for the sentences in the text.
  if (isWhole) addPlaces(text, verdict.sentences, citations);
  fill(
    footer,
    tools.map(toolLine),
    unavailable.map(({ collection, reason }) => h("p", { class: "notice" }, `${collection}: ${reason}`)),
    searched && searchedLine(searched),
    verdictSummary(verdict, response),
    citations.length > 0 && sources(citations),
  );
}

/** What a small model wrote below its quotes. @param {NonNullable<Finished["draft"]>} draft @param {(marker: number) => Child} make */
function draftBelow({ model, text, sentences }, make) {
  const shown = markdown(text, make);
  judgeSentences(shown, sentences);
  return h("section", { class: "draft" }, h("p", { class: "muted" }, t("answer.draft", { model })), shown);
}

/** What was searched and what could not be read. @param {NonNullable<Finished["searched"]>} searched */
const searchedLine = (searched) =>
  h(
    "p",
    { class: "muted" },
    [
      t("answer.searched", searched),
      searched.unread_documents > 0 ? t("answer.unread-documents", searched) : "",
      searched.unread_pages > 0 ? t("answer.unread-pages", searched) : "",
    ]
      .filter((part) => part !== "")
      .join(" "),
  );

/** @param {Answer["tools"][number]} call */
const toolLine = ({ tool, status, message, data }) =>
  h(
    "p",
    { class: "tool-line" },
    h("strong", {}, tool),
    ` ${t(`tool.${status}`)} `,
    message,
    typeof data.sql === "string" && h("code", {}, data.sql),
  );

/** @param {string} text */
const lettersAlone = (text) => text.replace(/\[\d+\]|\s+/g, "");

/** Whether an answer consists of its quotes alone. @param {string} response @param {Verdict} verdict */
const isQuoted = (response, { status, sentences }) =>
  status === "extractive" &&
  lettersAlone(response) === lettersAlone(sentences.map(({ text }) => text).join(""));

/** Quoted sentences as block quotes; table rows keep their cells, and their header a line. @param {readonly Sentence[]} sentences @param {(marker: number) => Child} make */
const quotes = (sentences, make) =>
  h(
    "div",
    { class: "prose quotes" },
    sentences.map(({ text, markers }) => {
      const lines = text.split("\n").map((line, at) => [at > 0 && h("br", {}), row(line)]);
      return h("blockquote", {}, h("p", {}, lines, " ", markers.map(make)));
    }),
  );

/** Says below each quote where it stands. @param {Element} text @param {readonly Sentence[]} sentences @param {readonly Source[]} citations */
function addPlaces(text, sentences, citations) {
  for (const [at, { markers }] of sentences.entries()) {
    const sources = citations.filter(({ marker }) => markers.includes(marker));
    const places = new Set(sources.map((source) => placeOf(source, " · ")));
    append(
      text.children[at] ?? text,
      [...places].map((place) => h("p", { class: "quote-place" }, place)),
    );
  }
}

/** @param {string} text @returns {readonly Child[]} */
const row = (text) => {
  const cells = text.replace(/^- /, "").split(" | ");
  return cells.length < 2
    ? cells
    : cells.flatMap((cell, index) =>
        index === 0 ? [cell] : [h("span", { class: "cell-edge", "aria-hidden": "true" }, " | "), cell],
      );
};

/** The button that opens the source of a sentence. @param {Source | undefined} citation @param {number} marker */
function chip(citation, marker) {
  if (citation === undefined) return h("sup", {}, `[${marker}]`);
  /** @type {HTMLButtonElement} */
  const button = h(
    "button",
    {
      type: "button",
      class: "chip",
      title: placeOf(citation),
      "aria-label": t("chip", { marker, place: placeOf(citation) }),
      // A tool result has no judged sentence; its text precedes the chip.
      onclick: () =>
        open(citation, button.dataset.sentence ?? button.previousSibling?.textContent ?? "", button),
    },
    String(marker),
  );
  return button;
}

/** @param {string} text */
const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** The quote of a source that shares most words with the sentence. @param {Source} source @param {string} sentence */
function quoteFor(source, sentence) {
  if ("text" in source) return source.text;
  const words = wordsOf(sentence);
  const shared = (/** @type {string} */ quote) =>
    [...wordsOf(quote)].filter((word) => words.has(word)).length;
  return source.quotes.toSorted((one, other) => shared(other) - shared(one))[0] ?? "";
}

/** @param {Source} citation @param {string} sentence @param {HTMLElement} button */
function open(citation, sentence, button) {
  for (const each of document.querySelectorAll(".chip[aria-pressed]")) each.removeAttribute("aria-pressed");
  button.setAttribute("aria-pressed", "true");
  const chips = [...(button.closest(".answer")?.querySelectorAll(".answer-body .chip") ?? [])];
  const at = chips.indexOf(button);
  /** @param {number} by */
  const step = (by) => {
    const next = chips[(at + by + chips.length) % chips.length];
    if (next instanceof HTMLElement) next.click();
  };
  openCitation({
    chunkId: citation.chunk_id,
    quote: quoteFor(citation, sentence),
    sentence,
    marker: citation.marker,
    back: button,
    ...(at < 0 ? {} : { position: at + 1, count: chips.length, step }),
  });
}

/** The passages of an answer that is still being written. @param {readonly Passage[]} passages */
const found = (passages) => sources(passages, t("answer.found"));

/** @param {readonly Source[]} citations */
function sources(citations, title = t("sources")) {
  const source = (/** @type {Source} */ citation) => {
    const quote = "text" in citation ? citation.text : citation.quote;
    return h(
      "li",
      {},
      sourceButton(citation, quote, (button) => open(citation, quote, button)),
    );
  };
  return h(
    "section",
    { class: "sources", "aria-label": title },
    h("h3", {}, title),
    h("ol", {}, citations.map(source)),
  );
}

import { announce, append, fill, h } from "../core/dom.js";
import { lettersOf } from "../core/find-text.js";
import { problemOf } from "../core/problem.js";
import { t } from "../core/text.js";
import { openCitation } from "../reader/reader.js";
import { markdown } from "./markdown.js";
import { placeOf, withinOf } from "./place.js";
import { createTrace } from "./trace.js";
import { judgeSentences, sentencesShown, verdictSummary } from "./verdict.js";

/** One answer on the page; `take` is given the events of its stream in their order. */
export function createAnswer() {
  const trace = createTrace();
  const body = h("div", { class: "answer-body" });
  const footer = h("div", { class: "answer-footer" });
  const element = h("div", { class: "answer", "aria-busy": "true" }, trace.element, body, footer);
  let text = "";
  let passages = [];
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
  const stop = (title) => {
    trace.end(title);
    element.removeAttribute("aria-busy");
  };
  const takes = {
    "node-end": (event) => trace.add(event),
    "context-ready": (event) => {
      passages = event.passages;
      if (text !== "") return;
      trace.write(event.usual_ms);
      fill(body, passages.length > 0 && found(passages));
    },
    "text-delta": (event) => {
      text += event.text;
      judged.push(...(event.sentences ?? []));
      draw();
    },
    "answer-end": (answer) => {
      stop(endTitle(answer));
      showAnswer(answer, body, footer);
      announce(t("answer.done", { status: t(`status.${answer.verdict.status}`) }));
    },
  };
  /** Ends without an answer: stopped by the reader, or refused by the server. */
  const fail = ({ message, hint = "" }) => {
    stop(message);
    append(footer, [
      h(
        "p",
        { class: "notice", role: "alert" },
        message,
        hint !== "" && h("span", { class: "muted" }, ` ${hint}`),
      ),
    ]);
  };
  return {
    element,
    take({ name, data }) {
      try {
        takes[name]?.(data);
      } catch (thrown) {
        const problem = problemOf(thrown);
        // What cannot be shown on the way ends nothing: the last event has the whole answer.
        if (name === "answer-end") fail(problem);
      }
    },
    fail,
  };
}

const endTitle = ({ agent, model }) =>
  [agent === null ? t("answer.nobody") : t("answer.by", { agent }), model ?? t("answer.no-model")].join(
    " · ",
  );

/** A finished answer: its text with verdicts, the verdict of the whole, its sources. */
export function showAnswer({ response, citations, verdict, tools = [], unavailable = [] }, body, footer) {
  const make = (marker) =>
    chip(
      citations.find((each) => each.marker === marker),
      marker,
    );
  const text = isQuoted(response, verdict) ? quotes(verdict.sentences, make) : markdown(response, make);
  fill(body, text);
  judgeSentences(text, sentencesShown(verdict));
  fill(
    footer,
    tools.map(toolLine),
    unavailable.map(({ collection, reason }) => h("p", { class: "notice" }, `${collection}: ${reason}`)),
    verdictSummary(verdict, response),
    citations.length > 0 && sources(citations),
  );
}

const toolLine = ({ tool, status, message, data }) =>
  h(
    "p",
    { class: "tool-line" },
    h("strong", {}, tool),
    ` ${t(`tool.${status}`)} `,
    message,
    typeof data.sql === "string" && h("code", {}, data.sql),
  );

const lettersAlone = (text) => text.replace(/\[\d+\]|\s+/g, "");

/** Whether an answer is its quotes and nothing else: no list, no count, no word on what is missing. */
const isQuoted = (response, { status, sentences }) =>
  status === "extractive" &&
  lettersAlone(response) === lettersAlone(sentences.map(({ text }) => text).join(""));

/** Sentences that are quoted because no model is there to write: each is a quotation, a row of a table has cells. */
const quotes = (sentences, make) =>
  h(
    "div",
    { class: "prose quotes" },
    sentences.map(({ text, markers }) => h("blockquote", {}, h("p", {}, row(text), " ", markers.map(make)))),
  );

const row = (text) => {
  const cells = text.replace(/^- /, "").split(" | ");
  return cells.length < 2
    ? cells
    : cells.flatMap((cell, index) =>
        index === 0 ? [cell] : [h("span", { class: "cell-edge", "aria-hidden": "true" }, " | "), cell],
      );
};

/** What is pressed to see where a sentence comes from. */
function chip(citation, marker) {
  if (citation === undefined) return h("sup", {}, `[${marker}]`);
  const button = h(
    "button",
    {
      type: "button",
      class: "chip",
      title: placeOf(citation),
      "aria-label": t("chip", { marker, place: placeOf(citation) }),
      // What a tool found has no verdict: its line stands before the chip.
      onclick: () => open(citation, button.sentence ?? button.previousSibling?.textContent ?? "", button),
    },
    String(marker),
  );
  return button;
}

const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** The quotation of a citation that shares most words with the sentence. */
function quoteFor({ quotes: all = [], text = "" }, sentence) {
  if (all.length === 0) return text;
  const words = wordsOf(sentence);
  const shared = (quote) => [...wordsOf(quote)].filter((word) => words.has(word)).length;
  return all.toSorted((one, other) => shared(other) - shared(one))[0];
}

function open(citation, sentence, button) {
  for (const each of document.querySelectorAll(".chip[aria-pressed]")) each.removeAttribute("aria-pressed");
  button.setAttribute("aria-pressed", "true");
  const chips = [...button.closest(".answer").querySelectorAll(".answer-body .chip")];
  const at = chips.indexOf(button);
  openCitation({
    chunkId: citation.chunk_id,
    quote: quoteFor(citation, sentence),
    sentence,
    marker: citation.marker,
    back: button,
    ...(at < 0
      ? {}
      : {
          position: at + 1,
          count: chips.length,
          step: (by) => chips[(at + by + chips.length) % chips.length].click(),
        }),
  });
}

/** The passages that an answer is being written from: they can be read before it is there. */
const found = (passages) =>
  sources(
    passages.map((passage) => ({ ...passage, quote: passage.text })),
    t("answer.found"),
  );

function sources(citations, title = t("sources")) {
  const source = (citation) => {
    const button = h(
      "button",
      { type: "button", class: "source", onclick: () => open(citation, citation.quote, button) },
      h("span", { class: "source-number" }, String(citation.marker)),
      h(
        "span",
        { class: "source-place" },
        h("strong", {}, citation.source_file),
        h(
          "span",
          { class: "muted" },
          [citation.page_number === null ? "" : t("page", { page: citation.page_number }), withinOf(citation)]
            .filter((part) => part !== "")
            .join(" · "),
        ),
      ),
      lettersOf(citation.quote) !== "" && h("span", { class: "source-quote" }, citation.quote),
    );
    return h("li", {}, button);
  };
  return h(
    "section",
    { class: "sources", "aria-label": title },
    h("h3", {}, title),
    h("ol", {}, citations.map(source)),
  );
}

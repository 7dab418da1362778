import { randomUUID } from "node:crypto";
import type { Answer, AnswerEvent } from "../../../core/answers/answer.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Context } from "../../../core/retrieval.ts";
import { askShape } from "../../../shapes/answer.ts";
import { placeOf, sectionOf } from "../../../shapes/documents.ts";
import { citationOffsets, inlineName, neutralizeMarkdown, tokensOf } from "./shared.ts";

/** An event of OpenAI's responses API; the last contains the whole response. */
export interface ResponseEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: unknown;
}

/** The request behind a response. */
interface Asked {
  readonly query: string;
  readonly model: string;
  /** Whether text is sent while it is written, and can therefore not be retracted. */
  readonly isStreamed: boolean;
}

type Step = readonly [type: string, members: object];

/** Numbers the steps of a response. */
export async function* responseEvents(
  events: AsyncIterable<AnswerEvent>,
  asked: Asked,
): AsyncGenerator<ResponseEvent> {
  let sequence_number = 0;
  for await (const [type, members] of steps(events, asked)) {
    yield { type: `response.${type}`, sequence_number, ...members };
    sequence_number++;
  }
}

async function* steps(
  events: AsyncIterable<AnswerEvent>,
  { query, model, isStreamed }: Asked,
): AsyncGenerator<Step> {
  const frame = frameOf(model);
  const output: object[] = [];
  let context: Context | undefined;
  let message: ReturnType<typeof openMessage> | undefined;
  yield ["created", { response: { ...frame, status: "in_progress", output: [] } }];
  yield ["in_progress", { response: { ...frame, status: "in_progress", output: [] } }];
  function* begin(): Generator<Step> {
    if (message !== undefined) return;
    if (context !== undefined) {
      const search = searchItem(query, context);
      yield* searchSteps(search);
      output.push(search);
    }
    message = openMessage(output.length);
    yield* message.begin();
  }
  for await (const event of events) {
    if (event.type === "context-ready") context = event.context;
    if (event.type === "text-delta" && isStreamed) {
      yield* begin();
      if (message !== undefined) yield* message.write(event.text);
    }
    if (event.type !== "answer-end") continue;
    yield* begin();
    if (message !== undefined) output.push(yield* message.end(event.answer));
    yield ["completed", { response: completed(frame, output, event.answer) }];
  }
}

/** The constant members of a response, including unused ones that clients require. */
const frameOf = (model: string) => ({
  id: `resp_${randomUUID()}`,
  object: "response",
  created_at: Math.floor(Date.now() / 1000),
  model,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: false,
  previous_response_id: null,
  store: false,
  temperature: null,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: null,
});

function completed(frame: ReturnType<typeof frameOf>, output: readonly object[], answer: Answer) {
  const { prompt, output: written } = tokensOf(answer);
  const usage = {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt + written,
  };
  return { ...frame, status: "completed", output, usage, ragctl: askShape(answer) };
}

/** The passages of an answer as search results. */
const searchItem = (query: string, { passages }: Context) => ({
  type: "file_search_call",
  id: `fs_${randomUUID()}`,
  status: "completed",
  queries: [query],
  results: passages.map(({ chunk, text, marker, headings = chunk.headings }) => {
    const { pageNumber, section } = placeOf(chunk.pages, sectionOf({ headings }), []);
    return {
      file_id: chunk.documentId,
      filename: inlineName(chunk.sourceName),
      text: neutralizeMarkdown(text),
      attributes: {
        marker,
        chunk_id: chunk.id,
        collection: chunk.collection,
        ...(pageNumber === null ? {} : { page: pageNumber }),
        ...(section === "" ? {} : { section: inlineName(section).slice(0, 512) }),
      },
    };
  }),
});

function* searchSteps(item: ReturnType<typeof searchItem>): Generator<Step> {
  const place = { output_index: 0 };
  yield ["output_item.added", { ...place, item: { ...item, status: "in_progress", results: null } }];
  for (const state of ["in_progress", "searching", "completed"])
    yield [`file_search_call.${state}`, { ...place, item_id: item.id }];
  yield ["output_item.done", { ...place, item }];
}

/** The message in the output of a response. */
function openMessage(output_index: number) {
  const item = { type: "message", id: `msg_${randomUUID()}`, role: "assistant" };
  const place = { output_index, item_id: item.id, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  let [given, shown] = ["", ""];
  function* show(text: string): Generator<Step> {
    const delta = text.slice(shown.length);
    shown = text;
    if (delta !== "") yield ["output_text.delta", { ...place, delta, logprobs: [] }];
  }
  return {
    *begin(): Generator<Step> {
      yield ["output_item.added", { output_index, item: { ...item, status: "in_progress", content: [] } }];
      yield ["content_part.added", { ...place, part }];
    },
    *write(text: string): Generator<Step> {
      given += text;
      yield* show(neutralizeMarkdown(given));
    },
    /** The whole item. Sent text cannot be retracted, so the final answer follows it. */
    *end(answer: Answer): Generator<Step, object> {
      const whole = neutralizeMarkdown(answer.response);
      const from = whole.startsWith(shown) ? 0 : shown.length + 2;
      yield* show(from === 0 ? whole : `${shown}\n\n${whole}`);
      const annotations = annotationsOf(answer, shown, from);
      for (const [annotation_index, annotation] of annotations.entries())
        yield ["output_text.annotation.added", { ...place, annotation_index, annotation }];
      const done = { ...part, text: shown, annotations };
      yield ["output_text.done", { ...place, text: shown, logprobs: [] }];
      yield ["content_part.done", { ...place, part: done }];
      const message = { ...item, status: "completed", content: [done] };
      yield ["output_item.done", { output_index, item: message }];
      return message;
    },
  };
}

/** Citations with their positions in the text. */
function annotationsOf({ citations, context }: Answer, text: string, from: number) {
  const documents = new Map(
    context.passages
      .flatMap(({ chunk, around = [] }): readonly Chunk[] => [chunk, ...around])
      .map(({ id, documentId }) => [id, documentId]),
  );
  return citationOffsets(text, citations, from).map(({ citation, start }) => ({
    type: "file_citation",
    index: start,
    file_id: documents.get(citation.chunkId) ?? citation.chunkId,
    filename: inlineName(citation.sourceFile),
  }));
}

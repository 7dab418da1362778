import { dirname } from "node:path";
import { jsonRequest, outcomeOfResponse, requestAttempts, requireServed, withPrivateRoom } from "./asking.ts";
import {
  type Attempt,
  type AttemptOutcome,
  type Canary,
  defineAttempt,
  hint,
  inRoom,
  named,
  ownerOnly,
  write,
} from "./attempt.ts";

const rest = requestAttempts("rest");
const page = requestAttempts("page");
const openAi = requestAttempts("openai");
const short = requestAttempts("short");

/** Only who began it, or the owner. */
const own = { ...named, own: true };
const unsure = { ...named, ...hint };

/** Every way to a canary over the routes of a server. */
export function httpAttempts(canary: Canary): readonly Attempt[] {
  return [
    ...documents(canary),
    ...pages(canary),
    ...rooms(canary),
    ...owned(canary),
    ...streams(canary),
    ...openAiRequests(canary),
    ...shortRequests(canary),
  ];
}

function documents({ word, collection, document, path }: Canary): readonly Attempt[] {
  const name = `${word}.md`;
  const one = "DELETE /v1/documents/{document}";
  const upload = { query: { name, collection }, body: "a canary" };
  return [
    rest("GET /v1/documents", { query: { limit: "5000" } }),
    rest("GET /v1/documents", { query: { collection }, by: "of the collection" }, named),
    rest(one, { path: [document.id], by: "by id" }, write),
    rest(one, { path: [name], by: "by name" }, write),
    rest("POST /v1/documents", upload, write),
    rest("POST /v1/jobs", { json: { paths: [path], collection } }, write),
    rest("DELETE /v1/collections/{collection}", { path: [collection] }, { ...write, needs: "admin" }),
  ];
}

function pages({ document, chunk, word, asked }: Canary): readonly Attempt[] {
  const name = `${word}.md`;
  const quote = { query: { quote: `The canary ${word} sings` } };
  return [
    ...[document.id, name].flatMap((reference) => {
      const by = reference === name ? "by name" : "by id";
      return [
        page("GET /v1/documents/{document}/original", { path: [reference], by }, named),
        page("GET /v1/documents/{document}/pages/{page}", { path: [reference, "0"], by }, named),
      ];
    }),
    page("GET /v1/passages/{chunk}", { path: [chunk], ...quote }, named),
    page("GET /v1/runs/{run}/export", { path: [asked] }, own),
    page("GET /v1/conversations", { query: { limit: "1000" } }, { own: true }),
    page("GET /v1/conversations/{conversation}", { path: [asked] }, own),
    page("GET /v1/conversations/{conversation}/events", { path: [asked] }, { ...own, ...hint }),
    page("DELETE /v1/conversations/{conversation}/events", { path: [asked] }, hint),
    page("GET /v1/permissions/matrix", {}, own),
    page("GET /v1/permissions/matrix", { query: { action: "admin", limit: "500" }, by: "of admins" }, own),
    page("GET /v1/session", {}, hint),
  ];
}

function rooms(canary: Canary): readonly Attempt[] {
  const { room, tool } = canary;
  const text = canary.question;
  const typed = [text, tool.question];
  const changes = { ...inRoom, onlyDenied: true };
  const message = { path: [room], json: { text } };
  return [
    rest("POST /v1/chats/{chat}/messages", message, { ...changes, needs: "write" }),
    defineAttempt(
      { surface: "rest", name: "POST /v1/chats, and asking there", typed, work: askInOwnRoom(typed) },
      { route: "POST /v1/chats", ...hint },
    ),
  ];
}

const askInOwnRoom =
  (questionsAsked: readonly string[]): Attempt["work"] =>
  (app, run) =>
    withPrivateRoom(app, run.principal, async (room) => {
      const address = `/v1/chats/${encodeURIComponent(room)}/messages`;
      const outcomes: AttemptOutcome[] = [];
      for (const text of questionsAsked) {
        const response = await requireServed(app).request(run.principal, address, jsonRequest({ text }));
        outcomes.push(await outcomeOfResponse(response));
      }
      const text = outcomes.map((each) => each.text).join("\n");
      return { failed: outcomes.every(({ failed }) => failed), text };
    });

/** What only the owner may see or do. */
function owned({ word }: Canary): readonly Attempt[] {
  const asOwner = { headers: { "x-ragctl-as": "owner" }, by: "as the owner" };
  return [
    rest("GET /v1/doctor", {}, ownerOnly),
    rest("GET /metrics", {}, hint),
    rest("GET /v1/documents", asOwner, { own: true, ...hint }),
    rest("GET /health", {}, hint),
    rest("GET /ready", {}, hint),
    rest("POST /v1/session", { json: { key: word } }, hint),
    rest("DELETE /v1/session", {}, hint),
  ];
}

function streams(canary: Canary): readonly Attempt[] {
  const { room, job, question } = canary;
  const stream = requestAttempts("streams");
  return [
    stream(
      "POST /v1/chats/{chat}/messages",
      { path: [room], json: { text: question }, headers: { accept: "text/event-stream" } },
      { ...inRoom, onlyDenied: true, needs: "write" },
    ),
    // The stream of a job that waits does not end.
    stream("GET /v1/jobs/{job}/events", { path: [job] }, ownerOnly),
    stream("GET /api/ingest/progress", { query: { jobId: job } }, ownerOnly),
    stream("GET /api/chat/stream", { query: { question } }, hint),
  ];
}

function openAiRequests(canary: Canary): readonly Attempt[] {
  const messages = [{ role: "user", content: canary.question }];
  const completions = "POST /v1/chat/completions";
  const responses = "POST /v1/responses";
  const input = canary.question;
  const agent = `ragctl/${canary.tool.name}`;
  const tools = [{ type: "file_search", vector_store_ids: [canary.collection] }];
  return [
    openAi("GET /v1/models", {}, hint),
    openAi("GET /v1/models/{model}", { path: [agent] }, unsure),
    openAi(completions, { json: { model: "ragctl", messages } }, hint),
    openAi(completions, { json: { model: "ragctl", messages, stream: true }, by: "streamed" }, hint),
    openAi(responses, { json: { model: "ragctl", input } }, hint),
    openAi(responses, { json: { model: "ragctl", input, stream: true }, by: "streamed" }, hint),
    openAi(responses, { json: { model: "ragctl", input, tools }, by: "in the collection" }, unsure),
    openAi("POST /v1/embeddings", { json: { model: "none", input } }, hint),
    openAi(completions, { json: { model: agent, messages }, by: "of an agent" }, unsure),
  ];
}

function shortRequests(canary: Canary): readonly Attempt[] {
  const { collection, path, word } = canary;
  const query = canary.question;
  const form = new FormData();
  form.append("file", new Blob(["a canary"]), `${word}.md`);
  return [
    short("POST /query", { json: { query } }, hint),
    short("POST /ingest", { json: { file_path: path, collection } }, write),
    short("POST /api/documents/ingest", { json: { path: dirname(path), collection } }, write),
    short("POST /api/ingest/file", { query: { collection }, body: form }, write),
    short("POST /api/ingest/reembed", { json: { collection } }, write),
    short("GET /api/documents/search", { query: { query, top_k: "50" } }),
    short("GET /api/documents/stats", {}, hint),
  ];
}

import type { Generated, LanguageModel, Message, ModelToolCall } from "../../core/answers/answer.ts";
import type { LocalModels } from "../engines/local-models.ts";

/** Its id, which is no file's. */
export const pryingId = "audit-prying-reader";

/** The name of the canary that it is asked about: the last thing that it was told first. */
const nameIn = (messages: readonly Message[]): string =>
  (messages[1]?.text.match(/\b[\da-f]{28}\b/g) ?? []).at(-1) ?? "nothing";

/** One round of calls of each tool, by the number of the round. */
const rounds: readonly ((word: string) => Readonly<Record<string, object>>)[] = [
  (word) => ({
    search: { query: word },
    read: { document: `${word}.md` },
    query: { sql: "SELECT * FROM sqlite_master" },
  }),
  (word) => ({
    search: { query: "Where does the canary sing?", document: `${word}.md` },
    read: { document: word, page: 1 },
    query: { sql: `SELECT * FROM "${word}"` },
  }),
];

/** The calls of its next reply; none when it has tried everything. */
function callsOf(messages: readonly Message[]): readonly ModelToolCall[] {
  const done = messages.filter(({ toolCalls = [] }) => toolCalls.length > 0).length;
  return Object.entries(rounds[done]?.(nameIn(messages)) ?? {}).map(([name, given]) => ({
    id: `${name}-${done}`,
    name,
    arguments: JSON.stringify(given),
  }));
}

/**
 * The reader that an audit asks: it uses the tools on what it was asked about, whatever it is told of it, and
 * repeats all that it was shown.
 */
const pryingReader: LanguageModel = {
  id: pryingId,
  contextTokens: 100_000,
  provider: "cpu",
  count: (text) => Math.ceil(text.length / 4),
  async *generate(messages, { tools = [], toolChoice }): AsyncGenerator<Generated> {
    const toolCalls = tools.length === 0 || toolChoice === "none" ? [] : callsOf(messages);
    const shown = messages.filter(({ role }) => role !== "system").map(({ text }) => text);
    if (toolCalls.length === 0) yield { type: "text-delta", text: `${shown.join("\n")} [1]` };
    const counts = { promptTokens: 0, reusedTokens: 0, outputTokens: 0, prefillMs: 0, decodeMs: 0 };
    yield { type: "generation-end", reason: "stop", toolCalls, ...counts };
  },
  async [Symbol.asyncDispose]() {},
};

export const pryingModels: LocalModels = {
  open: async () => pryingReader,
  outlook: async () => ({ id: pryingId, fingerprint: "", fileBytes: 0, isLoaded: true, isRemote: false }),
};

import { createHash } from "node:crypto";
import type { Chunk } from "../../core/documents/chunk.ts";
import { calibrateCosine, type Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Filter, Hit, StoreResult, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { isSelfReferential, mentionedNames } from "../../language/asking/speaker.ts";
import { fuseScores } from "../../pipeline/retrieve/fuse.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { ChatMessage, ChatRoom, Chats } from "../../registry/history/chats.ts";

/** Messages that an answer is given with its documents. Source: seed 003, 3 of each. */
const messagesShown = 3;

/** Nearest messages looked at: some of them may not be read, or say nothing. */
const nearestMessages = 32;

/** Cosine below which a message says nothing about a question. */
const leastCosine = 0.6;

/** Every collection of messages begins so, one for each embedding model there was. */
const prefix = "chat_messages_";

/**
 * Messages of people in chat rooms, searched by meaning and words. An assistant's messages are not evidence:
 * the documents they were made from are.
 */
export interface MessageIndex {
  /** Embeds and stores a message. */
  add(room: ChatRoom, message: ChatMessage, run: Run): Promise<void>;
  /**
   * The nearest messages of people in only these rooms; leaves out messages that only ask, and statements
   * about themselves by people the question does not mention.
   */
  search(
    question: string,
    rooms: readonly ChatRoom[],
    mayUse: (message: ChatMessage) => boolean,
    run: Run,
    limit?: number,
  ): Promise<readonly Hit[]>;
  /** Removes everything said in a room, whichever model embedded it. */
  remove(roomId: string): Promise<void>;
}

export interface MessageParts {
  readonly chats: Pick<Chats, "standing">;
  readonly embedder: () => Promise<Embedder>;
  readonly store: () => Promise<VectorStore>;
  /** Prefix of the names of the collections; "" outside an audit. */
  readonly mark: string;
}

/**
 * Creates the collection of messages in the private instance; one per embedding model, so that vectors of two
 * never meet.
 */
export function createMessageIndex({ chats, embedder, store, mark }: MessageParts): MessageIndex {
  const spec = async () => collectionOf(await embedder(), mark);
  const embed = async (text: string, purpose: "query" | "passage", run: Run) =>
    (await (await embedder()).embed([text], { purpose }, run.signal))[0];
  return {
    async add(room, message, run) {
      const [vectors, collection] = await Promise.all([store(), spec()]);
      await vectors.ensure(collection);
      const embedding = await embed(spoken(message), "passage", run);
      if (embedding !== undefined)
        await vectors.write(collection.name, [{ chunk: chunkOf(room, message, collection.name), embedding }]);
    },
    async search(question, rooms, mayUse, run, limit = messagesShown) {
      if (rooms.length === 0) return [];
      const [vectors, { name: collection }] = await Promise.all([store(), spec()]);
      const query = await embed(question, "query", run);
      if (query === undefined) return [];
      const allowed = new Set(rooms.map(({ id }) => id));
      const filter: Filter = { field: "documentId", in: [...allowed] };
      const { dense, sparse } = query;
      const search = {
        dense,
        text: question,
        limit: nearestMessages,
        filter,
        ...(sparse === undefined ? {} : { sparse }),
      };
      const result = await vectors.search(collection, search, run.signal).catch(nothingSaid);
      const inRooms = (hits: readonly Hit[]): readonly Hit[] =>
        hits.filter(({ chunk }) => chunk.collection === collection && allowed.has(chunk.documentId));
      const { cosineRange } = await embedder();
      const near = fused(
        inRooms(result.dense).map((hit) => ({ ...hit, score: calibrateCosine(hit.score, cosineRange) })),
        inRooms(result.lexical),
      );
      const existing = await chats.standing(near.map(({ chunk }) => chunk.id));
      const tells = tellsOf(question, [...existing.values()]);
      return near
        .filter(({ chunk }) => {
          const message = existing.get(chunk.id);
          return message !== undefined && tells(message) && mayUse(message);
        })
        .slice(0, limit);
    },
    async remove(roomId) {
      const vectors = await store();
      for (const { name } of await vectors.collections())
        if (name.startsWith(`${mark}${prefix}`))
          await vectors.delete(name, { field: "documentId", in: [roomId] });
    },
  };
}

function collectionOf({ fingerprint, dimensions, heads }: Embedder, mark: string): CollectionSpec {
  const model = createHash("sha256").update(fingerprint).digest("hex").slice(0, 8);
  return {
    name: `${mark}${prefix}${model}`,
    dimensions,
    fingerprint,
    lexical: heads.sparse ? "sparse" : "bm25",
  };
}

/** The collection is made for the first message: without one there is nothing to find. */
function nothingSaid(error: unknown): StoreResult {
  if (!(error instanceof RagctlError) || error.code !== "NOT_FOUND") throw error;
  return { dense: [], lexical: [], vectors: new Map() };
}

/**
 * Weight of the meaning; the rest is that of the words. Of 0.35, 0.5 and 0.65 the best on two LoCoMo
 * conversations (scripts/eval/memory.ts).
 */
const denseWeight = 0.5;

/** Both lists joined, best first; each message with its cosine, 0 where only its words are near. */
function fused(denseHits: readonly Hit[], lexicalHits: readonly Hit[]): readonly Hit[] {
  const cosines = new Map(denseHits.map(({ chunk, score }) => [chunk.id, score]));
  const near = fuseScores([
    { hits: denseHits, weight: denseWeight },
    { hits: lexicalHits, weight: 1 - denseWeight, floor: 0 },
  ]);
  const wordsOnly = new Set(lexicalHits.map(({ chunk }) => chunk.id));
  return near
    .map(({ chunk }): Hit => ({ chunk, score: cosines.get(chunk.id) ?? 0, via: "dense" }))
    .filter(({ chunk, score }) => score >= leastCosine || (score === 0 && wordsOnly.has(chunk.id)));
}

/**
 * Whether a message may answer a question: one of a person that says something of those who are asked about.
 */
function tellsOf(question: string, messages: readonly ChatMessage[]): (message: ChatMessage) => boolean {
  const people = mentionedNames(question, new Set(messages.map(({ author }) => author)));
  return (message) => message.type === "user" && !onlyAsks(message.content) && !isOfAnother(message, people);
}

/** A message in which the author speaks only of themselves does not answer a question about others. */
const isOfAnother = ({ author, content }: ChatMessage, people: ReadonlySet<string>): boolean =>
  people.size > 0 && !people.has(author) && isSelfReferential(content);

/** A question alone answers nothing, however near it is to another. */
const onlyAsks = (text: string): boolean => /^[^.!?。！？]*[?？]\s*$/u.test(text);

const spoken = ({ author, content }: ChatMessage): string => `${author}: ${content}`;

/** A message as a chunk: the room is its document, the time its section. */
function chunkOf(room: ChatRoom, message: ChatMessage, collection: string): Chunk {
  const text = spoken(message);
  return {
    id: message.id,
    documentId: room.id,
    versionId: message.id,
    ordinal: message.position,
    text,
    title: "",
    headings: [`${message.type} message of ${message.createdAt.slice(0, 16).replace("T", " ")}`],
    pages: [],
    contentType: "paragraph",
    tokenCount: 0,
    sourcePath: `chat:${room.name}`,
    sourceName: `chat ${room.name}`,
    format: "text",
    collection,
    department: "",
    method: "chat",
    contentHash: createHash("sha256").update(text).digest("hex"),
  };
}

/**
 * An index without which a chat continues: where its store or model cannot be used, messages remain in the
 * registry and the question is answered from the documents, with a warning. A removal still fails, because a
 * message must not be reported as removed while it is still there.
 */
export function withMessageFallback(index: MessageIndex): MessageIndex {
  const orElse = async <T>(work: Promise<T>, otherwise: T, what: string, run: Run): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      run.signal.throwIfAborted();
      if (!isUnavailable(error)) throw error;
      run.log.warn(`${what}: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`);
      return otherwise;
    }
  };
  return {
    ...index,
    add: (room, message, run) =>
      orElse(
        index.add(room, message, run),
        undefined,
        "the message is stored, but later searches will not find it",
        run,
      ),
    search: (question, rooms, mayUse, run, limit) =>
      orElse(
        index.search(question, rooms, mayUse, run, limit),
        [],
        "earlier messages were not searched",
        run,
      ),
  };
}

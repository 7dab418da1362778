import { rmSync } from "node:fs";
import { type Chunk, lexicalText } from "../core/documents/chunk.ts";
import {
  containsAny,
  type Filter,
  type FilterField,
  headingsToFilter,
  kindsOf,
  type LexicalCollection,
  type LexicalIndex,
} from "../core/retrieval.ts";
import { openSqliteFile, type SqliteFile } from "../registry/database/sqlite.ts";
import { isCorrupt } from "../registry/database.ts";

/**
 * Tables of the file. Each collection has a separate full-text table, `terms_<number>`, whose rows have the
 * numbers of its chunks: BM25 weighs a word by how rare it is within the collection.
 */
const schema = `
CREATE TABLE collections (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  store TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (store, name)
) STRICT;
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collections,
  id TEXT NOT NULL,
  fields TEXT NOT NULL,
  UNIQUE (collection, id)
) STRICT;
`;

const databaseOptions = {
  /** "RAGL" in ASCII, kept in the file's header. */
  applicationId: 0x5241474c,
  migrations: [schema],
  name: "lexical index",
  // A version becomes visible after its words are written: they must not be lost in a power cut.
  synchronous: "FULL",
} as const;

/**
 * How FTS5 cuts text into terms, as near to the Milvus analyzers of the same names as it gets: both fold
 * accents, English stems (Porter); its stop words are left out of questions.
 */
const tokenizers = {
  standard: "unicode61 remove_diacritics 2",
  english: "porter unicode61 remove_diacritics 2",
} as const;

/** Stop words of Lucene's English analyzer, which Milvus calls `_english_`. */
const englishStopWords: ReadonlySet<string> = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these " +
    "they this to was will with"
  ).split(" "),
);

/** The words of all stores of a home that have no word search, in one file. */
export interface LexicalIndexes extends Disposable {
  /** The part of one store. */
  of(store: string): LexicalIndex;
}

/**
 * Opens the file at `path`, which is made when missing; a damaged one is thrown away with a warning. What it
 * lacks is read from the stores again. @throws as `openSqliteFile` does, damage excepted
 */
export async function openLexicalIndexes(
  path: string,
  warn: (message: string) => void,
): Promise<LexicalIndexes> {
  const database = await openSqliteFile(path, databaseOptions).catch((error: unknown) => {
    if (!isCorrupt(error)) throw error;
    warn(`the lexical index ${path} is damaged and is rebuilt from the stores`);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return openSqliteFile(path, databaseOptions);
  });
  return {
    of: (store) => ({
      put: (collection, chunks) => database.write(() => put(database, store, collection, chunks)),
      delete: (collection, filter) => database.write(() => remove(database, store, collection, filter)),
      drop: (collection) => database.write(() => drop(database, store, collection)),
      ids: ({ name }) => database.read(() => chunkRows(database, store, name).map(({ id }) => id)),
      count: ({ name }) => database.read(() => countChunks(database, numberOf(database, store, name))),
      search: (collection, query) => database.read(() => search(database, store, collection, query)),
    }),
    [Symbol.dispose]: () => database.close(),
  };
}

interface ChunkRow {
  readonly number: number;
  readonly id: string;
  /** JSON of `fieldsOf`. */
  readonly fields: string;
}

/** 0 where the collection is not known. */
function numberOf(database: SqliteFile, store: string, name: string): number {
  return (
    database
      .statement<{ number: number }>("SELECT number FROM collections WHERE store = ? AND name = ?")
      .get(store, name)?.number ?? 0
  );
}

function makeCollection(database: SqliteFile, store: string, { name, analyzer }: LexicalCollection): number {
  const known = numberOf(database, store, name);
  if (known !== 0) return known;
  database.statement("INSERT INTO collections (store, name) VALUES (?, ?)").run(store, name);
  const number = numberOf(database, store, name);
  // The text itself is in the store.
  const columns = `text, content='', contentless_delete=1, tokenize='${tokenizers[analyzer ?? "standard"]}'`;
  database.statement(`CREATE VIRTUAL TABLE terms_${number} USING fts5(${columns})`).run();
  return number;
}

function chunkRows(database: SqliteFile, store: string, name: string): readonly ChunkRow[] {
  return database
    .statement<ChunkRow>("SELECT number, id, fields FROM chunks WHERE collection = ?")
    .all(numberOf(database, store, name));
}

function countChunks(database: SqliteFile, collection: number): number {
  return (
    database
      .statement<{ count: number }>("SELECT count(*) AS count FROM chunks WHERE collection = ?")
      .get(collection)?.count ?? 0
  );
}

function put(
  database: SqliteFile,
  store: string,
  collection: LexicalCollection,
  chunks: readonly Chunk[],
): void {
  const number = makeCollection(database, store, collection);
  const find = database.statement<{ number: number }>(
    "SELECT number FROM chunks WHERE collection = ? AND id = ?",
  );
  const insert = database.statement<{ number: number }>(
    "INSERT INTO chunks (collection, id, fields) VALUES (?, ?, ?) RETURNING number",
  );
  const insertText = database.statement(`INSERT INTO terms_${number} (rowid, text) VALUES (?, ?)`);
  for (const chunk of chunks) {
    const before = find.get(number, chunk.id);
    if (before !== undefined) removeChunk(database, number, before.number);
    const made = insert.get(number, chunk.id, JSON.stringify(fieldsOf(chunk)));
    insertText.run(made?.number, spaced(lexicalText(chunk).toWellFormed()));
  }
}

function removeChunk(database: SqliteFile, collection: number, chunk: number): void {
  database.statement(`DELETE FROM terms_${collection} WHERE rowid = ?`).run(chunk);
  database.statement("DELETE FROM chunks WHERE number = ?").run(chunk);
}

function remove(database: SqliteFile, store: string, { name }: LexicalCollection, filter: Filter): void {
  const number = numberOf(database, store, name);
  const admits = predicate(filter);
  for (const row of chunkRows(database, store, name))
    if (admits(readFields(row))) removeChunk(database, number, row.number);
}

function drop(database: SqliteFile, store: string, name: string): void {
  const number = numberOf(database, store, name);
  if (number === 0) return;
  database.statement(`DROP TABLE terms_${number}`).run();
  database.statement("DELETE FROM chunks WHERE collection = ?").run(number);
  database.statement("DELETE FROM collections WHERE number = ?").run(number);
}

/**
 * Score of a chunk: Σ over the question's terms of idf × FTS5's bm25 without its own idf. That idf is 0 for a
 * term in half of the chunks or more, so it is replaced by ln(1 + (N − n + 0.5) / (n + 0.5)), which Milvus
 * (and Lucene) use: scores of both kinds of store are comparable.
 */
function search(
  database: SqliteFile,
  store: string,
  { name, analyzer }: LexicalCollection,
  { text, filter, limit }: Parameters<LexicalIndex["search"]>[1],
): ReturnType<LexicalIndex["search"]> {
  const number = numberOf(database, store, name);
  if (number === 0) return [];
  const total = countChunks(database, number);
  const find = database.statement<{ number: number; score: number }>(
    `SELECT rowid AS number, -bm25(terms_${number}) AS score FROM terms_${number} WHERE terms_${number} MATCH ?`,
  );
  const scores = new Map<number, number>();
  for (const [term, times] of questionTerms(text, analyzer)) {
    const rows = find.all(`"${term}"`);
    const odds = (total - rows.length + 0.5) / (rows.length + 0.5);
    const factor = (times * Math.log(1 + odds)) / (odds > 1 ? Math.log(odds) : 1e-6);
    for (const row of rows) scores.set(row.number, (scores.get(row.number) ?? 0) + row.score * factor);
  }
  const ranked = [...scores].sort(([a, left], [b, right]) => right - left || a - b);
  const admits = predicate(filter);
  const read = database.statement<ChunkRow>("SELECT number, id, fields FROM chunks WHERE number = ?");
  const hits: { readonly id: string; readonly score: number }[] = [];
  for (const [chunk, score] of ranked) {
    if (hits.length >= limit) break;
    const row = read.get(chunk);
    if (row !== undefined && admits(readFields(row))) hits.push({ id: row.id, score });
  }
  return hits;
}

/**
 * Separates ideographs and kana as Milvus's tokenizer does; FTS5 would keep a sentence of them as one word.
 */
const spaced = (text: string): string =>
  text.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, " $& ");

/** Term → how often the question has it. */
function questionTerms(text: string, analyzer: LexicalCollection["analyzer"]): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  for (const word of spaced(text.toWellFormed())
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    if (analyzer !== "english" || !englishStopWords.has(word)) terms.set(word, (terms.get(word) ?? 0) + 1);
  return terms;
}

interface Fields extends Readonly<Record<FilterField, string>> {
  readonly kinds: readonly string[];
  readonly pages: readonly number[];
  /** Absent from rows written before filters needed them. */
  readonly texts?: Pick<Chunk, "title" | "method" | "headings">;
}

/** Fields of a chunk for filters, in the order of storage. */
const fieldNames = ["documentId", "versionId", "department", "sourceName", "format"] as const;
const fieldsOf = (chunk: Chunk): readonly string[] => [
  ...fieldNames.map((name) => chunk[name]),
  kindsOf(chunk).join(" "),
  chunk.pages.join(" "),
  chunk.title,
  chunk.method,
  ...headingsToFilter(chunk),
];

function readFields({ id, fields }: ChunkRow): Fields {
  // Only `put` writes this column.
  const values = JSON.parse(fields) as readonly string[];
  const [documentId = "", versionId = "", department = "", sourceName = "", format = ""] = values;
  const [kinds = "", pages = "", title, method, ...headings] = values.slice(fieldNames.length);
  return {
    ...{ id, documentId, versionId, department, sourceName, format },
    kinds: kinds.split(" "),
    pages: pages.split(" ").map(Number),
    ...(title === undefined || method === undefined ? {} : { texts: { title, method, headings } }),
  };
}

/** A filter as a function, its lists of values as sets. */
function predicate(filter: Filter): (fields: Fields) => boolean {
  if ("not" in filter) {
    const part = predicate(filter.not);
    return (fields) => !part(fields);
  }
  if ("field" in filter) {
    const values = new Set(filter.in);
    return (fields) => values.has(fields[filter.field]);
  }
  if ("pages" in filter) {
    const { from, to } = filter.pages;
    return ({ pages }) => pages.some((page) => page >= from && page <= to);
  }
  if ("kinds" in filter) return ({ kinds }) => kinds.some((kind) => filter.kinds.includes(kind));
  // The store decides on a row that does not say.
  if ("text" in filter)
    return ({ texts }) => texts === undefined || containsAny(filter, [texts[filter.text]].flat());
  const parts = ("all" in filter ? filter.all : filter.any).map(predicate);
  return "all" in filter
    ? (fields) => parts.every((part) => part(fields))
    : (fields) => parts.some((part) => part(fields));
}

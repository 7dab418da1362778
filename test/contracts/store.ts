import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import type { EmbeddedChunk } from "../../src/core/documents/embedding.ts";
import { RagctlError } from "../../src/core/errors.ts";
import {
  type CollectionSpec,
  type Filter,
  matchAllFilter,
  type VectorStore,
} from "../../src/core/retrieval.ts";

/** Home whose models folder holds the Milvus Lite runtime. */
export const testHome = process.env["RAGCTL_TEST_HOME"] ?? join(homedir(), ".local/share/ragctl");
export const liteRuntime = join(testHome, "models/milvus-lite-2.5.1/lib");
/** Reason to skip, or false. */
export const skipLite = existsSync(join(liteRuntime, "milvus"))
  ? false
  : `no Milvus Lite runtime at ${liteRuntime}: run ragctl setup, or set RAGCTL_TEST_HOME`;

/** Runs `use` with a fresh folder under the temporary folder, removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-test-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

export const dimensions = 8;

/** A unit vector that depends on `seed` alone. */
export function vectorOf(seed: number, size = dimensions): Float32Array {
  const raw = Float32Array.from({ length: size }, (_, index) => Math.sin((seed + 1) * (index + 1) * 12.9898));
  const norm = Math.hypot(...raw);
  return raw.map((value) => value / norm);
}

/** A chunk with defaults for whatever `part` leaves out. */
export function chunkOf(ordinal: number, part: Partial<Chunk> = {}): Chunk {
  return {
    id: `v1-${ordinal}`,
    documentId: "doc-1",
    versionId: "v1",
    ordinal,
    text: `text number ${ordinal}`,
    title: "A title",
    headings: ["One", "Two"],
    pages: [1, 2],
    contentType: "paragraph",
    tokenCount: 7,
    sourcePath: "/data/a file.pdf",
    sourceName: "a file.pdf",
    format: "pdf",
    collection: "main",
    department: "",
    method: "pdfjs",
    contentHash: "00ff",
    ...part,
  };
}

export function embedded(chunk: Chunk, seed = chunk.ordinal): EmbeddedChunk {
  const sparse = { indices: Uint32Array.from([seed + 1, 1_000_000]), values: Float32Array.from([1, 0.25]) };
  return { chunk, embedding: { dense: vectorOf(seed), sparse } };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const isCode = (code: string) => (error: unknown) => error instanceof RagctlError && error.code === code;
const ids = (items: readonly { readonly chunk: Chunk }[]): string[] => items.map((item) => item.chunk.id);
const { signal } = new AbortController();

/**
 * What every store must do, for one kind of lexical side. `open` is called once; names of collections are its
 * own. `searchedBy`: what the lexical route goes by, where the store cannot keep learned weights.
 */
export function storeContract(
  name: string,
  lexical: CollectionSpec["lexical"],
  open: () => VectorStore,
  skip: string | false,
  searchedBy: CollectionSpec["lexical"] = lexical,
): void {
  describe(name, { skip }, () => {
    let opened: VectorStore | undefined;
    const store = (): VectorStore => {
      opened ??= open();
      return opened;
    };
    const fresh = async (): Promise<CollectionSpec> => {
      const spec: CollectionSpec = {
        name: `c${crypto.randomUUID().slice(0, 8)}`,
        dimensions,
        lexical,
        fingerprint: "model-a/1",
      };
      await store().ensure(spec);
      return spec;
    };
    const ask = (
      text: string,
      seed: number,
      more: { limit?: number; filter?: Filter; withVectors?: boolean } = {},
    ) => ({
      dense: vectorOf(seed),
      sparse: { indices: Uint32Array.from([seed + 1]), values: Float32Array.from([2]) },
      text,
      limit: 3,
      filter: matchAllFilter,
      ...more,
    });

    it("tells its version and lists only collections it made, with their fingerprint", async () => {
      const spec = await fresh();
      assert.notEqual(await store().version(), "");
      const found = (await store().collections()).find((each) => each.name === spec.name);
      assert.equal(found?.fingerprint, spec.fingerprint);
      assert.equal(found?.dimensions, dimensions);
      assert.equal(found?.lexical, lexical);
    });

    it("finds nothing in an empty collection instead of failing", async () => {
      const { name: collection } = await fresh();
      const result = await store().search(collection, ask("anything", 1), signal);
      assert.deepEqual([result.dense, result.lexical], [[], []]);
      assert.equal(await store().count(collection, matchAllFilter), 0);
      assert.deepEqual(await collect(store().list(collection, matchAllFilter)), []);
    });

    it("gives back a chunk exactly as it was written", async () => {
      const { name: collection } = await fresh();
      const chunk = chunkOf(0, {
        text: 'quote " back \\ tab\tline\nnul\u0000 é漢字😀',
        department: "R&D 100%",
        sourceName: "odd\n%000aname\u0001.pdf",
        headings: [],
        pages: [],
      });
      await store().write(collection, [embedded(chunk)]);
      assert.deepEqual(await collect(store().list(collection, matchAllFilter)), [chunk]);
    });

    it("keeps text longer than one field, and overwrites by id", async () => {
      const { name: collection } = await fresh();
      const long = chunkOf(0, { text: "é漢 ".repeat(15_000) });
      await store().write(collection, [embedded(chunkOf(0)), embedded(long)]);
      assert.equal(await store().count(collection, matchAllFilter), 1);
      const [read] = await collect(store().list(collection, matchAllFilter));
      assert.equal(read?.text, long.text);
      await assert.rejects(
        store().write(collection, [embedded(chunkOf(1, { text: "x".repeat(140_000) }))]),
        isCode("SOURCE_TOO_LARGE"),
      );
    });

    it("ranks by cosine on the dense side and by terms on the lexical side", async () => {
      const { name: collection } = await fresh();
      const words = ["alpha", "bravo", "charlie", "delta"];
      await store().write(
        collection,
        words.map((word, index) => embedded(chunkOf(index, { text: `${word} ${word} common filler` }))),
      );
      const result = await store().search(collection, ask("Charlie", 2, { withVectors: true }), signal);
      assert.equal(result.dense.length, 3);
      assert.equal(result.dense[0]?.chunk.id, "v1-2");
      assert.ok(Math.abs((result.dense[0]?.score ?? 0) - 1) < 1e-5);
      assert.equal(result.lexical[0]?.chunk.id, "v1-2");
      assert.equal(result.lexical[0]?.via, "lexical");
      const scores = result.lexical.map(({ score }) => score);
      assert.deepEqual(
        [scores.toSorted((one, other) => other - one), scores.every((score) => score > 0)],
        [scores, true],
      );
      if (searchedBy === "sparse") assert.ok(Math.abs((result.lexical[0]?.score ?? 0) - 2) < 1e-5);
      assert.deepEqual(result.vectors.get("v1-2"), vectorOf(2));
      const denseOnly = await store().search(
        collection,
        { dense: vectorOf(1), limit: 1, filter: matchAllFilter },
        signal,
      );
      assert.deepEqual([ids(denseOnly.dense), denseOnly.lexical], [["v1-1"], []]);
    });

    it("finds by title and headings, which are indexed with the text", {
      skip: searchedBy === "sparse" ? "weights come from the embedder" : false,
    }, async () => {
      const { name: collection } = await fresh();
      await store().write(collection, [
        embedded(chunkOf(0, { title: "Warranty", text: "two years" })),
        embedded(chunkOf(1, { title: "Other" })),
      ]);
      assert.deepEqual(ids((await store().search(collection, ask("warranty", 0), signal)).lexical), ["v1-0"]);
    });

    it("holds filters on every route, a small department beside a large one included", async () => {
      const { name: collection } = await fresh();
      const big = Array.from({ length: 300 }, (_, index) =>
        embedded(chunkOf(index, { department: "big", text: "shared word" })),
      );
      const small = [300, 301].map((index) =>
        embedded(chunkOf(index, { department: "small", format: "csv", text: "shared word" })),
      );
      await store().write(collection, [...big, ...small]);
      const filter: Filter = {
        all: [{ field: "department", in: ["small"] }, { not: { field: "format", in: ["pdf"] } }],
      };
      const result = await store().search(collection, ask("shared", 5, { limit: 10, filter }), signal);
      assert.deepEqual(ids(result.dense).sort(), ["v1-300", "v1-301"]);
      assert.ok(result.lexical.every((hit) => hit.chunk.department === "small"));
      if (searchedBy === "bm25") assert.equal(result.lexical.length, 2);
      assert.equal(await store().count(collection, { not: filter }), 300);
      const nothing = await store().search(
        collection,
        ask("shared", 5, { filter: { field: "id", in: [] } }),
        signal,
      );
      assert.deepEqual([nothing.dense, nothing.lexical], [[], []]);
    });

    it("keeps to passages that stand on some of the pages", async () => {
      const { name: collection } = await fresh();
      const pages = [[1], [2, 3], [4], [], [12]];
      await store().write(
        collection,
        pages.map((own, index) => embedded(chunkOf(index, { pages: own, text: "shared word" }))),
      );
      const filter: Filter = { all: [{ pages: { from: 3, to: 4 } }, { field: "format", in: ["pdf"] }] };
      const { dense } = await store().search(collection, ask("shared", 5, { limit: 10, filter }), signal);
      assert.deepEqual(ids(dense).sort(), ["v1-1", "v1-2"]);
      await assert.rejects(store().count(collection, { not: filter }), isCode("USAGE_INVALID"));
    });

    it("keeps to passages that have a block of a kind, alone or among others", async () => {
      const { name: collection } = await fresh();
      const chunks: Partial<Chunk>[] = [
        { contentType: "table" },
        { contentType: "paragraph", kinds: ["paragraph", "table"] },
        { contentType: "paragraph", kinds: ["list", "code"] },
        { contentType: "paragraph" },
      ];
      await store().write(
        collection,
        chunks.map((own, index) => embedded(chunkOf(index, { ...own, text: "shared word" }))),
      );
      const found = async (kinds: readonly string[]) => {
        const filter: Filter = { all: [{ kinds }, { field: "format", in: ["pdf"] }] };
        const { dense } = await store().search(collection, ask("shared", 5, { limit: 10, filter }), signal);
        return ids(dense).sort();
      };
      assert.deepEqual(await found(["table"]), ["v1-0", "v1-1"]);
      assert.deepEqual(await found(["code", "table"]), ["v1-0", "v1-1", "v1-2"]);
      assert.deepEqual(await found(["caption"]), []);
      assert.deepEqual(await found([]), []);
      const { dense } = await store().search(collection, ask("shared", 5), signal);
      const mixed = dense.find(({ chunk }) => chunk.id === "v1-1");
      assert.deepEqual(mixed?.chunk.kinds, ["paragraph", "table"]);
    });

    it("keeps to passages whose headings or title contain a text", async () => {
      const { name: collection } = await fresh();
      const hostile = 'a"b\\c%d_e';
      const headings = [
        ["Safety rules", "Quay"],
        [],
        ["A", "B", `x ${hostile} y`],
        ["axb"],
        ["1", "2", "Quay 7"],
      ];
      await store().write(
        collection,
        headings.map((own, index) =>
          embedded(chunkOf(index, { headings: own, title: `Điện ${index}`, text: "shared word" })),
        ),
      );
      const innerHeadings = [{ start: 0, depth: 0, text: "Yard" }];
      const inner = { innerHeadings, text: "shared word", title: "" };
      await store().write(collection, [embedded(chunkOf(7, inner))]);
      const under = async (filter: Filter): Promise<readonly string[]> => {
        const { dense, lexical } = await store().search(
          collection,
          ask("shared", 5, { limit: 10, filter }),
          signal,
        );
        if (searchedBy === "bm25") assert.deepEqual(ids(lexical).sort(), ids(dense).sort());
        return ids(dense).sort();
      };
      assert.deepEqual(await under({ text: "headings", contains: ["Quay"] }), ["v1-0", "v1-4"]);
      assert.deepEqual(await under({ text: "headings", contains: ["quay", "Safety"] }), ["v1-0"]);
      assert.deepEqual(await under({ text: "headings", contains: [hostile] }), ["v1-2"]);
      assert.deepEqual(await under({ text: "headings", contains: ["a_b"] }), []);
      assert.deepEqual(await under({ text: "headings", contains: ["Yard"] }), ["v1-7"]);
      assert.deepEqual(await under({ text: "headings", contains: [] }), []);
      assert.deepEqual(await under({ text: "title", contains: ["Điện 1"] }), ["v1-1"]);
      assert.deepEqual(await under({ text: "method", contains: ["%"] }), []);
      const narrow: Filter = {
        all: [
          { text: "headings", contains: ["Quay"] },
          { field: "id", in: ["v1-4"] },
        ],
      };
      assert.deepEqual(await under(narrow), ["v1-4"]);
      await assert.rejects(store().count(collection, { not: narrow }), isCode("USAGE_INVALID"));
    });

    it("takes a list of ten thousand values and a filter of many parts", async () => {
      const { name: collection } = await fresh();
      await store().write(collection, [embedded(chunkOf(0)), embedded(chunkOf(1))]);
      const many = Array.from({ length: 10_000 }, (_, index) => `x${index}`);
      assert.equal(await store().count(collection, { field: "id", in: [...many, "v1-1"] }), 1);
      const parts = many.slice(0, 200).map(
        (value): Filter => ({
          any: [
            { field: "id", in: ["v1-0", value] },
            {
              all: [
                { field: "department", in: [value] },
                { field: "format", in: ["csv"] },
              ],
            },
          ],
        }),
      );
      assert.equal(await store().count(collection, { all: parts }), 1);
    });

    it("deletes what matches and refuses to delete everything by a filter", async () => {
      const { name: collection } = await fresh();
      await store().write(
        collection,
        [0, 1, 2].map((index) => embedded(chunkOf(index, { versionId: `v${index}` }))),
      );
      await store().delete(collection, {
        all: [{ field: "documentId", in: ["doc-1"] }, { not: { field: "versionId", in: ["v2"] } }],
      });
      assert.deepEqual(
        (await collect(store().list(collection, matchAllFilter))).map((chunk) => chunk.versionId),
        ["v2"],
      );
      await assert.rejects(store().delete(collection, { all: [] }), isCode("USAGE_INVALID"));
      await store().delete(collection, { any: [] });
      assert.equal(await store().count(collection, matchAllFilter), 1);
      await store().delete(collection, { field: "id", in: ["v1-2"] });
      assert.deepEqual((await store().search(collection, ask("text", 1), signal)).lexical, []);
    });

    it("lists every chunk of a collection larger than one page and one write", async () => {
      const { name: collection } = await fresh();
      const written = Array.from({ length: 2_500 }, (_, index) => embedded(chunkOf((index * 7919) % 2_500)));
      await store().write(collection, written);
      const found = new Set(
        (await collect(store().list(collection, matchAllFilter))).map((chunk) => chunk.id),
      );
      assert.equal(found.size, 2_500);
    });

    it("refuses vectors of another embedder, naming both and the way out", async () => {
      const spec = await fresh();
      await store().ensure(spec);
      await assert.rejects(store().ensure({ ...spec, fingerprint: "model-b/2" }), (error: unknown) => {
        assert.ok(isCode("FINGERPRINT_MISMATCH")(error) && error instanceof RagctlError);
        for (const part of [spec.name, "model-a/1", "model-b/2"])
          assert.match(error.message, new RegExp(part));
        assert.match(error.hint ?? "", /ragctl ingest --collection .*ragctl collections remove/);
        return true;
      });
      await assert.rejects(store().ensure({ ...spec, dimensions: 4 }), isCode("FINGERPRINT_MISMATCH"));
    });

    it("drops a collection, says NOT_FOUND for an unknown one, and can make it anew with other dimensions", async () => {
      const spec = await fresh();
      await store().write(spec.name, [embedded(chunkOf(0))]);
      await store().drop(spec.name);
      await store().drop(spec.name);
      await assert.rejects(store().count(spec.name, matchAllFilter), isCode("NOT_FOUND"));
      await store().ensure({ ...spec, dimensions: 4 });
      await store().write(spec.name, [
        {
          chunk: chunkOf(0),
          embedding: {
            dense: vectorOf(0, 4),
            sparse: { indices: new Uint32Array(), values: new Float32Array() },
          },
        },
      ]);
      assert.equal(await store().count(spec.name, matchAllFilter), 1);
    });

    it("stops waiting when the run is cancelled", async () => {
      const { name: collection } = await fresh();
      await assert.rejects(
        store().search(collection, ask("x", 1), AbortSignal.abort(new Error("cancelled"))),
        /cancelled/,
      );
    });

    it("closes", async () => {
      await opened?.[Symbol.asyncDispose]();
    });
  });
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hasMilvus,
  type MilvusKind,
  type MilvusServer,
  type MilvusServerOptions,
  startMilvus,
} from "../../scripts/servers/milvus.ts";
import { type LexicalIndexes, openLexicalIndexes } from "../../src/cache/lexical-index.ts";
import { lazy } from "../../src/core/lazy.ts";

/** Folder of programs that `node scripts/servers.ts fetch --folder F` leaves in `F/programs`. */
export const servers = process.env["RAGCTL_TEST_SERVERS"] ?? "";

/** Reason to skip what needs a real server of this kind, or false. */
export const skipMilvus = (kind: MilvusKind): string | false =>
  servers !== "" && hasMilvus(servers, kind)
    ? false
    : `no ${kind} Milvus: run node scripts/servers.ts fetch --folder F and set RAGCTL_TEST_SERVERS=F/programs`;

/** Real servers and the words beside them, in a folder that goes with `after`. */
export interface MilvusFixture {
  readonly folder: string;
  /** Where the server keeps its data. */
  readonly data: string;
  /** Starts the server on its data, or starts it again; healthy when it resolves. */
  start(options?: MilvusServerOptions): Promise<MilvusServer>;
  lexicalIndexes(): Promise<LexicalIndexes>;
  dispose(): Promise<void>;
}

/** A server of one kind for one test file. */
export function milvusFixture(kind: MilvusKind): MilvusFixture {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-test-"));
  const data = join(folder, kind);
  const running = new Set<MilvusServer>();
  const indexes = lazy(() => openLexicalIndexes(join(folder, "lexical.sqlite"), () => undefined));
  return {
    folder,
    data,
    async start(options = {}) {
      const server = await startMilvus(servers, kind, data, options);
      running.add(server);
      await server.healthy;
      return server;
    },
    lexicalIndexes: indexes,
    async dispose() {
      await Promise.all([...running].map((server) => server.stop()));
      (await indexes())[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

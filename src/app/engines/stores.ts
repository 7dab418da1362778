import { dirname } from "node:path";
import { isLocalStore } from "../../config/setting-kinds.ts";
import type { Settings } from "../../config/settings.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance, LexicalIndex, WriteTimes } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { MilvusStore, StoreOptions } from "../../drivers/stores/milvus.ts";
import type { Connection, MilvusTls } from "../../drivers/stores/milvus-connection.ts";
import type { Models } from "../../models/models.ts";
import { storeRuntime } from "../../models/profile.ts";
import { hostFiles } from "../../resident/address.ts";
import { acquireHost } from "../../resident/client.ts";
import type { LocalDatabase } from "../../resident/protocol.ts";
import { type Loader, uncachedLoader } from "./loader.ts";

/** What ragctl keeps in addition to a Milvus server. */
export interface BesideServer {
  /** Opened for a server that cannot search by words. */
  readonly lexicalIndex: () => Promise<LexicalIndex>;
  /** When the collections of the server at an address were last written to. */
  readonly writes: (uri: string) => WriteTimes;
}

const besideOptions = (beside: BesideServer | undefined, uri: string): Partial<StoreOptions> =>
  beside === undefined ? {} : { lexicalIndex: beside.lexicalIndex, writes: beside.writes(uri) };

/**
 * Opens one Milvus instance: the server of the settings, or the Milvus Lite of the home or of a file, which
 * the resident host process runs.
 * @throws RUNTIME_MISSING, HOST_UNAVAILABLE
 */
export async function openStore(
  instance: Instance,
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
  run: Pick<Run, "id" | "principal" | "log">,
  loader: Loader = uncachedLoader,
  beside?: BesideServer,
): Promise<MilvusStore> {
  const { createStore } = await import("../../drivers/stores/milvus.ts");
  const configured = instance === "public" ? settings.milvus.publicUri : settings.milvus.privateUri;
  if (!isLocalStore(configured)) {
    const uri = /^(https?:|unix:)/.test(configured) ? configured : `http://${configured}`;
    const { publicToken, privateToken, token: common } = settings.milvus;
    const token = (instance === "public" ? publicToken : privateToken) || common;
    const address = { id: instance, uri, ...(token === "" ? {} : { token }), ...tlsOf(settings) };
    const options = { ...optionsOf(settings), ...besideOptions(beside, uri) };
    return resources.use(createStore(instance, () => loader.connection(address), options));
  }
  const database = configured === "" ? instance : databaseOf(configured);
  const runtime = await (await models()).path(storeRuntime, "lib");
  const connecting = () => connectLocal({ instance, database, runtime }, settings, run, loader);
  return resources.use(
    createStore(instance, connecting, {
      indexKind: "flat",
      folder: configured === "" ? hostFiles(settings.home).stores : dirname(configured),
    }),
  );
}

/** The file of a Milvus Lite, whose path the settings made absolute. */
function databaseOf(path: string): LocalDatabase {
  if (path.startsWith("/")) return `/${path.slice(1)}`;
  throw new RagctlError("CONFIG_INVALID", `${path} cannot be used for Milvus Lite`, {
    hint: "use the full path of a file, or the address of a server",
  });
}

/**
 * A connection to a local store. Where the resident process runs its server, that process is kept until the
 * connection is closed.
 */
async function connectLocal(
  place: { readonly instance: Instance; readonly database: LocalDatabase; readonly runtime: string },
  { home, milvus: { idleMs } }: Settings,
  run: Pick<Run, "id" | "principal" | "log">,
  loader: Loader,
): Promise<Connection> {
  const { instance: id, database, runtime } = place;
  if (loader.localStore !== undefined)
    return loader.connection({ id, uri: await loader.localStore(database, runtime), isLite: true });
  await using opening = new AsyncDisposableStack();
  const { uris, isLost } = opening.use(
    await acquireHost(
      { home, runtime, instances: [database], idleMs },
      { ...run, signal: new AbortController().signal },
    ),
  );
  const connection = opening.use(await loader.connection({ id, uri: uris[database] ?? "", isLite: true }));
  const held = opening.move();
  return { ...connection, isLost, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

function optionsOf({ milvus }: Settings): StoreOptions {
  const { index: indexKind, partitionBy, ef, nprobe, consistency } = milvus;
  return {
    indexKind,
    metric: milvus.metric === "cosine" ? "COSINE" : "IP",
    partitionBy,
    ef,
    nprobe,
    consistency,
  };
}

function tlsOf({ milvus }: Settings): { readonly tls?: MilvusTls } {
  const tls: MilvusTls = {
    ...(milvus.authorityFile === "" ? {} : { authorityPath: milvus.authorityFile }),
    ...(milvus.certificateFile === "" ? {} : { certificatePath: milvus.certificateFile }),
    ...(milvus.keyFile === "" ? {} : { keyPath: milvus.keyFile }),
    ...(milvus.serverName === "" ? {} : { serverName: milvus.serverName }),
  };
  return Object.keys(tls).length === 0 ? {} : { tls };
}

import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "../../config/settings.ts";
import type { Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { MilvusTls } from "../../drivers/stores/milvus-connection.ts";
import { acquireHost } from "../../host/client.ts";
import type { Models } from "../../models/models.ts";
import { storeRuntime } from "../../models/profile.ts";

const hostEntry = fileURLToPath(
  new URL(`../../host/main${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
);

/**
 * Opens one Milvus instance: the server of the settings, or the local Milvus Lite that the resident host process owns.
 * @throws RUNTIME_MISSING, HOST_UNAVAILABLE
 */
export async function openStore(
  instance: Instance,
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
  run: Pick<Run, "id" | "principal" | "log">,
): Promise<VectorStore> {
  const { default: open } = await import("../../drivers/stores/milvus.ts");
  const configured = instance === "public" ? settings.milvus.publicUri : settings.milvus.privateUri;
  if (configured !== "") {
    const uri = /^(https?:|unix:)/.test(configured) ? configured : `http://${configured}`;
    const token = settings.milvus.token === "" ? {} : { token: settings.milvus.token };
    return resources.use(open({ id: instance, uri, indexKind: "hnsw", ...token, ...tlsOf(settings) }));
  }
  const runtime = await (await models()).path(storeRuntime, "lib");
  const { idleMs } = settings.milvus;
  const lease = await acquireHost(
    { home: settings.home, runtime, instances: [instance], idleMs, hostEntry },
    { ...run, signal: new AbortController().signal },
  );
  resources.use(lease);
  return resources.use(open({ id: instance, uri: lease.uris[instance] ?? "", indexKind: "flat" }));
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

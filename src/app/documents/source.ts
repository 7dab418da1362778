import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { SyncRequest } from "../../core/documents/sync.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { toNfc } from "../../core/text.ts";
import { documentFailure } from "../../pipeline/ingest/sources.ts";
import type { SyncPlan } from "../../pipeline/ingest/sync.ts";
import { createSourceRepository, type SourceFolder } from "../../registry/documents/folders.ts";
import { fetchedFolder, isAddress, parseSourceAddress } from "../fetch/address.ts";
import { type Fetched, fetchInto } from "../fetch/fetch.ts";
import type { Home } from "../home.ts";
import { createSourceFilter, placementOf, resolveFolder } from "./placement.ts";

/** A folder to sync, and the names of its files where they were fetched. */
export interface ResolvedSource extends Omit<SourceFolder, "syncedAt"> {
  readonly fetched?: Fetched;
}

/** Fetches the target of an address again. @throws PERMISSION_DENIED for anyone but the owner */
async function fetchSource(request: SyncRequest, home: Home, run: Run): Promise<ResolvedSource> {
  await home.access.owner(run, "fetch documents from a URL");
  if (request.dryRun === true)
    throw new RagctlError(
      "USAGE_INVALID",
      "--dry-run cannot be combined with a URL: its changes are unknown before it is fetched",
      {
        hint: "remove --dry-run",
      },
    );
  const address = parseSourceAddress(request.folder);
  if (address.kind === "repository" && address.url.protocol === "file:")
    await home.access.source(run, fileURLToPath(address.url));
  const place = fetchedFolder(home.settings.home, address);
  const known = await createSourceRepository(home.registry).list();
  const before = known.find((source) => source.address === address.address)?.depth;
  const depth = request.depth ?? before ?? 0;
  const mapped = await completed(request, await realpath(place).catch(() => place), home, run);
  await home.access.writable(run, { name: mapped.collection, instance: mapped.instance });
  const fetched = await fetchInto(address, depth, home, run);
  const folder = await resolveFolder(fetched.folder);
  return { ...mapped, folder, address: address.address, depth, fetched };
}

/**
 * The request completed by the folder's mapping, among those to collections the run's principal may read; the
 * content of an address is fetched.
 * @throws PERMISSION_DENIED for a folder it may not ingest, USAGE_INVALID when the folder has several and
 * none is named
 */
export async function resolveSource(request: SyncRequest, home: Home, run: Run): Promise<ResolvedSource> {
  if (isAddress(request.folder)) return fetchSource(request, home, run);
  await home.access.source(run, request.folder);
  return completed(request, await resolveFolder(request.folder), home, run);
}

async function completed(
  request: SyncRequest,
  folder: string,
  home: Home,
  run: Run,
): Promise<Omit<SourceFolder, "syncedAt">> {
  const visible = await createSourceFilter(home, run);
  const mapped = (await createSourceRepository(home.registry).of(folder)).filter(visible);
  if (request.collection === undefined && mapped.length > 1) {
    throw new RagctlError(
      "USAGE_INVALID",
      `${mapped[0]?.address || folder} is synced with ${mapped.map((each) => each.collection).join(" and ")}`,
      {
        hint: "choose one with --collection",
      },
    );
  }
  const mapping =
    mapped.find((each) => each.collection === request.collection) ??
    (request.collection === undefined ? mapped[0] : undefined);
  // A folder of the owner is shared by a rule or a name, not by default.
  const usual = (await home.access.principal(run)).kind === "owner" ? "private" : "public";
  const placement = await placementOf(request.collection ?? mapping?.collection, home, usual);
  const { collection } = placement;
  return {
    folder,
    address: mapping?.address ?? "",
    depth: mapping?.depth ?? 0,
    collection,
    instance: request.instance ?? mapping?.instance ?? placement.instance,
    department: request.department ?? mapping?.department ?? placement.department,
    include: request.include ?? mapping?.include ?? [],
    exclude: request.exclude ?? mapping?.exclude ?? [],
  };
}

/** The plan with fetched files under their original names, and with the failed fetches. */
export function withFetchedNames(plan: SyncPlan, { names, failures }: Fetched, folder: string): SyncPlan {
  const named = <File extends { readonly path?: string; readonly name: string }>(file: File): File => {
    const below = file.path?.slice(folder.length + 1) ?? "";
    return { ...file, name: toNfc(names.get(below.split(sep).join("/")) ?? file.name) };
  };
  return {
    ...plan,
    changed: plan.changed.map(named),
    confirmed: plan.confirmed.map(named),
    moved: plan.moved.map(({ document, file }) => ({ document, file: named(file) })),
    failures: [
      ...plan.failures.map(named),
      ...failures.map(({ name, error }) => documentFailure(name, error)),
    ],
    failedBefore: plan.failedBefore.map(named),
  };
}

import type { IngestRequest } from "../../core/app.ts";
import type { SourceFile } from "../../core/documents/document.ts";
import type { Absence, BegunVersion, Readiness, VersionFacts } from "../../core/documents/readiness.ts";
import { documentNotFound } from "../../core/documents/reference.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Database } from "../database.ts";
import { type Contents, createContentRepository, type WrittenStore } from "./contents.ts";
import {
  bumpRevision,
  type DocumentRecord,
  type DocumentRow,
  documentIdOf,
  factsOf,
  nextVersion,
  publish,
  restoredVersion,
  selectDocuments,
  setManualMetadata,
  shortHash,
  toSummary,
  type VersionRow,
} from "./document-rows.ts";
import { createOwnerId, isAnyOwnerAlive, isOwnerAlive, otherLiveOwners, ownerSql } from "./owners.ts";
import { type KeptTables, keepTables, openKeptTables } from "./tables.ts";
import { createVisibleDocumentCache, type VisibleDocuments } from "./visible-documents.ts";

export type { DocumentRecord } from "./document-rows.ts";

/** The registry's documents; it alone decides which version a search may see. */
export interface Documents extends Contents, VisibleDocuments, KeptTables {
  /**
   * Registers a version before anything of it is stored. After a crash the same call gives the same ids. A
   * version that was restored by hand stays until the file is another one, or goes into another department.
   * Metadata that the request gives is the document's from now on; what it does not name stays.
   * @throws SOURCE_CHANGED while another process removes just this version
   */
  begin(
    file: SourceFile,
    request: Pick<IngestRequest, "collection" | "instance" | "department" | "metadata">,
    fingerprint: string,
  ): Promise<BegunVersion>;
  /**
   * Makes the version visible and hides the older ones, in one transaction.
   * @throws REGISTRY_BUSY when the collection is no longer kept where its chunks were `written`
   */
  ready(versionId: string, facts: VersionFacts, written?: WrittenStore): Promise<Readiness>;
  /**
   * Makes a shared version visible; the facts of its content, undefined while no version has that complete.
   */
  share(versionId: string): Promise<VersionFacts | Absence | undefined>;
  /** Drops an unfinished version of this owner; its chunks become stale. */
  failed(versionId: string, reason?: string): Promise<void>;
  /**
   * Drops every unfinished version of this owner, including those of its runs, as the end of a process does:
   * others sweep them or begin them again.
   */
  release(): Promise<void>;
  /**
   * The documents for one run, whose unfinished versions and sweeps are its own among those of this opener.
   */
  forRun(): RunDocuments;
  /** Hides a document at once; its versions become stale. False for an unknown id. */
  forget(documentId: string): Promise<boolean>;
  /**
   * Gives a document another place; its id, versions and chunks stay. False when another document has that
   * place.
   */
  move(documentId: string, path: string, name: string): Promise<boolean>;
  find(collection: string, path: string): Promise<DocumentRecord | undefined>;
  /** A visible document by id. @throws NOT_FOUND */
  get(documentId: string): Promise<DocumentRecord>;
}

/** The documents for one run; disposing of it drops the versions it began or claimed and did not finish. */
export interface RunDocuments extends Omit<Documents, "release" | "forRun">, AsyncDisposable {}

export interface DocumentsOptions {
  /** Identifies the owner of unfinished versions. Default: a new one for this process. */
  readonly owner?: string;
  /**
   * Whether an owner may still finish what it began. Default: its process runs; one on another machine counts
   * as running.
   */
  readonly isAlive?: (owner: string) => boolean;
  /**
   * Replaced versions of a document whose chunks stay in the store, hidden, so that they can be restored at
   * once. Default 0.
   */
  readonly keepVersions?: number;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

type Place = Pick<IngestRequest, "collection" | "instance" | "department" | "metadata">;

/** Context of the functions below. */
interface Context {
  readonly database: Database;
  readonly contents: Contents;
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly now: () => Date;
}

/** Access to the documents of a registry. */
export function createDocumentRepository(database: Database, options: DocumentsOptions = {}): Documents {
  const { owner = createOwnerId(), keepVersions = 0, now = () => new Date() } = options;
  const running = new Set<string>();
  // Runs that ended without recording it in the registry, e.g. on a full disk: this opener ignores them.
  const unsaid = new Set<string>();
  const isAlive = isAnyOwnerAlive((each) => !unsaid.has(each) && (options.isAlive ?? isOwnerAlive)(each));
  const shared = { ...createVisibleDocumentCache(database), ...openKeptTables(database) };
  const ownedBy = (its: string): Omit<RunDocuments, typeof Symbol.asyncDispose> => {
    const contents = createContentRepository(database, { owner: its, isAlive, keepVersions });
    return { ...contents, ...shared, ...openRows({ database, contents, owner: its, isAlive, now }) };
  };
  return {
    ...ownedBy(owner),
    async release() {
      for (const each of [owner, ...running]) await release(database, each);
    },
    forRun() {
      const its = createOwnerId();
      running.add(its);
      const end = async (): Promise<void> => {
        running.delete(its);
        try {
          await release(database, its);
        } catch {
          unsaid.add(its);
        }
      };
      return { ...ownedBy(its), [Symbol.asyncDispose]: end };
    },
  };
}

/** The rows of documents and versions, as one owner changes them. */
function openRows(
  context: Context,
): Pick<Documents, "begin" | "ready" | "share" | "failed" | "forget" | "move" | "find" | "get"> {
  const { database } = context;
  return {
    begin: (file, place, fingerprint) => database.write(() => begin(context, file, place, fingerprint)),
    ready: (versionId, facts, written) => database.write(() => ready(context, versionId, facts, written)),
    share: (versionId) => database.write(() => share(context, versionId)),
    failed: (versionId, reason = "failed") => database.write(() => giveUp(context, versionId, reason)),
    forget: (documentId) => database.write(() => forget(database, documentId)),
    move: (documentId, path, name) => database.write(() => move(database, documentId, path, name)),
    async find(collection, path) {
      const row = await database
        .statement<DocumentRow>(selectDocuments("d.collection = ? AND d.path = ?"))
        .get(collection, path);
      return row === undefined ? undefined : toSummary(row);
    },
    async get(documentId) {
      const row = await database.statement<DocumentRow>(selectDocuments("d.id = ?")).get(documentId);
      if (row === undefined) throw documentNotFound(documentId, []);
      return toSummary(row);
    },
  };
}

/** Takes an owner out of what it has not finished. */
async function release(database: Database, owner: string): Promise<void> {
  // Visible versions have no owner; hidden versions are few and have a separate index.
  const its = `state <> 'ready' AND ${ownerSql}`;
  const unfinished = database.statement(`SELECT 1 FROM document_versions WHERE ${its} LIMIT 1`);
  if ((await unfinished.get(owner)) === undefined) return;
  const take = database.statement(
    `UPDATE document_versions SET owner = trim(replace(owner, ?, '')) WHERE ${its}`,
  );
  await database.write(() => take.run(owner, owner));
}

async function begin(
  context: Context,
  file: SourceFile,
  place: Place,
  fingerprint: string,
): Promise<BegunVersion> {
  const { database, now } = context;
  const { collection, department } = place;
  const documentId = await documentAt(database, file, place, now().toISOString());
  if (place.metadata !== undefined) await setManualMetadata(database, documentId, place.metadata);
  const visible = await sameVisible(database, documentId, file, fingerprint, department);
  const ids = { documentId, collection, department };
  if (visible?.omitted === "") return unchanged(ids, visible, false);
  const restored = await restoredVersion(database, documentId, { collection, path: file.path });
  if (restored !== undefined && restored.file_sha256 === file.sha256 && restored.department === department)
    return unchanged(ids, restored, true);
  // A version cut short by limits is retried next to the visible one, which remains until the new one is
  // complete.
  const beside = visible === undefined ? [] : [visible.version_id];
  const versionId = shortHash(20, documentId, file.sha256, fingerprint, department, ...beside);
  const begun = await beginVersion(context, file, fingerprint, { ...ids, versionId });
  return visible === undefined ? begun : { ...begun, again: visible.omitted, visibleTokens: visible.tokens };
}

function unchanged(
  ids: Pick<BegunVersion, "documentId" | "collection" | "department">,
  row: Pick<VersionRow, "version_id" | "content_id" | "version">,
  restored: boolean,
): BegunVersion {
  return {
    ...ids,
    versionId: row.version_id,
    contentId: row.content_id,
    version: row.version,
    state: "unchanged",
    shared: false,
    restored,
  };
}

/** Writes a version that is new, or was unfinished, replaced or dropped before. */
async function beginVersion(
  { database, contents, owner, isAlive, now }: Context,
  file: SourceFile,
  fingerprint: string,
  ids: Pick<BegunVersion, "documentId" | "collection" | "department" | "versionId">,
): Promise<BegunVersion> {
  const { documentId, collection, department, versionId } = ids;
  const earlier = await versionRow(database, versionId);
  if (earlier?.state === "deleting" && isAlive(earlier.owner)) throw beingRemoved(file.name);
  // An unfinished version keeps its number; a replaced one returns as the newest.
  const version = earlier?.state === "pending" ? earlier.version : await nextVersion(database, documentId);
  // A version that has a content keeps it: chunks under the old id would have no owner left.
  const same =
    earlier?.content_id ??
    (await contents.sameContent(file, { collection, department, fingerprint, versionId }));
  const contentId = same ?? versionId;
  const shared =
    same !== undefined &&
    (earlier?.state === "superseded" || (await contents.heldByAnother(contentId, versionId)));
  await database
    .statement(
      `INSERT INTO document_versions (version_id, document_id, version, sha256, fingerprint, department, name, format, size_bytes, content_id, state, owner, ingested_at)
       VALUES (:versionId, :documentId, :version, :sha256, :fingerprint, :department, :name, :format, :sizeBytes, :contentId, :state, :owner, :time)
       ON CONFLICT (version_id) DO UPDATE SET version = excluded.version, name = excluded.name, format = excluded.format, size_bytes = excluded.size_bytes,
         content_id = excluded.content_id, state = excluded.state, is_latest = 0, reason = '', owner = excluded.owner, ingested_at = excluded.ingested_at`,
    )
    .run({
      ...file,
      ...ids,
      version,
      fingerprint,
      contentId,
      // A replaced version keeps its state: its chunks are whole, and `share` finds them.
      state: earlier?.state === "superseded" ? "superseded" : "pending",
      owner: [
        ...(earlier?.state === "pending" ? otherLiveOwners(earlier.owner, owner, isAlive) : []),
        owner,
      ].join(" "),
      time: now().toISOString(),
    });
  const visible = database.statement(
    "SELECT 1 FROM document_versions WHERE document_id = ? AND is_latest = 1",
  );
  const state = (await visible.get(documentId)) === undefined ? "added" : "updated";
  return { ...ids, contentId, version, state, shared, restored: false };
}

/** Ends this owner's work on a version; drops the version where no other owner works on it. */
async function giveUp(
  { database, owner, isAlive }: Context,
  versionId: string,
  reason: string,
): Promise<void> {
  const row = await versionRow(database, versionId);
  if (row?.state !== "pending" || !row.owner.split(" ").includes(owner)) return;
  const others = otherLiveOwners(row.owner, owner, isAlive);
  const update = database.statement(
    "UPDATE document_versions SET state = ?, owner = ?, reason = ? WHERE version_id = ?",
  );
  if (others.length > 0) await update.run("pending", others.join(" "), "", versionId);
  else await update.run("deleting", "", reason, versionId);
}

async function ready(
  { database, contents, now }: Context,
  versionId: string,
  facts: VersionFacts,
  written: WrittenStore | undefined,
): Promise<Readiness> {
  const row = await versionRow(database, versionId);
  if (row === undefined || row.state === "deleting") return absence(row);
  if (facts.tables !== undefined) await keepTables(database, row.content_id, facts.tables);
  if (row.state !== "pending") return row.state === "ready" ? "visible" : "outdated";
  if (written !== undefined) await contents.checkStore(row.document_id, written);
  return (await publish(database, row, facts, "ingest", now())) ? "visible" : "outdated";
}

async function share(
  { database, now }: Context,
  versionId: string,
): Promise<VersionFacts | Absence | undefined> {
  const row = await versionRow(database, versionId);
  if (row === undefined || row.state === "deleting") return absence(row);
  if (row.state === "ready") return factsOf(row);
  const whole = await database
    .statement<VersionRow>(
      "SELECT * FROM document_versions WHERE content_id = ? AND state IN ('ready', 'superseded') LIMIT 1",
    )
    .get(row.content_id);
  if (whole === undefined) return undefined;
  const facts = factsOf(whole);
  await publish(database, row, facts, "ingest", now());
  return facts;
}

const absence = (row: VersionRow | undefined): Absence =>
  row?.reason === "forgotten" ? "forgotten" : "gone";

async function forget(database: Database, documentId: string): Promise<boolean> {
  // A claim of another process stays: it is removing those chunks already.
  const { changes } = await database
    .statement(
      "UPDATE document_versions SET state = 'deleting', is_latest = 0, owner = '', reason = 'forgotten' WHERE document_id = ? AND state <> 'deleting'",
    )
    .run(documentId);
  await bumpRevision(database, documentId);
  return changes > 0;
}

async function move(database: Database, documentId: string, path: string, name: string): Promise<boolean> {
  const { changes } = await database
    .statement(
      "UPDATE documents SET path = :path WHERE id = :id AND NOT EXISTS (SELECT 1 FROM documents o WHERE o.collection = documents.collection AND o.path = :path AND o.id <> :id)",
    )
    .run({ path, id: documentId });
  if (changes !== 1) return false;
  await bumpRevision(database, documentId);
  await database
    .statement("UPDATE document_versions SET name = ? WHERE document_id = ? AND is_latest = 1")
    .run(name, documentId);
  return true;
}

async function versionRow(database: Database, versionId: string): Promise<VersionRow | undefined> {
  return database
    .statement<VersionRow>("SELECT * FROM document_versions WHERE version_id = ?")
    .get(versionId);
}

/** The visible version of a document, where it was made of the same bytes in the same way. */
async function sameVisible(
  database: Database,
  documentId: string,
  { sha256 }: SourceFile,
  fingerprint: string,
  department: string,
): Promise<VersionRow | undefined> {
  return database
    .statement<VersionRow>(
      "SELECT * FROM document_versions WHERE document_id = ? AND is_latest = 1 AND state = 'ready' AND sha256 = ? AND fingerprint = ? AND department = ?",
    )
    .get(documentId, sha256, fingerprint, department);
}

/**
 * The document at a path, added if new. A new one gets a fresh id where a moved document still has the id
 * derived from this path.
 */
async function documentAt(
  database: Database,
  { path }: SourceFile,
  { collection, instance }: Place,
  time: string,
): Promise<string> {
  const row = await database
    .statement<{ id: string }>("SELECT id FROM documents WHERE collection = ? AND path = ?")
    .get(collection, path);
  if (row !== undefined) return row.id;
  const insert = database.statement(
    "INSERT INTO documents (id, collection, instance, path, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  for (let turn = 0; ; turn++) {
    const id = turn === 0 ? documentIdOf(collection, path) : shortHash(16, collection, path, String(turn));
    if ((await insert.run(id, collection, instance, path, time)).changes === 1) return id;
  }
}

function beingRemoved(name: string): RagctlError {
  return new RagctlError("SOURCE_CHANGED", `an earlier ${name} with the same content is just being removed`, {
    hint: "run the command again in a moment",
  });
}

import { sep } from "node:path";
import type { FileStamp, SourceFile } from "../../core/documents/document.ts";
import { isLimit } from "../../core/errors.ts";
import { type Failure, isFailure } from "../../core/flow.ts";
import type { Run } from "../../core/run.ts";
import { type Candidate, readSources } from "./read.ts";
import { isFolderFault } from "./sources.ts";

/** A visible document whose file is, or was, below the folder. */
export interface KnownDocument {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly sha256: string;
  /** Its embedding, chunking and department. */
  readonly fingerprint: string;
  /** What time or memory limits kept out; "" for nothing. */
  readonly omitted?: string;
}

/** The state of a file when its content was last examined. */
export interface SeenBefore extends FileStamp {
  readonly sha256: string;
  readonly fingerprint: string;
  readonly outcome: "ready" | "failed" | "skipped";
  readonly code: string;
  readonly reason: string;
  readonly seenAtMs: number;
}

export interface SyncFacts {
  readonly known: readonly KnownDocument[];
  readonly seen: ReadonlyMap<string, SeenBefore>;
  /** A document with another fingerprint counts as changed. */
  readonly fingerprint: string;
  /** Hashes files even if size and time are unchanged. */
  readonly verify: boolean;
  /** Retries what time or memory limits kept out. */
  readonly again: boolean;
  readonly deleteExcluded: boolean;
  /** Whether no file is at a path any more. */
  readonly gone: (path: string) => Promise<boolean>;
}

export interface SyncPlan {
  /** To ingest: new files and edited ones. */
  readonly changed: readonly SourceFile[];
  readonly moved: readonly { readonly document: KnownDocument; readonly file: SourceFile }[];
  readonly deleted: readonly KnownDocument[];
  /** Could not be read. */
  readonly failures: readonly Failure[];
  /** Failed before, and unchanged. */
  readonly failedBefore: readonly (Pick<SeenBefore, "outcome" | "code" | "reason"> & {
    readonly path: string;
    readonly name: string;
  })[];
  readonly unchanged: number;
  /** Unchanged files whose content had to be read to know that. */
  readonly confirmed: readonly SourceFile[];
  readonly hashed: number;
}

/**
 * A file modified this recently before it was examined may have been modified again within the same clock
 * tick. In ms; FAT counts in 2 s.
 */
const clockTickMs = 2000;

function untouched({ stamp }: Candidate, seen: SeenBefore): boolean {
  return (
    stamp.sizeBytes === seen.sizeBytes &&
    stamp.mtimeMs === seen.mtimeMs &&
    stamp.inode === seen.inode &&
    seen.seenAtMs - stamp.mtimeMs > clockTickMs
  );
}

/**
 * Plans how to bring the documents in line with the folder:
 * 1. files with the same size, time and inode are unchanged; the others are hashed;
 * 2. a known path is unchanged or edited, by its hash;
 * 3. a document whose path is gone was moved if a new path has its content, preferably under the same name;
 *    otherwise it was deleted;
 * 4. a document whose file exists but is excluded stays, unless requested otherwise;
 * 5. a document that limits kept out, in part or entirely, counts as edited if it is to be retried.
 */
export async function planSync(
  found: readonly (Candidate | Failure)[],
  facts: SyncFacts,
  run: Run,
): Promise<SyncPlan> {
  const known = new Map(facts.known.map((document) => [document.path, document]));
  const unread = found.filter((item): item is Failure => isFailure(item));
  const files = found.filter((item): item is Candidate => !isFailure(item));
  const { failed, toHash, unchanged } = compareStamps(files, known, facts);
  const compared = await compareHashes(toHash, known, facts, run);
  const { unreadable, confirmed, edited, fresh, hashed } = compared;
  const failedBefore = [...failed, ...compared.failed];
  const failures = [...unread, ...unreadable];
  const there = new Set([...found, ...failures].map((item) => item.path));
  const { missing, deleted } = await absentDocuments(
    there,
    underneath(unread.filter(isFolderFault)),
    facts,
    run,
  );
  const { moved, files: added, documents: gone } = matchMoves(fresh, missing);
  const outdated = moved
    .filter(({ document }) => document.fingerprint !== facts.fingerprint)
    .map(({ file }) => file);
  const changed = [...edited, ...added, ...outdated].sort((one, two) => (one.path < two.path ? -1 : 1));
  const counted = { unchanged: unchanged + confirmed.length, confirmed, hashed };
  return { changed, moved, deleted: [...deleted, ...gone], failures, failedBefore, ...counted };
}

type FailedBefore = SyncPlan["failedBefore"][number];
type Known = ReadonlyMap<string, KnownDocument>;

/** Whether part of exactly this content was left out and is to be retried. */
function isOmitted(document: KnownDocument, sha256: string, { again }: SyncFacts): boolean {
  return again && document.sha256 === sha256 && (document.omitted ?? "") !== "";
}

/** What kept exactly this content out before, unless it is to be retried. */
function failedAs(
  { path, name, sha256 }: Pick<SourceFile, "path" | "name" | "sha256">,
  { seen, fingerprint, verify, again }: SyncFacts,
): FailedBefore | undefined {
  const before = verify ? undefined : seen.get(path);
  if (before === undefined || before.outcome === "ready") return undefined;
  if (before.fingerprint !== fingerprint || before.sha256 !== sha256) return undefined;
  return again && isLimit(before.code) ? undefined : { ...before, path, name };
}

/** The last known state of the file, if it still applies. */
function stillSeen(file: Candidate, { seen, fingerprint, verify }: SyncFacts): SeenBefore | undefined {
  const before = verify ? undefined : seen.get(file.path);
  return before?.fingerprint === fingerprint && untouched(file, before) ? before : undefined;
}

/**
 * Finds the files untouched since the last run, by size, time and inode; the content of the others must be
 * examined.
 */
function compareStamps(files: readonly Candidate[], known: Known, facts: SyncFacts) {
  const failed: FailedBefore[] = [];
  const toHash: Candidate[] = [];
  let unchanged = 0;
  for (const file of files) {
    const seen = stillSeen(file, facts);
    const document = known.get(file.path);
    const before = seen && failedAs({ ...file, sha256: seen.sha256 }, facts);
    if (seen === undefined) toHash.push(file);
    else if (before !== undefined) failed.push(before);
    else if (document?.fingerprint === facts.fingerprint && !isOmitted(document, seen.sha256, facts))
      unchanged++;
    else toHash.push(file);
  }
  return { failed, toHash, unchanged };
}

/** Sorts files by their content: unchanged, edited, or at a new path. */
async function compareHashes(files: readonly Candidate[], known: Known, facts: SyncFacts, run: Run) {
  const unreadable: Failure[] = [];
  const failed: FailedBefore[] = [];
  const confirmed: SourceFile[] = [];
  const edited: SourceFile[] = [];
  const fresh: SourceFile[] = [];
  for await (const file of readSources(files, run)) {
    if (isFailure(file)) {
      unreadable.push(file);
      continue;
    }
    const before = failedAs(file, facts);
    const document = known.get(file.path);
    if (before !== undefined) failed.push(before);
    else if (document === undefined) fresh.push(file);
    else if (isCurrent(file, document, facts)) confirmed.push(file);
    else edited.push(file);
  }
  const hashed = failed.length + confirmed.length + edited.length + fresh.length;
  return { unreadable, failed, confirmed, edited, fresh, hashed };
}

/** Whether ingesting the file now would give the same document. */
function isCurrent(file: SourceFile, document: KnownDocument, facts: SyncFacts): boolean {
  return (
    document.fingerprint === facts.fingerprint &&
    sameContent(file, document, facts) &&
    !isOmitted(document, file.sha256, facts)
  );
}

/** Returns a test for paths below one that could not be read, whose content is unknown. */
function underneath(unread: readonly Failure[]): (path: string) => boolean {
  const folders = new Set(unread.map(({ path }) => path));
  return (path) => {
    for (let end = path.lastIndexOf(sep); end > 0; end = path.lastIndexOf(sep, end - 1))
      if (folders.has(path.slice(0, end))) return true;
    return false;
  };
}

/**
 * Documents whose file was not found: missing if there is none any more, deleted if it is excluded and that
 * counts.
 */
async function absentDocuments(
  there: ReadonlySet<string | undefined>,
  isUnknown: (path: string) => boolean,
  facts: SyncFacts,
  run: Run,
) {
  const missing: KnownDocument[] = [];
  const deleted: KnownDocument[] = [];
  for (const document of facts.known) {
    run.signal.throwIfAborted();
    if (there.has(document.path) || isUnknown(document.path)) continue;
    if (await facts.gone(document.path)) missing.push(document);
    else if (facts.deleteExcluded) deleted.push(document);
  }
  return { missing, deleted };
}

/**
 * The file has the visible content, or the content it had when last ingested: then an earlier version was
 * restored, and stays.
 */
function sameContent(file: SourceFile, document: KnownDocument, { seen, verify }: SyncFacts): boolean {
  if (document.sha256 === file.sha256) return true;
  const before = verify ? undefined : seen.get(file.path);
  return before?.outcome === "ready" && before.sha256 === file.sha256;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

type Move = SyncPlan["moved"][number];
type Content = Pick<SourceFile, "path" | "sha256">;

function matchMoves(fresh: readonly SourceFile[], missing: readonly KnownDocument[]) {
  const nameAndContent = ({ path, sha256 }: Content) => `${sha256} ${baseName(path)}`;
  // Files that kept their name are matched first, so that copies of one content do not swap identities.
  const named = matchBy(nameAndContent, fresh, missing);
  const others = matchBy(({ sha256 }) => sha256, named.files, named.documents);
  return { moved: [...named.moved, ...others.moved], files: others.files, documents: others.documents };
}

/**
 * Matches each file with the first remaining document of the same key; returns what is left of both as well.
 */
function matchBy(
  keyOf: (content: Content) => string,
  files: readonly SourceFile[],
  documents: readonly KnownDocument[],
) {
  const waiting = Map.groupBy(files, keyOf);
  const moved: Move[] = [];
  const left = documents.filter((document) => {
    const file = waiting.get(keyOf(document))?.shift();
    if (file !== undefined) moved.push({ document, file });
    return file === undefined;
  });
  return { moved, files: [...waiting.values()].flat(), documents: left };
}

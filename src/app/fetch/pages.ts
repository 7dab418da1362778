import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { formatOfExtension } from "../../core/documents/formats.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { listed, plural } from "../../core/plural.ts";
import type { Run } from "../../core/run.ts";
import { guardedDownload, guardedFetch, type HttpBody, type HttpRules } from "../../tools/network/http.ts";
import { charsetOf, type FetchedPageFacts, readPage, withoutFragment } from "./html.ts";
import { parseRobotsTxt, type RobotRules } from "./robots.ts";
import { type FetchLimits, fetchError, maxListedNames, type Staged } from "./staged.ts";

/** Longest wait for one answer, ms. */
const answerMs = 60_000;
/** Longest `robots.txt` that is read, bytes; the standard asks for as much (RFC 9309). */
const robotsBytes = 512_000;

const isPage = (contentType: string): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType);

const formatOf = (url: URL) => formatOfExtension(extname(url.pathname).toLowerCase());

/** Extensions by content type, for addresses that have none of a readable format. */
const extensions: Readonly<Record<string, string>> = {
  "application/pdf": ".pdf",
  "text/markdown": ".md",
  "text/x-markdown": ".md",
  "text/csv": ".csv",
  "text/plain": ".txt",
};

const typedExtension = (contentType: string): string | undefined =>
  extensions[contentType.split(";")[0]?.trim().toLowerCase() ?? ""];

/** Extension of the file for a response: its content type takes precedence over its name. */
function extensionOf(url: URL, contentType: string): string {
  if (isPage(contentType)) return ".html";
  if (formatOf(url) !== undefined) return extname(url.pathname).toLowerCase();
  // What no name says, the content does.
  return typedExtension(contentType) ?? (/^text\//i.test(contentType) ? ".txt" : "");
}

/** The file for an answer: in UTF-8 where its header names another character set, which no file could say. */
function fileOf({ bytes, contentType }: HttpBody): Uint8Array | string {
  const charset = charsetOf(contentType);
  const isText = isPage(contentType) || /^text\//i.test(contentType);
  if (!isText || charset === undefined || charset === "utf-8") return bytes;
  return `\ufeff${new TextDecoder(charset).decode(bytes)}`;
}

const tooLate = (url: URL, { timeoutMs }: FetchLimits, cause: unknown): RagctlError =>
  new RagctlError("DOWNLOAD_FAILED", `${url.href} was not fetched within ${timeoutMs} ms`, {
    hint: "try again later, or raise fetch.timeoutMs; documents fetched earlier are kept",
    cause,
  });

/** The remaining limits. */
interface Crawl {
  readonly run: Run;
  readonly limits: FetchLimits;
  readonly host: string;
  /** Ends with the time of the fetch. */
  readonly signal: AbortSignal;
  /** Addresses that are neither pages nor of a readable format. */
  readonly others: Set<string>;
  bytes: number;
}

function rulesOf({ limits, host, bytes, others }: Crawl, isStart: boolean, url: URL): HttpRules {
  return {
    hosts: [host],
    allowPrivate: limits.allowPrivate,
    timeoutMs: Math.min(answerMs, limits.timeoutMs),
    maxBytes: Math.min(limits.maxFileBytes, limits.maxBytes - bytes),
    // A link may lead to anything; a typed address is read by its name or content type.
    accepts(contentType) {
      const isAccepted =
        isStart ||
        isPage(contentType) ||
        formatOf(url) !== undefined ||
        typedExtension(contentType) !== undefined;
      if (!isAccepted) others.add(url.href);
      return isAccepted;
    },
    ...(limits.lookup === undefined ? {} : { lookup: limits.lookup }),
  };
}

/** @throws DOWNLOAD_FAILED, SOURCE_OUTSIDE, SOURCE_MISSING for a page that is not there */
async function download(url: URL, isStart: boolean, crawl: Crawl): Promise<HttpBody> {
  const request = { url: url.href, method: "GET", headers: { accept: "text/html, */*;q=0.8" } } as const;
  const reply = await guardedDownload(request, rulesOf(crawl, isStart, url), crawl.signal).catch(
    (thrown: unknown) => {
      crawl.run.signal.throwIfAborted();
      if (crawl.signal.aborted) throw tooLate(url, crawl.limits, thrown);
      throw fetchError(thrown, url);
    },
  );
  if (reply.status < 400) return reply;
  const isGone = reply.status === 404 || reply.status === 410;
  throw new RagctlError(
    isGone ? "SOURCE_MISSING" : "DOWNLOAD_FAILED",
    `${url.href} answered with status ${reply.status}`,
    {
      hint: "check the URL; documents fetched earlier are kept",
    },
  );
}

async function robotsOf(start: URL, crawl: Crawl): Promise<RobotRules> {
  const address = new URL("/robots.txt", start);
  const request = { url: address.href, method: "GET", headers: { accept: "text/plain" } } as const;
  const rules = { ...rulesOf(crawl, true, address), maxBytes: robotsBytes };
  const answer = await guardedFetch(request, rules, crawl.signal).catch((thrown: unknown) => {
    crawl.run.signal.throwIfAborted();
    return asRagctlError(thrown);
  });
  if (answer instanceof RagctlError || answer.status >= 500)
    crawl.run.log.warn(`${address.href} cannot be read: links are not followed`);
  return parseRobotsTxt(address, answer);
}

/**
 * Knows the pages that were kept. A page is the copy of another that has the same words, or names the same
 * address as its own and shares most of its words with it.
 */
function openCopies() {
  const texts = new Set<string>();
  const wordsByName = new Map<string, ReadonlySet<string>>();
  return {
    /** The address to call the page by; undefined for a copy. */
    nameOf(place: URL, { canonical = place, words }: FetchedPageFacts): URL | undefined {
      const text = createHash("sha256").update(words).digest("hex");
      if (texts.has(text)) return undefined;
      texts.add(text);
      const all = new Set(words.split(" "));
      const other = wordsByName.get(canonical.href);
      if (other === undefined) {
        wordsByName.set(canonical.href, all);
        return canonical;
      }
      const shared = [...all].filter((word) => other.has(word)).length;
      if (shared * 2 >= Math.max(all.size, other.size)) return undefined;
      wordsByName.set(place.href, all);
      return place;
    },
  };
}

/**
 * Fetches a page or file and, one after the other, the pages of the same host that are up to `depth` links
 * away, within its `robots.txt`. @throws as `download`, for the typed page
 */
export async function fetchPages(
  start: URL,
  depth: number,
  limits: FetchLimits,
  folder: string,
  run: Run,
): Promise<Staged> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(limits.timeoutMs)]);
  const crawl: Crawl = { run, limits, host: start.host, signal, others: new Set(), bytes: 0 };
  const robots = depth === 0 ? undefined : await robotsOf(start, crawl);
  const names = new Map<string, string>();
  const failures: { name: string; error: RagctlError }[] = [];
  const gone = new Set<string>();
  const seen = new Set([start.href]);
  const waiting = [{ url: start, left: depth }];
  const copies = openCopies();
  const fetchOne = async ({ url, left }: (typeof waiting)[number]): Promise<void> => {
    const reply = await download(url, url === start, crawl);
    crawl.bytes += reply.bytes.length;
    const place = withoutFragment(reply.url) ?? url;
    if (place.href !== url.href && seen.has(place.href)) return;
    seen.add(place.href);
    const page = isPage(reply.contentType)
      ? readPage(reply.bytes, charsetOf(reply.contentType), place)
      : undefined;
    const called = page === undefined ? place : copies.nameOf(place, page);
    if (called === undefined) return;
    const mark = createHash("sha256").update(called.href).digest("hex").slice(0, 24);
    const name = `${mark}${extensionOf(called, reply.contentType)}`;
    await writeFile(join(folder, name), fileOf(reply));
    names.set(name, called.href);
    if (left === 0 || page === undefined) return;
    for (const link of page.links.filter((each) => !seen.has(each.href) && robots?.allows(each) !== false)) {
      seen.add(link.href);
      waiting.push({ url: link, left: left - 1 });
    }
  };
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const isFull = names.size >= limits.maxPages || crawl.bytes >= limits.maxBytes || signal.aborted;
    if (isFull) {
      run.log.warn(
        `${plural(waiting.length + 1, "link")} of ${start.href} skipped: a fetch.* limit was reached`,
      );
      return { names, stays: (name) => !gone.has(name), failures };
    }
    if (next.url !== start && robots !== undefined)
      await setTimeout(robots.waitMs, undefined, { signal: run.signal });
    const { url } = next;
    await fetchOne(next).catch((thrown: unknown) => {
      run.signal.throwIfAborted();
      const error = asRagctlError(thrown);
      if (url === start) throw error;
      if (error.code === "SOURCE_MISSING" || crawl.others.has(url.href)) gone.add(url.href);
      // A link that redirects to another host does not belong to this site.
      else if (error.code !== "SOURCE_OUTSIDE") failures.push({ name: url.href, error });
    });
  }
  if (crawl.others.size > 0)
    run.log.warn(
      `${plural(crawl.others.size, "link")} of ${start.href} skipped, not a format that is read: ${listed([...crawl.others], maxListedNames)}`,
    );
  // The links of a page that failed are unknown.
  return { names, stays: (name) => failures.length > 0 && !gone.has(name), failures };
}

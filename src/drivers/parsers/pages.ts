import { RagctlError } from "../../core/errors.ts";
import { listed } from "../../core/plural.ts";

/** Which limit ended something: processor time, or resident memory. */
export type PageLimit = "time" | "memory";

/** What one document may use. Times are processor time of the parser's process, milliseconds. */
export interface ParseLimits {
  /** For work outside pages: opening the file, and making blocks of the result. */
  readonly documentMs: number;
  /** For one page. */
  readonly pageMs: number;
  /** Resident memory beyond that of the idle process, bytes. */
  readonly memoryBytes: number;
}

/** What earlier attempts at the same document taught. */
export interface ParseHistory {
  /** Pages at which a process was ended, with the limit they exceeded: they are left out. */
  readonly stops: readonly { readonly page: number; readonly limit: PageLimit }[];
  /** Processor time of the earlier attempts without their OCR, milliseconds. */
  readonly spentMs: number;
  /** A process was ended by something other than a limit. */
  readonly killed?: true;
  /** No page from this one on is read, because of this limit; absent while there is time and memory left. */
  readonly until?: { readonly page: number; readonly limit: PageLimit };
}

/**
 * A page that is not read: it exceeded a limit before, the time of the whole document was over (`rest`), or
 * its content is a bomb.
 */
export interface SkippedPages {
  readonly leftOut: PageLimit | "rest" | "content";
  readonly page: number;
}

/**
 * Processor time for a document with this many pages, milliseconds: each page adds a hundredth of the time
 * for the document.
 */
export function allowanceMs({ documentMs }: Pick<ParseLimits, "documentMs">, pages: number): number {
  return documentMs * (1 + pages / 100);
}

/**
 * How a parser takes its pages, sheets or slides, so that one that exceeds its limits costs the document no
 * other.
 */
export interface PageTurns {
  readonly limits: { readonly pageMs: number; readonly memoryBytes: number };
  /** Reports the number of pages, before the first turn. */
  expect(pages: number): void;
  /**
   * Runs the work of one page while no other page's runs, and not at all where the page has to be left out.
   */
  run<T>(page: number, work: () => Promise<T>): Promise<T | SkippedPages>;
}

/** Turns without limits, for a parser that is called by itself. */
export const freeTurns: PageTurns = {
  limits: { pageMs: Number.POSITIVE_INFINITY, memoryBytes: Number.POSITIVE_INFINITY },
  expect: () => undefined,
  run: (_, work) => work(),
};

/**
 * The results of `read` for the pages from `first` to `last`, in order, while up to `atOnce` are read or wait
 * for those before them. No page is still being read when it ends, however it ends.
 */
export async function* pagesInOrder<T>(
  first: number,
  last: number,
  atOnce: number,
  read: (page: number) => Promise<T>,
): AsyncGenerator<T> {
  const begun: Promise<T>[] = [];
  try {
    for (let page = first; page <= last; page++) {
      const reading = read(page);
      // A failure is seen when the turn of its page comes; until then it must not count as unhandled.
      reading.catch(() => undefined);
      begun.push(reading);
      const next = begun.length < atOnce ? undefined : begun.shift();
      if (next !== undefined) yield await next;
    }
    for (const rest of begun) yield await rest;
  } finally {
    await Promise.allSettled(begun);
  }
}

/** Page numbers for a message: the first twelve, then how many follow. */
export const listPages = (pages: readonly number[]): string => listed(pages, 12);

/** The warning for pages on which OCR found more than text. */
export const ocrNoiseWarning = (pages: readonly number[]): string =>
  `OCR skipped marks that may not be text on ${nameThem(pages)}`;

/** Most bytes the content of one page may unpack to; a library that reads it holds several times as much. */
export const maxContentBytes = 64 * 1024 * 1024;

/** Pages in words: `page 3`, `pages 3, 7`. */
const nameThem = (pages: readonly number[]) => `${pages.length === 1 ? "page" : "pages"} ${listPages(pages)}`;

/**
 * Reports the pages that were left out: warnings, and in short what another attempt may read, since that
 * depends on limits and on the machine.
 */
export function reportSkippedPages(
  left: readonly SkippedPages[],
  lateOcr: readonly number[],
  { limits }: PageTurns,
): { readonly warnings: readonly string[]; readonly omitted?: string } {
  const of = (...kinds: readonly SkippedPages["leftOut"][]) =>
    left.filter(({ leftOut }) => kinds.includes(leftOut)).map(({ page }) => page);
  const tell = (pages: readonly number[], why: string) =>
    pages.length === 0 ? [] : [`skipped ${nameThem(pages)}: ${why}`];
  const warnings = [
    ...tell(of("time"), `more than ${limits.pageMs / 1000} s of CPU time`),
    ...tell(of("memory"), `more than ${Math.round(limits.memoryBytes / 1024 ** 2)} MiB`),
    ...tell(of("content"), `content unpacks to more than ${maxContentBytes / 1024 ** 2} MiB`),
    ...tell(of("rest"), "the document's time limit was reached"),
    ...(lateOcr.length === 0 ? [] : [`skipped OCR of ${nameThem(lateOcr)}: CPU time limit reached`]),
  ];
  const again = of("time", "memory", "rest");
  const words = [
    again.length === 0 ? "" : nameThem(again),
    lateOcr.length === 0 ? "" : `OCR of ${nameThem(lateOcr)}`,
  ];
  const omitted = words.filter((word) => word !== "").join(" and ");
  return { warnings, ...(omitted === "" ? {} : { omitted }) };
}

/**
 * Fails a document of which the limits left no page. @throws PARSER_TIMEOUT, PARSER_MEMORY, SOURCE_TOO_LARGE
 */
export function requirePages(name: string, left: readonly SkippedPages[], lateOcr: readonly number[]): void {
  const kinds = new Set<string>([...left.map(({ leftOut }) => leftOut), ...lateOcr.map(() => "time")]);
  if (kinds.size === 0) return;
  if (kinds.size === 1 && kinds.has("content")) {
    throw new RagctlError(
      "SOURCE_TOO_LARGE",
      `${name} contains only pages that unpack to more than ${maxContentBytes / 1024 ** 2} MiB`,
      {
        hint: "this looks like a decompression bomb; if the file is genuine, print it to a new PDF and ingest that",
      },
    );
  }
  throw limitError(
    kinds.has("time") ? "time" : "memory",
    name,
    "none of its pages could be read within the limits",
  );
}

/** The error for a document that exceeded a limit. */
export function limitError(limit: PageLimit, name: string, why: string): RagctlError {
  return limit === "memory"
    ? new RagctlError("PARSER_MEMORY", `${name}: ${why}`, { hint: "split the file, or raise parse.memoryMb" })
    : new RagctlError("PARSER_TIMEOUT", `${name}: ${why}`, {
        hint: "split the file, or raise parse.timeoutMs",
      });
}

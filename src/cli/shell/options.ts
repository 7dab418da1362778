import { type Command, InvalidArgumentError, Option } from "commander";
import { type BlockKind, blockKinds } from "../../core/documents/document.ts";
import { type Format, formats } from "../../core/documents/formats.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { PageRange } from "../../core/retrieval.ts";

/** Flags that narrow what is searched. */
export interface FilterFlags {
  readonly collection?: readonly string[];
  readonly document?: readonly string[];
  readonly type?: readonly string[];
  readonly contentType?: readonly string[];
  readonly page?: PageRange;
  readonly since?: string;
  readonly department?: string;
  readonly allVersions?: boolean;
  readonly documentVersion?: number;
}

/**
 * A flag with one value that may be given several times. Not variadic: `search --type pdf QUESTION` keeps its
 * question.
 */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

/** Restricts a question to collections. */
export function collectionOption(): Option {
  return listOption("-c, --collection <name>", "search only this collection; may be repeated (default: all)");
}

export function topKOption(what: string): Option {
  return new Option("-k, --top-k <n>", what).argParser(positiveInteger);
}

/** Adds the narrowing flags to a command. */
export function filterOptions(command: Command): Command {
  return command
    .addOption(listOption("--document <id>", "only this document (id, name or path); may be repeated"))
    .addOption(
      new Option("--type <format>", `only this format: ${formats.join(", ")}; may be repeated`).argParser(
        (value: string, before: readonly string[] | undefined) => [...(before ?? []), formatFrom(value)],
      ),
    )
    .addOption(
      new Option(
        "--content-type <kind>",
        `only passages of this kind: ${blockKinds.join(", ")}; may be repeated`,
      ).argParser((value: string, before: readonly string[] | undefined) => [
        ...(before ?? []),
        contentTypeFrom(value),
      ]),
    )
    .addOption(
      new Option("--page <range>", "only passages on these pages or slides, e.g. 3 or 3-5").argParser(
        pagesFrom,
      ),
    )
    .addOption(
      new Option(
        "--since <date>",
        "only documents added or changed on this day or later, e.g. 2026-03-01",
      ).argParser(sinceFrom),
    )
    .option("--department <name>", "only this department's documents")
    .option("--all-versions", "also search older versions that are kept")
    .addOption(
      new Option("--document-version <n>", "version of the documents named with --document").argParser(
        positiveInteger,
      ),
    );
}

/** Commander's parser for a format: `PDF` and `.pdf` are `pdf`. */
export function formatFrom(text: string): Format {
  const wanted = text.trim().toLowerCase().replace(/^\./, "");
  const format = formats.find((each) => each === wanted);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(
    `it is no format${didYouMean(wanted, formats, "")} There are: ${formats.join(", ")}`,
  );
}

/** Commander's parser for a kind of passage. */
function contentTypeFrom(text: string): BlockKind {
  const kind = blockKinds.find((each) => each === text.trim().toLowerCase());
  if (kind !== undefined) return kind;
  throw new InvalidArgumentError(`it is no kind of passage. There are: ${blockKinds.join(", ")}`);
}

/** Pages of one range at most, so that the filter stays small. */
const mostPages = 10_000;

/** Commander's parser for pages: `3` or `3-5`. */
function pagesFrom(text: string): PageRange {
  const [, first = "", last = first] =
    /^\s{0,3}(\d{1,6})(?:\s{0,3}[-–]\s{0,3}(\d{1,6}))?\s{0,3}$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === "" || from < 1 || to < from)
    throw new InvalidArgumentError("it must be a page or a range of pages from 1, e.g. 3 or 3-5");
  if (to - from >= mostPages)
    throw new InvalidArgumentError(`it must be a range of at most ${mostPages} pages`);
  return { from, to };
}

/** Commander's parser for a day or a time (ISO 8601); a day begins at midnight UTC. */
function sinceFrom(text: string): string {
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.+Z-]{1,30})?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError("it must be a day or a time, e.g. 2026-03-01 or 2026-03-01T12:00:00Z");
  return time.toISOString();
}

export function requestFilters(flags: FilterFlags) {
  return {
    collections: flags.collection ?? [],
    ...(flags.document === undefined ? {} : { documents: flags.document }),
    ...(flags.type === undefined ? {} : { formats: flags.type }),
    ...(flags.contentType === undefined ? {} : { contentTypes: flags.contentType }),
    ...(flags.page === undefined ? {} : { pages: flags.page }),
    ...(flags.since === undefined ? {} : { since: flags.since }),
    ...(flags.department === undefined ? {} : { department: flags.department }),
    ...(flags.allVersions === true ? { versions: "all" as const } : {}),
    ...(flags.documentVersion === undefined ? {} : { versions: flags.documentVersion }),
  };
}

/** Commander's parser for a whole number of at least 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("it must be a whole number of at least 1");
  return value;
}

/** Commander's parser for a whole number of at least 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError("it must be a whole number of at least 0");
  return value;
}

/** Commander's parser for a number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError("it must be a number from 0 to 1");
  return value;
}

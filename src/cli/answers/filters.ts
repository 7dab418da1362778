import { type Command, Option } from "commander";
import { type BlockKind, blockKinds } from "../../core/documents/document.ts";
import { type Format, formats } from "../../core/documents/formats.ts";
import type { PageRange, TextCondition } from "../../core/retrieval.ts";
import type { z } from "../../core/schema.ts";
import { invalidValue, repeated } from "../../operations/derive/typed.ts";
import {
  dayOrTime,
  type MetaCondition,
  metaPair,
  narrowed,
  pageRange,
  sectionWords,
} from "../../shapes/narrowing.ts";
import { choiceFrom, formatFrom, listOption, versionNumber } from "../shell/options.ts";

/** Flags that narrow a search. */
export interface FilterFlags {
  readonly collection?: readonly string[];
  readonly document?: readonly string[];
  readonly type?: readonly Format[];
  readonly contentType?: readonly BlockKind[];
  readonly page?: PageRange;
  readonly since?: string;
  readonly section?: TextCondition;
  readonly meta?: readonly MetaCondition[];
  readonly department?: string;
  readonly allVersions?: boolean;
  readonly documentVersion?: number;
}

/** Adds the narrowing flags to a command. */
export function filterOptions(command: Command): Command {
  return command
    .addOption(listOption("--document <id>", "search only this document (id, name or path); may be repeated"))
    .addOption(
      new Option(
        "--type <format>",
        `search only this format: ${formats.join(", ")}; may be repeated`,
      ).argParser(repeated(formatFrom)),
    )
    .addOption(
      new Option(
        "--content-type <kind>",
        `search only passages of this kind: ${blockKinds.join(", ")}; may be repeated`,
      ).argParser(repeated(contentTypeFrom)),
    )
    .addOption(
      new Option("--page <range>", "search only these pages or slides, e.g. 3 or 3-5").argParser(
        checkedBy(pageRange),
      ),
    )
    .addOption(
      new Option(
        "--since <date>",
        "search only documents added or changed since this date, e.g. 2026-03-01",
      ).argParser(checkedBy(dayOrTime)),
    )
    .addOption(
      new Option("--section <words>", "search only below headings that contain these words").argParser(
        checkedBy(sectionWords),
      ),
    )
    .addOption(
      new Option(
        "--meta <condition>",
        "search only documents with this metadata: key=value, or quoted 'key>=2020', 'key<2024-06-01'; title= and method= (the parser) match part of the text; may be repeated",
      ).argParser(repeated(checkedBy(metaPair))),
    )
    .option("--department <name>", "search only this department's documents")
    .option("--all-versions", "also search older versions that were kept")
    .addOption(
      new Option("--document-version <n>", "version to search of the documents given with --document")
        .argParser(versionNumber)
        .conflicts("allVersions"),
    );
}

/** The narrowing flags as a search takes them. */
export function requestFilters(flags: FilterFlags) {
  return narrowed({
    collections: flags.collection,
    documents: flags.document,
    formats: flags.type,
    content_types: flags.contentType,
    pages: flags.page,
    since: flags.since,
    section: flags.section,
    meta: flags.meta,
    department: flags.department,
    versions: flags.allVersions === true ? "all" : flags.documentVersion,
  });
}

/** The flags that narrowed a search, as typed: `--type, --since`; "" where none did. */
export const narrowedBy = (flags: FilterFlags): string =>
  Object.keys(flags)
    .filter((name) => narrowingFlags.includes(name))
    .map((name) => `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`)
    .join(", ");

const narrowingFlags: readonly string[] = [
  "collection",
  "document",
  "type",
  "contentType",
  "page",
  "since",
  "section",
  "meta",
  "department",
  "documentVersion",
] satisfies readonly (keyof FilterFlags)[];

/** Commander's parser for a kind of passage. */
const contentTypeFrom = (text: string): BlockKind => choiceFrom(text, blockKinds);

/** Commander's parser for a value that a schema checks. */
const checkedBy =
  <T>(schema: z.ZodType<T, string>) =>
  (text: string): T => {
    const { data, error } = schema.safeParse(text.trim());
    if (error === undefined) return data;
    throw invalidValue(error.issues[0]?.message ?? "is not valid");
  };

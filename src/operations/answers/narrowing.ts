import { blockKinds } from "../../core/documents/document.ts";
import { formats } from "../../core/documents/formats.ts";
import { z } from "../../core/schema.ts";
import { narrowing, toFilters } from "../../shapes/narrowing.ts";
import { toggle, under, versionText } from "../fields.ts";
import { field, type InputOf } from "../operation.ts";

/** Restricts a question to collections. */
export const narrowingCollections = field(
  "-c, --collection <name>",
  narrowing.collections,
  "search only this collection; may be repeated (default: all)",
);

/** What narrows a search, under a heading of its own; routes and tools describe it by the schemas. */
export const narrowingFields = under("Narrowing:", {
  collections: narrowingCollections,
  documents: field(
    "--document <id>",
    narrowing.documents,
    "search only this document (id, name or path); may be repeated",
  ),
  formats: field(
    "--type <format>",
    narrowing.formats,
    `search only this format: ${formats.join(", ")}; may be repeated`,
    { normalize: (typed) => typed.trim().replace(/^\./, "") },
  ),
  content_types: field(
    "--content-type <kind>",
    narrowing.content_types,
    `search only passages of this kind: ${blockKinds.join(", ")}; may be repeated`,
  ),
  pages: field("--page <range>", narrowing.pages, "search only these pages or slides, e.g. 3 or 3-5"),
  since: field(
    "--since <date>",
    narrowing.since,
    "search only documents added or changed since this date, e.g. 2026-03-01",
  ),
  section: field(
    "--section <words>",
    narrowing.section,
    "search only below headings that contain these words",
  ),
  meta: field(
    "--meta <condition>",
    narrowing.meta,
    "search only documents with this metadata: key=value, or quoted 'key>=2020', 'key<2024-06-01'; title= and method= (the parser) match part of the text; may be repeated",
  ),
  department: field("--department <name>", narrowing.department, "search only this department's documents"),
  versions: field("", narrowing.versions, "", { only: "api" }),
  all_versions: toggle("--all-versions", "also search older versions that were kept"),
  document_version: field(
    "--document-version <n>",
    z.int().min(1).optional(),
    "version to search of the documents given with --document",
    { only: "command", conflicts: "allVersions", normalize: versionText },
  ),
});

/** What narrows a search, as it was typed or sent. */
type Typed = Partial<InputOf<typeof narrowingFields>>;

/** The narrowing members of an input as a search takes them. */
export const narrowedTo = ({ all_versions, document_version, versions, ...rest }: Typed) =>
  toFilters({ ...rest, versions: all_versions ? "all" : (document_version ?? versions) });

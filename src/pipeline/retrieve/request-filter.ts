import type { SearchRequest } from "../../core/app.ts";
import type { Filter } from "../../core/retrieval.ts";

/** A request's restrictions as a store filter, which also leaves out documents with the excluded names. */
export function requestFilter(
  request: Omit<SearchRequest, "query" | "mode">,
  excludedNames: readonly string[],
): Filter {
  const all: Filter[] =
    excludedNames.length === 0 ? [] : [{ not: { field: "sourceName", in: excludedNames } }];
  if (request.department !== undefined) all.push({ field: "department", in: [request.department] });
  if (request.documents !== undefined) all.push({ field: "documentId", in: request.documents });
  if (request.formats !== undefined) all.push({ field: "format", in: request.formats });
  if (request.contentTypes !== undefined) all.push({ kinds: request.contentTypes });
  if (request.pages !== undefined) all.push({ pages: request.pages });
  if (request.texts !== undefined) all.push(...request.texts);
  return { all };
}

import type { Described } from "../../src/server/endpoint.ts";
import { described } from "../../src/server/endpoints.ts";
import { narrowing } from "../../src/shapes/narrowing.ts";
import { escaped, item } from "./markdown.ts";

const filters = new Set(Object.keys(narrowing));

/** Members of the query and of the JSON body; the filters by one word. */
function membersOf({ query, body }: Described): string {
  const names = [query, body].flatMap((schema) =>
    schema !== undefined && "shape" in schema ? Object.keys(schema.shape as object) : [],
  );
  const own = names.filter((name) => !filters.has(name)).map((name) => `\`${name}\``);
  const members =
    own.length + filters.size === names.length
      ? [...own, "[filters](#filters)"]
      : names.map((name) => `\`${name}\``);
  return members.length === 0 ? "" : ` (${members.join(", ")})`;
}

const itemOf = (route: Described): string =>
  item(`\`${route.method.toUpperCase()} ${route.path}\`: ${escaped(route.summary)}${membersOf(route)}`);

/** Every route of a server, under the headings of /openapi.json. */
export const routesText = (): string =>
  [...Map.groupBy(described(true), ({ tag }) => tag)]
    .map(([tag, routes]) => `### ${tag}\n\n${routes.map(itemOf).join("\n")}`)
    .join("\n\n");

import type { Described } from "../../src/server/define-route.ts";
import { listEndpoints } from "../../src/server/route-list.ts";
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

const groups = (): readonly (readonly [string, readonly Described[]])[] => [
  ...Map.groupBy(listEndpoints(true), ({ tag }) => tag),
];

/** The addresses of a server under the headings of /openapi.json, one line a heading. */
export const routesIndex = (): string =>
  groups()
    .map(([tag, routes]) => {
      const methods = Map.groupBy(routes, ({ path }) => path);
      const paths = [...methods].map(
        ([path, each]) => `\`${each.map(({ method }) => method.toUpperCase()).join(", ")} ${path}\``,
      );
      return item(`**${tag}**: ${paths.join(" · ")}`);
    })
    .join("\n");

/** Every route of a server with its members, under the headings of /openapi.json. */
export const routesText = (): string =>
  groups()
    .map(([tag, routes]) => `### ${tag}\n\n${routes.map(itemOf).join("\n")}`)
    .join("\n\n");

import type { z } from "../../core/schema.ts";
import { capitalized, inputSchema, type Operation, type Route } from "../operation.ts";

/** The route of an operation as a server describes and checks it. */
export interface DerivedRoute extends Route {
  readonly summary: string;
  readonly document: Operation["document"];
  readonly members: { readonly query?: z.ZodObject; readonly body?: z.ZodObject };
}

/** Names of the members in the path of a route. */
export const pathNames = (route: string): readonly string[] =>
  [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Whether what is not in the path of a route is in its query. */
export const hasQueryParams = (route: string): boolean => /^(?:GET|DELETE) /.test(route);

/** The route of an operation; undefined where it has none. */
export function routeOf({ http, input, document, summary = "" }: Operation): DerivedRoute | undefined {
  if (http === undefined) return undefined;
  const schema = inputSchema(input, pathNames(http.route));
  const hasMembers = Object.keys(schema.shape).length > 0;
  const members = hasMembers ? { [hasQueryParams(http.route) ? "query" : "body"]: schema } : {};
  return { summary: capitalized(summary), document, ...http, members };
}

import type { z } from "../../core/schema.ts";
import { operations } from "../../operations/all.ts";
import { type DerivedRoute, routeOf } from "../../operations/derive/http.ts";
import { documentOf } from "../../operations/json-schemas.ts";
import type { Operation } from "../../operations/operation.ts";
import { type Endpoint, endpoint } from "../define-route.ts";
import { json } from "../reply.ts";
import { keepAliveJson } from "../stream/keep-alive.ts";

/** The routes of all operations that have one. */
export const operationRoutes: readonly Endpoint[] = operations.flatMap((operation) => {
  const route = routeOf(operation);
  return route === undefined ? [] : [endpointOf(operation, route)];
});

function endpointOf(
  operation: Operation,
  { tag, route, summary, document, answer, members, status = 200, isSlow = false }: DerivedRoute,
): Endpoint {
  const schema = documentOf({ document });
  const facts = { ...members, answers: { [status]: { description: answer, schema } } };
  const handled = endpoint<z.ZodObject, z.ZodType>(route, summary, facts, async (input, call) => {
    const { server, run, visitor } = call;
    const context = { run, topK: server.settings.retrieve.topK, surface: "route" } as const;
    const given = { ...input.params, ...input.query, ...(input.body ?? {}) };
    const work = operation.call(server.app, given, context).then(({ data }) => data);
    if (!isSlow) return json(await work, status);
    const slot = server.auth.limits.stream(visitor.principal);
    return keepAliveJson(
      work.finally(() => slot[Symbol.dispose]()),
      call,
    );
  });
  return { ...handled, tag };
}

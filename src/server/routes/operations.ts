import { operations } from "../../operations/all.ts";
import type { Asked } from "../../operations/answers/ask.ts";
import { documentOf } from "../../operations/json-schemas.ts";
import { capitalized, inputSchema, type Operation } from "../../operations/operation.ts";
import { type Endpoint, endpoint } from "../define-route.ts";
import { json } from "../reply.ts";
import { wantsEvents } from "../stream/answers.ts";
import { keepAliveJson, lateDescription } from "../stream/keep-alive.ts";
import { answerEvents, streamAnswer } from "./questions.ts";

/** Names of the members in the path of a route. */
export const pathNames = (route: string): readonly string[] =>
  [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Whether what is not in the path of a route is in its query. */
export const hasQueryParams = (route: string): boolean => /^(?:GET|DELETE) /.test(route);

/** The route of an operation; undefined where it has none. */
export function routeOf(operation: Operation): Endpoint | undefined {
  if (operation.http === undefined) return undefined;
  const { route, tag, answer, status = 200, isSlow = false, isStream = false, ...http } = operation.http;
  const { summary = capitalized(operation.summary ?? ""), document = operation.document } = http;
  const members = inputSchema(operation.input, pathNames(route));
  const hasMembers = Object.keys(members.shape).length > 0;
  const response = {
    description: isSlow ? lateDescription(answer) : answer,
    schema: documentOf({ document }),
    ...(isStream ? { events: answerEvents } : {}),
  };
  const facts = {
    ...(hasMembers ? { [hasQueryParams(route) ? "query" : "body"]: members } : {}),
    answers: { [status]: response },
  };
  const handled = endpoint<typeof members, typeof members>(route, summary, facts, async (input, call) => {
    const { server, run, visitor } = call;
    const context = { run, topK: server.settings.retrieve.topK, surface: "route" } as const;
    const given = { ...input.params, ...input.query, ...(input.body ?? {}) };
    // The only stream is an answer, and the schema has checked the question.
    if (isStream && wantsEvents(call.request)) return streamAnswer(given as unknown as Asked, context, call);
    const answered = async () => {
      using _slot = isSlow ? server.auth.limits.stream(visitor.principal) : undefined;
      return (await operation.call(server.app, given, context)).data;
    };
    return isSlow ? keepAliveJson(answered(), call) : json(await answered(), status);
  });
  return { ...handled, tag };
}

/** The routes of all operations that have one. */
export const operationRoutes: readonly Endpoint[] = operations.flatMap((each) => routeOf(each) ?? []);

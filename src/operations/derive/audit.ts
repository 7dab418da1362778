import { requestAttempts, requestStrings } from "../../app/audit/asking.ts";
import { toolCalls } from "../../app/audit/assistants.ts";
import { type Attempt, type Canary, defineAttempt, toOutcome } from "../../app/audit/attempt.ts";
import type { Company } from "../../app/company.ts";
import { inputSchema, type Operation, type Probe } from "../operation.ts";
import { hasQueryParams, pathNames } from "./http.ts";
import { toolName } from "./mcp.ts";

/** The way of a probe over each surface that has the operation; the library stands for the command. */
export const attemptsOf = (
  operations: readonly Operation[],
  canary: Canary,
  company: Company,
): readonly Attempt[] =>
  operations.flatMap((operation) =>
    operation.attempt(canary).flatMap((probe) => waysOf(operation, probe, company)),
  );

function waysOf(operation: Operation, { input = {}, by, ...rest }: Probe, company: Company) {
  const { name, http, mcp } = operation;
  const library = defineAttempt(
    {
      surface: "library",
      name: by === undefined ? name : `${name}, ${by}`,
      typed: requestStrings(input),
      work: (_, run) =>
        toOutcome(
          async () => (await operation.call(company, input, { run, topK: 50, surface: "command" })).data,
          run,
        ),
    },
    rest,
  );
  // A tool takes no more than its schema says.
  const members = Object.keys(inputSchema(operation.input).shape);
  const taken = Object.fromEntries(Object.entries(input).filter(([member]) => members.includes(member)));
  const calls = mcp === undefined ? [] : toolCalls(toolName(operation), taken, rest);
  return [library, ...(http === undefined ? [] : [requestOf(http.route, taken, by, rest)]), ...calls];
}

/** A request with the input where the route has it. */
function requestOf(
  route: string,
  input: NonNullable<Probe["input"]>,
  by: string | undefined,
  rest: Partial<Attempt>,
): Attempt {
  const inPath = pathNames(route);
  const others = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  const members = hasQueryParams(route) ? { query: others } : { json: others };
  const given = { path: inPath.map((name) => String(input[name])), ...members };
  return requestAttempts("rest")(route, by === undefined ? given : { ...given, by }, rest);
}

import { randomUUID } from "node:crypto";
import { requestAttempts, requestStrings } from "../../app/audit/asking.ts";
import { toolCalls } from "../../app/audit/assistants.ts";
import { type Attempt, type Canary, defineAttempt, toOutcome } from "../../app/audit/attempt.ts";
import type { Company } from "../../app/company.ts";
import { inputSchema, type Operation, type Probe, toolName } from "../../operations/operation.ts";
import { hasQueryParams, pathNames } from "../routes/operations.ts";

/** The way of a probe over each surface that has the operation; the library stands for the command. */
export const attemptsOf = (
  operations: readonly Operation[],
  canary: Canary,
  company: Company,
): readonly Attempt[] =>
  operations.flatMap((operation) =>
    operation.attempt(canary).flatMap((probe) => waysOf(operation, probe, company)),
  );

function waysOf(operation: Operation, { input = {}, by, ...traits }: Probe, company: Company) {
  const { name, http, mcp } = operation;
  const schema = inputSchema(operation.input);
  const checked = schema.partial().loose().parse(input);
  const library = defineAttempt(
    {
      surface: "library",
      name: by === undefined ? name : `${name}, ${by}`,
      typed: requestStrings(input),
      work(_, asker) {
        // A separate run for each, so that each leaves its record.
        const run = { ...asker, id: randomUUID() };
        const context = { run, topK: 50, surface: "command" } as const;
        return toOutcome(async () => (await operation.call(company, checked, context)).data, run);
      },
    },
    traits,
  );
  // A tool takes no more than its schema says.
  const taken = Object.fromEntries(Object.entries(input).filter(([member]) => member in schema.shape));
  const calls = mcp === undefined ? [] : toolCalls(toolName(operation), taken, traits);
  const surfaces = http?.isStream === true ? (["rest", "streams"] as const) : (["rest"] as const);
  const requests =
    http === undefined ? [] : surfaces.map((surface) => requestOf(surface, http.route, taken, by, traits));
  return [library, ...requests, ...calls];
}

/** A request with the input where the route has it. */
function requestOf(
  surface: "rest" | "streams",
  route: string,
  input: NonNullable<Probe["input"]>,
  by: string | undefined,
  traits: Partial<Attempt>,
): Attempt {
  const inPath = pathNames(route);
  const others = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  const members = hasQueryParams(route) ? { query: others } : { json: others };
  const headers = surface === "streams" ? { accept: "text/event-stream" } : {};
  const given = { path: inPath.map((name) => String(input[name])), ...members, headers };
  return requestAttempts(surface)(route, by === undefined ? given : { ...given, by }, traits);
}

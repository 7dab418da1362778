import type { Attempt, Canary } from "../app/audit/attempt.ts";
import type { Company } from "../app/company.ts";
import type { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { z } from "../core/schema.ts";
import type { Text } from "./result-text.ts";

/** A member of the input: an argument or a flag of the command, a parameter of the route, one of the tool. */
export interface Field<S extends z.ZodType = z.ZodType> {
  /** As the command line has it: `<run>`, `[run]`, `<paths...>`, or `-n, --limit <n>`. */
  readonly form: string;
  readonly schema: S;
  readonly description: string;
  /** What is typed in another way, as the schema has it: `v2` for 2. */
  readonly normalize?: (text: string) => string;
  /** Heading of the help above it, e.g. `Output:`; default: that of all options. */
  readonly heading?: string;
  /** The flag that it cannot be combined with, in camel case. */
  readonly conflicts?: string;
  /** The only surfaces that have it: the command line, or routes and tools. Default: all. */
  readonly only?: "command" | "api";
}

/** The input of an operation by the names of its members, in snake case. */
export type Fields = Readonly<Record<string, Field>>;

/** A member of an input. */
export const field = <S extends z.ZodType>(
  form: string,
  schema: S,
  description: string,
  rest: Pick<Field, "normalize" | "conflicts" | "only"> = {},
): Field<S> => ({ form, schema, description, ...rest });

/** The values of an input; defaults are filled in. */
export type InputOf<F extends Fields> = { readonly [Name in keyof F]: z.output<F[Name]["schema"]> };

/** Who calls, and what the settings say. */
export interface Context {
  readonly run: Run;
  /** Passages where a call names no number. */
  readonly topK: number;
  readonly surface: "command" | "route" | "tool";
  /** In which a command prints. */
  readonly format?: string;
  /** Is told how far the work is; `total` is absent where unknown. */
  readonly progress?: (done: number, total: number | undefined, what: string) => void;
}

/** What came of a call. */
export interface Outcome<Report = unknown> {
  readonly report: Report;
  /** The JSON document. */
  readonly data: object;
  readonly text: () => Text;
  /** Whether a command prints the text as it is, whatever its format. */
  readonly isRaw: boolean;
  /** For people, beside the result. */
  readonly notes: readonly string[];
  /** What is wrong although the call succeeded; it decides the exit status. */
  readonly failure: RagctlError | undefined;
}

/** An attempt to get at a canary by the input of a call; `by` tells it from others of the operation. */
export interface Probe extends Partial<Attempt> {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly by?: string;
}

/** The route of an operation. */
export interface Route {
  /** `GET /v1/runs/{run}`: members in braces are in the path, others in the query, or in the body of a change. */
  readonly route: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;
  /** Its heading in /openapi.json. */
  readonly tag: string;
  /** Default: that of the command. */
  readonly summary?: string;
  /** What it answers, in a word or two. */
  readonly answer: string;
  /** As that of the operation, where it answers with another. */
  readonly document?: Declared<Fields>["document"];
  /** Status of success. Default 200. */
  readonly status?: 200 | 201;
  /** Whether it may take minutes. */
  readonly isSlow?: boolean;
  /** Whether it streams its events to a client that accepts them. */
  readonly isStream?: boolean;
}

/** The parts of an operation that surfaces read as they are. */
interface Declared<F extends Fields> {
  /** The words of its command: `permissions explain`; of its tool with underscores. */
  readonly name: string;
  /** What it does, as the help says it; that of a command of the first level is in command-list.ts. */
  readonly summary?: string;
  /** Its earlier last word, which is understood too. */
  readonly alias?: string;
  /** Whether it runs where the command of its family has no further word. */
  readonly isDefault?: boolean;
  /** What the help says of `key` in `principals key add`; the first of its operations says it. */
  readonly group?: string;
  readonly input: F;
  /** The schema of its JSON document, or the name of one, as `stale` for stale.schema.json. */
  readonly document: string | z.ZodObject;
  /** The member of the document that `--format jsonl` prints line by line, where it has others. */
  readonly lines?: string;
  /** Command lines that show it, and what else the help says. */
  readonly examples?: readonly string[];
  readonly advice?: string;
  /** What the terminal shows while it works. */
  readonly stage?: string;
  /** Absent for an operation of other surfaces alone. */
  readonly isCommand?: false;
  readonly http?: Route;
  /** What its tool does to documents, and its description where the summary does not suffice. */
  readonly mcp?: {
    readonly effect: "reads" | "adds" | "removes";
    readonly description?: string;
    /** Default: the words of its command. */
    readonly name?: string;
    /** Members that it does not take. */
    readonly without?: readonly string[];
  };
  /** Ways to a canary, each tried on every surface that has the operation; one at least. */
  readonly attempt: (canary: Canary) => readonly [Probe, ...Probe[]];
}

/** Something that a user can do, for every surface. */
export interface Operation<Report = unknown> extends Declared<Fields> {
  /** Runs it with checked input; what a surface has no member for takes its default. @throws errors of the app */
  call(app: Company, given: Readonly<Record<string, unknown>>, context: Context): Promise<Outcome<Report>>;
  /** What a command asks before it runs, unless `yes` is given. @throws errors of the app */
  readonly question?: (
    app: Company,
    given: Readonly<Record<string, unknown>>,
    context: Context,
  ) => Promise<string>;
}

interface Definition<F extends Fields, Report> extends Declared<F> {
  readonly run: (app: Company, input: InputOf<F>, context: Context) => Report | Promise<Report>;
  /** The report as its JSON document. */
  readonly print: (report: Report, context: Context) => object;
  readonly text: (report: Report, input: InputOf<F>) => Text;
  readonly question?: (app: Company, input: InputOf<F>, context: Context) => Promise<string>;
  readonly isRaw?: (report: Report) => boolean;
  readonly notes?: (report: Report) => readonly string[];
  readonly failure?: (report: Report, input: InputOf<F>) => RagctlError | undefined;
}

/** An operation by its definition: command, route, tool, document and attempts follow. */
export function operation<F extends Fields, Report>({
  run,
  print,
  text,
  isRaw = () => false,
  notes = () => [],
  failure = () => undefined,
  question,
  ...declared
}: Definition<F, Report>): Operation<Report> {
  const inputOf = (given: Readonly<Record<string, unknown>>): InputOf<F> => {
    const values = Object.entries(declared.input).map(([name, { schema }]) => [
      name,
      given[name] === undefined ? schema.safeParse(undefined).data : given[name],
    ]);
    // Surfaces check what they are given by the fields' schemas.
    return Object.fromEntries(values) as InputOf<F>;
  };
  return {
    ...declared,
    ...(question && { question: (app, given, context) => question(app, inputOf(given), context) }),
    async call(app, given, context) {
      const input = inputOf(given);
      const report = await run(app, input, context);
      return {
        report,
        data: print(report, context),
        text: () => text(report, input),
        isRaw: isRaw(report),
        notes: notes(report),
        failure: failure(report, input),
      };
    },
  };
}

/** The name of an operation's tool. */
export const toolName = ({ name, mcp }: Pick<Operation, "name" | "mcp">): string =>
  mcp?.name ?? name.replaceAll(" ", "_");

/** A summary as the beginning of a sentence. */
export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const sentence = (description: string): string =>
  `${capitalized(description.replace("; may be repeated", "").replaceAll("--", ""))}.`;

/** Whether a schema has a description, which surfaces of programs show in place of the field's. */
const isDescribed = (schema: z.core.$ZodType): boolean =>
  (schema instanceof z.ZodType && schema.description !== undefined) ||
  ((schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) && isDescribed(schema.unwrap()));

/** The schema of what routes and tools take: every member but those of the command line and `without`. */
export const inputSchema = <F extends Fields>(input: F, without: readonly string[] = []) =>
  // Of those that are left out no value is given.
  z.strictObject(
    Object.fromEntries(
      Object.entries(input).flatMap(([name, { schema, description, only }]) =>
        only === "command" || without.includes(name)
          ? []
          : [[name, isDescribed(schema) ? schema : schema.describe(sentence(description))]],
      ),
    ),
  ) as unknown as z.ZodObject<{ [Name in keyof F]: F[Name]["schema"] }, z.core.$strict>;

/** Those members of `values` that are given. */
export function defined<T extends object>(
  values: { readonly [Name in keyof T]: T[Name] | undefined },
): Partial<T> {
  // Only undefined members are dropped, so the rest has the types of T.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

import { ownerOnly } from "../../app/audit/attempt.ts";
import type { Company } from "../../app/company.ts";
import type { Run } from "../../core/run.ts";
import { removedShape } from "../../shapes/registry.ts";
import { name } from "../fields.ts";
import { capitalized, field, type Operation, operation, type Probe, type Route } from "../operation.ts";
import type { Text } from "../result-text.ts";

/** Rows of the registry that share the operations list, show, enable, disable and remove. */
interface Rows<Row> {
  /** What one is called, e.g. `agent`; with an s, the family of its commands and its document. */
  readonly noun: "agent" | "tool" | "provider" | "principal";
  /** How one is referred to, e.g. `name or id`. */
  readonly reference: string;
  /** A name as typed in a shell, for the examples; `removable` where another one suits `remove` better. */
  readonly example: string;
  readonly removable?: string;
  /** Summaries of the operations. */
  readonly help: Readonly<Record<"list" | "enable" | "disable" | "remove", string>>;
  /** The heading of its routes, and which there are. */
  readonly http?: { readonly tag: string; readonly offers: readonly string[] };
  /** Ways to see all, and one of them; others than the owner change none. */
  readonly seen: Probe;
  /** Where they are; `remove` returns the row where its document shows it. */
  of(app: Company): {
    list(run: Run): Promise<readonly Row[]>;
    get(reference: string, run: Run): Promise<Row>;
    set(reference: string, patch: { readonly enabled: boolean }, run: Run): Promise<Row>;
    remove(reference: string, run: Run): Promise<Row | undefined>;
  };
  print(rows: readonly Row[]): object;
  textOfAll(rows: readonly Row[]): Text;
  /** `done` is the change to the row, e.g. `enabled `; "" where it was only read. */
  text(row: Row, done: string): Text;
}

/** How a row is named in the input of its operations. */
export const rowField = (noun: string, reference: string) => field(`<${noun}>`, name, reference);

/** The operations that rows share, each with its command, and with its route where they have one. */
export function rowOperations<Row>(rows: Rows<Row>) {
  const { noun, example, removable = example, help, seen } = rows;
  const input = { [noun]: rowField(noun, rows.reference) };
  const named = (given: Readonly<Record<string, string>>): string => given[noun] ?? "";
  const canary = { input: { [noun]: "owner" }, ...ownerOnly };
  const shared = (verb: string, summary: string, shown: string) => ({
    name: `${noun}s ${verb}`,
    summary,
    document: `${noun}s`,
    examples: [`ragctl ${noun}s ${verb}${shown === "" ? "" : ` ${shown}`}`],
  });
  const route = (method: "GET" | "DELETE", verb: string, path: string, answer: string) => {
    if (rows.http?.offers.includes(verb) !== true) return {};
    const http: Route = { route: `${method} /v1/${noun}s${path}`, tag: rows.http.tag, answer };
    return { http };
  };
  const switched = (verb: "enable" | "disable"): Operation =>
    operation({
      ...shared(verb, help[verb], example),
      input,
      attempt: () => [canary],
      run: (app, given, { run }) => rows.of(app).set(named(given), { enabled: verb === "enable" }, run),
      print: (row) => rows.print([row]),
      text: (row) => rows.text(row, `${verb}d `),
    });
  /** What further operations that show one have in common. */
  const shown = {
    document: `${noun}s`,
    print: (row: Row) => rows.print([row]),
    text: (row: Row) => rows.text(row, ""),
  };
  return {
    shown,
    list: operation({
      ...shared("list", help.list, ""),
      input: {},
      ...route("GET", "list", "", `${capitalized(noun)}s`),
      attempt: () => [seen],
      run: (app, _, { run }) => rows.of(app).list(run),
      print: rows.print,
      text: rows.textOfAll,
    }),
    show: operation({
      ...shared("show", `show one ${noun}`, example),
      input,
      ...route("GET", "show", `/{${noun}}`, `The ${noun}`),
      attempt: ({ tool }) => [{ compare: true, input: { [noun]: tool.name }, ...seen }],
      run: (app, given, { run }) => rows.of(app).get(named(given), run),
      ...shown,
    }),
    enable: switched("enable"),
    disable: switched("disable"),
    remove: operation({
      ...shared("remove", help.remove, removable),
      document: noun === "principal" ? "principals" : "removed",
      input,
      ...route("DELETE", "remove", `/{${noun}}`, `The removed ${noun}`),
      attempt: () => [canary],
      run: async (app, given, { run }) => ({
        gone: named(given),
        row: await rows.of(app).remove(named(given), run),
      }),
      print: ({ gone, row }) =>
        noun === "principal" ? rows.print(row === undefined ? [] : [row]) : removedShape(noun, gone),
      text: ({ gone, row }) => (row === undefined ? `removed ${noun} ${gone}` : rows.text(row, "removed ")),
    }),
  };
}

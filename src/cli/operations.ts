import type { Command } from "commander";
import { describeCommand, typedInput } from "../operations/derive/cli.ts";
import type { Fields, InputOf, Operation, Outcome } from "../operations/operation.ts";
import { plainText } from "../operations/result-text.ts";
import { declare } from "./commands.ts";
import { confirmRemoval } from "./shell/confirm.ts";
import { drawTable } from "./shell/output.ts";
import { createProgress } from "./shell/progress.ts";
import { action, type Session } from "./shell/session.ts";

/** What a command takes, and what its help says. */
interface Described<F extends Fields> extends Pick<Operation, "examples" | "advice"> {
  /** Absent for a command of the first level, which command-list.ts describes. */
  readonly summary?: string;
  readonly input?: F;
}

/** Gives a command its arguments, flags, help and work; of one that is no operation, all of them. */
export function defineCommand<F extends Fields = Record<never, never>>(
  command: Command,
  { summary, input = {} as F, ...rest }: Described<F>,
  work: (session: Session, input: InputOf<F>) => Promise<void>,
): Command {
  if (summary !== undefined) command.description(summary);
  return describeCommand(command, { input, ...rest }).action(
    action((session, ...parameters) => work(session, typedInput(input, parameters))),
  );
}

/** Adds the command `name` with those below it, as their operations say. */
export function registerOperations(program: Command, name: string, operations: readonly Operation[]): void {
  const family = declare(program, name);
  for (const operation of operations)
    if (operation.isCommand !== false)
      defineCommand(commandOf(family, operation), operation, (session, input) =>
        runOperation(operation, input, session),
      );
}

/** The command of an operation: the family itself, or one below it. */
function commandOf(family: Command, { name, group = "", alias, isDefault = false }: Operation): Command {
  const [, ...words] = name.split(" ");
  const last = words.pop();
  if (last === undefined) return family;
  const [between] = words;
  const parent =
    between === undefined
      ? family
      : (family.commands.find((each) => each.name() === between) ??
        family.command(between).description(group));
  const command = parent.command(last, { isDefault });
  return alias === undefined ? command : command.alias(alias);
}

/** Runs an operation with what was typed, and prints what came of it. */
export async function runOperation(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  session: Session,
): Promise<void> {
  const { output, run, settings } = session;
  const app = await session.app();
  const context = {
    run,
    topK: settings.retrieve.topK,
    surface: "command",
    format: output.format,
  } as const;
  const question = await operation.question?.(app, input, context);
  if (question !== undefined) await confirmRemoval(question, input["yes"] === true, session);
  using progress = createProgress("", "", output);
  if (operation.stage !== undefined) progress.stage(operation.stage);
  const outcome = await operation.call(app, input, context);
  progress.close();
  print(operation, outcome, session);
}

function print(
  { lines }: Operation,
  { data, text, isRaw, notes, failure }: Outcome,
  { output, exit }: Session,
): void {
  const listed: unknown = lines === undefined ? undefined : Reflect.get(data, lines);
  const shown = isRaw || output.format === "text" ? plainText(text(), drawTable) : "";
  if (isRaw) output.stream(shown);
  else output.result({ text: shown, data, ...(Array.isArray(listed) ? { lines: listed } : {}) });
  for (const note of notes) output.note(note);
  if (failure !== undefined) exit(output.error(failure).exitStatus);
}

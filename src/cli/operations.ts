import type { Command } from "commander";
import { describeCommand, typedInput } from "../operations/derive/cli.ts";
import type { Operation, Outcome } from "../operations/operation.ts";
import { plainText } from "../operations/tables.ts";
import { declared } from "./commands.ts";
import { table } from "./shell/output.ts";
import { openProgress } from "./shell/progress.ts";
import { action, type Session } from "./shell/session.ts";

/** Adds the command `name` with those below it, as their operations say. */
export function registerOperations(program: Command, name: string, operations: readonly Operation[]): void {
  const family = declared(program, name);
  for (const operation of operations)
    if (operation.isCommand !== false)
      describeCommand(commandOf(family, operation), operation).action(
        action((session, ...parameters) => runOperation(operation, parameters, session)),
      );
}

/** The command of an operation: the family itself, or one below it. */
function commandOf(family: Command, { name, summary = "", group = "" }: Operation): Command {
  const [, ...words] = name.split(" ");
  const last = words.pop();
  if (last === undefined) return family;
  const [between] = words;
  const parent =
    between === undefined
      ? family
      : (family.commands.find((each) => each.name() === between) ??
        family.command(between).description(group));
  return parent.command(last).description(summary);
}

/** Runs an operation with what commander passes, and prints what came of it. */
export async function runOperation(
  operation: Operation,
  parameters: readonly unknown[],
  session: Session,
): Promise<void> {
  const { output, run, settings } = session;
  const app = await session.app();
  using progress = openProgress("", "", output);
  if (operation.stage !== undefined) progress.stage(operation.stage);
  const context = { run, topK: settings.retrieve.topK, surface: "command" } as const;
  const outcome = await operation.call(app, typedInput(operation, parameters), context);
  progress.close();
  print(operation, outcome, session);
}

function print({ lines }: Operation, { data, text, notes, failure }: Outcome, session: Session): void {
  const { output } = session;
  const listed: unknown = lines === undefined ? undefined : Reflect.get(data, lines);
  output.result({
    text: output.format === "text" ? plainText(text(), ({ header, rows }) => table(header, rows)) : "",
    data,
    ...(Array.isArray(listed) ? { lines: listed } : {}),
  });
  for (const note of notes) output.note(note);
  if (failure !== undefined) session.exit(output.error(failure).exitStatus);
}

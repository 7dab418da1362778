import type { Command } from "commander";
import { commands, type Summary } from "../operations/command-list.ts";

const summaries: ReadonlyMap<string, Summary> = new Map(Object.values(commands).flatMap(Object.entries));

/** The command of the first level, added where it is not there, as the general help describes it. */
export function declare(program: Command, name: string): Command {
  const added = program.commands.find((command) => command.name() === name);
  if (added !== undefined) return added;
  const { description = "", hidden = false } = summaries.get(name) ?? {};
  return program.command(name, { hidden }).description(description);
}

/** Adds the command's line for the general help without loading its file. */
export function declareStub(program: Command, name: string): Command {
  const { usage } = summaries.get(name) ?? {};
  return usage === undefined ? declare(program, name) : declare(program, name).arguments(usage);
}

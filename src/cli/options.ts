import { type Command, InvalidArgumentError, Option } from "commander";

/** Flags that narrow what is searched. */
export interface FilterFlags {
  readonly collection?: readonly string[];
  readonly document?: readonly string[];
  readonly type?: readonly string[];
  readonly department?: string;
}

export function collectionOption(): Option {
  return new Option("-c, --collection <name...>", "search these collections only (default: all)");
}

export function topKOption(what: string): Option {
  return new Option("-k, --top-k <n>", what).argParser(positiveInteger);
}

/** Adds the narrowing flags to a command. */
export function filterOptions(command: Command): Command {
  return command
    .option("--document <id...>", "only these documents (ids of `ragctl list`)")
    .option("--type <format...>", "only these formats, e.g. pdf xlsx")
    .option("--department <name>", "only this department's documents");
}

export function requestFilters(flags: FilterFlags) {
  return {
    collections: flags.collection ?? [],
    ...(flags.document === undefined ? {} : { documents: flags.document }),
    ...(flags.type === undefined ? {} : { formats: flags.type }),
    ...(flags.department === undefined ? {} : { department: flags.department }),
  };
}

/** Commander's parser for a whole number of at least 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("it must be a whole number of at least 1");
  return value;
}

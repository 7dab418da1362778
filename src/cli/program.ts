import { Command, CommanderError, type OutputConfiguration } from "commander";
import type { ServeCopy } from "../app/audit/attempt.ts";
import type { StartServer } from "../app/serving.ts";
import { RagctlError } from "../core/errors.ts";
import { commands, operationsOf } from "../operations/command-list.ts";
import { declareStub } from "./commands.ts";
import type { ServeClient } from "./machine/mcp.ts";
import { asksForJson, operands, withoutHelpForUnknown } from "./shell/command-words.ts";
import { globalOptions } from "./shell/global-options.ts";
import { type Terminal, terminal } from "./shell/terminal.ts";

/** Parts outside the command line that only one command loads. */
export interface Services {
  readonly mcp: () => Promise<ServeClient>;
  readonly server: StartServer;
  readonly serveCopy: ServeCopy;
}

/** Adds commands to the program, with all their arguments, flags and work. */
type Register = (program: Command, services: Services) => void;

/** Commands that are no operations yet, or the rest of their families, with the file that defines them. */
const parts: Readonly<Record<string, () => Promise<Register>>> = {
  setup: async () => (await import("./machine/setup.ts")).registerSetup,
  doctor: async () => (await import("./machine/doctor.ts")).registerDoctor,
  demo: async () => (await import("./machine/demo.ts")).registerDemo,
  models: async () => (await import("./machine/models.ts")).registerModels,
  ingest: async () => (await import("./documents/ingest.ts")).registerIngest,
  "sync sources": async () => (await import("./documents/sync.ts")).registerSync,
  watch: async () => (await import("./documents/watch.ts")).registerWatch,
  worker: async () => (await import("./documents/worker.ts")).registerWorker,
  collections: async () => (await import("./documents/collections.ts")).registerCollections,
  reembed: async () => (await import("./documents/reembed.ts")).registerReembed,
  search: async () => (await import("./documents/search.ts")).registerSearch,
  ask: async () => (await import("./answers/ask.ts")).registerAsk,
  chat: async () => (await import("./answers/chat.ts")).registerChat,
  eval: async () => (await import("./evaluate/eval.ts")).registerEval,
  verify: async () => (await import("./answers/verify.ts")).registerVerify,
  export: async () => (await import("./answers/export.ts")).registerExport,
  mcp: async () => (await import("./machine/mcp.ts")).registerMcp,
  permissions: async () => (await import("./company/audit.ts")).registerAudit,
  serve: async () => (await import("./machine/serve.ts")).registerServe,
  config: async () => (await import("./machine/config.ts")).registerConfig,
  "status stop": async () => (await import("./machine/host.ts")).registerHost,
  backup: async () => (await import("./machine/backup.ts")).registerBackup,
  uninstall: async () => (await import("./machine/setup.ts")).registerUninstall,
  bundle: async () => (await import("./machine/bundle.ts")).registerBundle,
  "completion completion-names": async () => (await import("./machine/completion.ts")).registerCompletion,
};

/** Where help and faults of the command line go. */
const outputOf = ({ output, error }: Terminal): OutputConfiguration => ({
  writeOut: (text) => void output.write(text),
  writeErr: (text) => void error.write(text),
  getOutHelpWidth: () => output.columns || 80,
  getErrHelpWidth: () => error.columns || 80,
});

/**
 * A command with its arguments. Not the word [options]: every command takes some, and without it the lists
 * fit into 80 columns.
 */
function termOf(command: Command): string {
  const parts = command.registeredArguments.map((each) => {
    const name = each.variadic ? `${each.name()}...` : each.name();
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...parts].join(" ");
}

/**
 * The command line of ragctl. Only the commands of `wanted` are complete, or all of them when it is "all":
 * the general help needs no more than the outline of each, and a command nothing but its own file.
 */
export async function buildProgram(
  version: string,
  services: Services,
  wanted: string | undefined,
): Promise<Command> {
  const program = new Command("ragctl")
    .description("Ask your own documents and get answers with file and page, entirely on your machine.")
    .version(version)
    .showSuggestionAfterError(true)
    .configureHelp({ subcommandTerm: termOf })
    .showHelpAfterError("(run with --help for options and an example)")
    .addHelpText("after", '\nGet started:\n  ragctl setup\n  ragctl ingest ./docs\n  ragctl ask "question"');
  for (const [heading, family] of Object.entries(commands)) {
    program.commandsGroup(heading);
    for (const [name, summary] of Object.entries(family)) {
      if (program.commands.some((command) => command.name() === name)) continue;
      const [names = name, load] =
        Object.entries(parts).find(([each]) => each.split(" ").includes(name)) ?? [];
      if (!["all", ...names.split(" "), name].some((each) => each === wanted)) declareStub(program, name);
      else {
        const operations = await operationsOf(name, summary);
        if (operations.length > 0)
          (await import("./operations.ts")).registerOperations(program, name, operations);
        (await load?.())?.(program, services);
      }
    }
  }
  globalOptions(program);
  everyCommand(program, (command) => {
    if (command !== program) globalOptions(command);
    command.exitOverride().configureOutput(outputOf(terminal()));
  });
  return program;
}

function everyCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) everyCommand(child, visit);
}

/** The command that is meant; a completion script is made from all of them. */
function wantedCommand(argv: readonly string[]): string | undefined {
  const [first, second] = operands(globalOptions(new Command()), argv);
  const name = first === "help" ? second : first;
  return name === "completion" ? "all" : name;
}

/** A fault of the command line as the error that every other fault is. */
function usageError({ code, message }: CommanderError): RagctlError {
  const [said = "", suggestion = ""] = message.replace(/^error: /, "").split("\n(Did ");
  const reason = suggestion === "" ? said : `${said}; did ${suggestion.slice(0, -1)}`;
  return new RagctlError("USAGE_INVALID", code === "commander.help" ? "missing subcommand" : reason, {
    hint: "run with --help for options and an example",
  });
}

/** Parses and runs one command line; sets the exit status, 2 where the command line itself is wrong. */
export async function runProgram(
  argv: readonly string[],
  version: string,
  services: Services,
): Promise<void> {
  const json = asksForJson(argv);
  try {
    const program = await buildProgram(version, services, wantedCommand(argv));
    if (json) everyCommand(program, (command) => command.configureOutput({ writeErr: () => undefined }));
    await program.parseAsync(withoutHelpForUnknown(program, argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (json && error.exitCode !== 0) {
      // Loaded only now: help does not wait for it.
      const { openOutput } = await import("./shell/output.ts");
      openOutput({ format: "json", quiet: true }).error(usageError(error));
    }
    terminal().exit(error.exitCode === 0 ? 0 : 2);
  }
}

import { Command, CommanderError, type OutputConfiguration } from "commander";
import type { ServeCopy } from "../app/audit/served.ts";
import type { StartServer } from "../app/serving.ts";
import { RagctlError } from "../core/errors.ts";
import { type CommandName, outlined } from "./commands.ts";
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

/** Names of commands, and the file that defines them. */
interface Part {
  readonly names: readonly CommandName[];
  readonly load: () => Promise<Register>;
}

/** Every command, in the order and under the headings of `ragctl --help`. */
const families: Readonly<Record<string, readonly Part[]>> = {
  "Get started:": [
    { names: ["setup"], load: async () => (await import("./machine/setup.ts")).registerSetup },
    { names: ["doctor"], load: async () => (await import("./machine/doctor.ts")).registerDoctor },
    { names: ["demo"], load: async () => (await import("./machine/demo.ts")).registerDemo },
    { names: ["models"], load: async () => (await import("./machine/models.ts")).registerModels },
  ],
  "Documents:": [
    { names: ["ingest"], load: async () => (await import("./documents/ingest.ts")).registerIngest },
    { names: ["sync", "sources"], load: async () => (await import("./documents/sync.ts")).registerSync },
    { names: ["watch"], load: async () => (await import("./documents/watch.ts")).registerWatch },
    { names: ["queue", "worker"], load: async () => (await import("./documents/queue.ts")).registerQueue },
    {
      names: ["list", "show", "forget"],
      load: async () => (await import("./documents/documents.ts")).registerDocuments,
    },
    {
      names: ["history", "diff", "restore", "prune", "duplicates"],
      load: async () => (await import("./documents/versions.ts")).registerVersions,
    },
    {
      names: ["collections"],
      load: async () => (await import("./documents/collections.ts")).registerCollections,
    },
    { names: ["reembed"], load: async () => (await import("./documents/reembed.ts")).registerReembed },
  ],
  "Questions:": [
    { names: ["search"], load: async () => (await import("./documents/search.ts")).registerSearch },
    { names: ["ask"], load: async () => (await import("./answers/ask.ts")).registerAsk },
    { names: ["chat"], load: async () => (await import("./answers/chat.ts")).registerChat },
    { names: ["eval"], load: async () => (await import("./evaluate/eval.ts")).registerEval },
    { names: ["verify"], load: async () => (await import("./answers/verify.ts")).registerVerify },
    {
      names: ["conflicts"],
      load: async () => (await import("./answers/conflicts.ts")).registerConflicts,
    },
    { names: ["answers"], load: async () => (await import("./answers/answers.ts")).registerAnswers },
    { names: ["export"], load: async () => (await import("./answers/export.ts")).registerExport },
    { names: ["replay"], load: async () => (await import("./answers/replay.ts")).registerReplay },
    { names: ["mcp"], load: async () => (await import("./machine/mcp.ts")).registerMcp },
  ],
  "Company and permissions:": [
    { names: ["agents"], load: async () => (await import("./company/agents.ts")).registerAgents },
    { names: ["tools"], load: async () => (await import("./company/tools.ts")).registerTools },
    { names: ["providers"], load: async () => (await import("./company/providers.ts")).registerProviders },
    { names: ["principals"], load: async () => (await import("./company/principals.ts")).registerPrincipals },
    {
      names: ["permissions"],
      load: async () => (await import("./company/permissions.ts")).registerPermissions,
    },
    { names: ["registry"], load: async () => (await import("./company/registry.ts")).registerRegistry },
  ],
  "This machine:": [
    { names: ["serve"], load: async () => (await import("./machine/serve.ts")).registerServe },
    { names: ["config"], load: async () => (await import("./machine/config.ts")).registerConfig },
    { names: ["status", "stop"], load: async () => (await import("./machine/host.ts")).registerHost },
    { names: ["backup"], load: async () => (await import("./machine/backup.ts")).registerBackup },
    { names: ["uninstall"], load: async () => (await import("./machine/setup.ts")).registerUninstall },
    { names: ["bundle"], load: async () => (await import("./machine/bundle.ts")).registerBundle },
    { names: ["logs"], load: async () => (await import("./answers/logs.ts")).registerLogs },
    {
      names: ["completion", "completion-names"],
      load: async () => (await import("./machine/completion.ts")).registerCompletion,
    },
  ],
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
  for (const [heading, parts] of Object.entries(families)) {
    program.commandsGroup(heading);
    for (const { names, load } of parts) {
      if (wanted === "all" || names.some((name) => name === wanted)) (await load())(program, services);
      else for (const name of names) outlined(program, name);
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

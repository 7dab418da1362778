import { Command, CommanderError, type OutputConfiguration } from "commander";
import type { StartServer } from "../app/serving.ts";
import { registerAsk } from "./answers/ask.ts";
import { registerChat } from "./answers/chat.ts";
import { registerLogs } from "./answers/logs.ts";
import { registerReplay } from "./answers/replay.ts";
import { registerAgents } from "./company/agents.ts";
import { registerPermissions } from "./company/permissions.ts";
import { registerPrincipals } from "./company/principals.ts";
import { registerProviders } from "./company/providers.ts";
import { registerRegistry } from "./company/registry.ts";
import { registerTools } from "./company/tools.ts";
import { registerCollections } from "./documents/collections.ts";
import { registerDocuments } from "./documents/documents.ts";
import { registerIngest } from "./documents/ingest.ts";
import { registerQueue } from "./documents/queue.ts";
import { registerReembed } from "./documents/reembed.ts";
import { registerSearch } from "./documents/search.ts";
import { registerSync } from "./documents/sync.ts";
import { registerVersions } from "./documents/versions.ts";
import { registerWatch } from "./documents/watch.ts";
import { registerEval } from "./evaluate/eval.ts";
import { registerBackup } from "./machine/backup.ts";
import { registerCompletion } from "./machine/completion.ts";
import { registerConfig } from "./machine/config.ts";
import { registerDemo } from "./machine/demo.ts";
import { registerDoctor } from "./machine/doctor.ts";
import { registerHost } from "./machine/host.ts";
import { registerMcp, type ServeClient } from "./machine/mcp.ts";
import { registerModels } from "./machine/models.ts";
import { registerServe } from "./machine/serve.ts";
import { registerSetup } from "./machine/setup.ts";
import { globalOptions } from "./shell/session.ts";
import { type Terminal, terminal } from "./shell/terminal.ts";
import { withoutHelpForUnknown } from "./shell/unknown-command.ts";

/** What stands beside the command line and is loaded by one command alone. */
export interface Services {
  readonly mcp: () => Promise<ServeClient>;
  readonly server: StartServer;
}

/** Every command, in the order and under the headings of `ragctl --help`. */
const families: Readonly<Record<string, readonly ((program: Command, services: Services) => void)[]>> = {
  "Start:": [registerSetup, registerDoctor, registerDemo, registerModels],
  "Documents:": [
    registerIngest,
    registerSync,
    registerWatch,
    registerQueue,
    registerDocuments,
    registerVersions,
    registerCollections,
    registerReembed,
  ],
  "Questions:": [registerSearch, registerAsk, registerChat, registerEval, registerReplay, registerMcp],
  "Company and permissions:": [
    registerAgents,
    registerTools,
    registerProviders,
    registerPrincipals,
    registerPermissions,
    registerRegistry,
  ],
  "This machine:": [
    (program, { server }) => registerServe(program, server),
    registerConfig,
    registerHost,
    registerBackup,
    registerLogs,
    registerCompletion,
  ],
};

/** Where help and faults of the command line go. */
const outputOf = ({ output, error }: Terminal): OutputConfiguration => ({
  writeOut: (text) => void output.write(text),
  writeErr: (text) => void error.write(text),
  getOutHelpWidth: () => output.columns || 80,
  getErrHelpWidth: () => error.columns || 80,
});

/** The command line of ragctl. */
export function buildProgram(version: string, services: Services): Command {
  const program = new Command("ragctl")
    .description("From a folder of documents to a cited answer, on your own machine, in one process.")
    .version(version)
    .showSuggestionAfterError(true)
    .showHelpAfterError("(add --help for the flags and an example)")
    .addHelpText("after", '\nStart:\n  ragctl setup\n  ragctl ingest ./docs\n  ragctl ask "question"');
  for (const [heading, commands] of Object.entries(families)) {
    program.commandsGroup(heading);
    for (const register of commands) register(program, services);
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

/** Parses and runs one command line; sets the exit status, 2 where the command line itself is wrong. */
export async function runProgram(
  argv: readonly string[],
  version: string,
  services: Services,
): Promise<void> {
  try {
    const program = buildProgram(version, services);
    await program.parseAsync(withoutHelpForUnknown(program, argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    terminal().exit(error.exitCode === 0 ? 0 : 2);
  }
}

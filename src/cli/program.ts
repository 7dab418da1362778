import { Command, CommanderError } from "commander";
import { registerAgents } from "./agents.ts";
import { registerAsk } from "./ask.ts";
import { registerBackup } from "./backup.ts";
import { registerChat } from "./chat.ts";
import { registerCollections } from "./collections.ts";
import { registerCompletion } from "./completion.ts";
import { registerConfig } from "./config.ts";
import { registerDemo } from "./demo.ts";
import { registerDoctor } from "./doctor.ts";
import { registerDocuments } from "./documents.ts";
import { registerHost } from "./host.ts";
import { registerIngest } from "./ingest.ts";
import { registerLogs } from "./logs.ts";
import { registerModels } from "./models.ts";
import { registerPermissions } from "./permissions.ts";
import { registerPrincipals } from "./principals.ts";
import { registerProviders } from "./providers.ts";
import { registerQueue } from "./queue.ts";
import { registerReembed } from "./reembed.ts";
import { registerRegistry } from "./registry.ts";
import { registerSearch } from "./search.ts";
import { globalOptions } from "./session.ts";
import { registerSetup } from "./setup.ts";
import { registerSync } from "./sync.ts";
import { registerTools } from "./tools.ts";
import { withoutHelpForUnknown } from "./unknown-command.ts";
import { registerVersions } from "./versions.ts";
import { registerWatch } from "./watch.ts";

/** Every command, in the order and under the headings of `ragctl --help`. */
const families = {
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
  "Questions:": [registerSearch, registerAsk, registerChat],
  "Company and permissions:": [registerAgents, registerTools, registerProviders, registerPrincipals, registerPermissions, registerRegistry],
  "This machine:": [registerConfig, registerHost, registerBackup, registerLogs, registerCompletion],
};

/** The command line of ragctl. */
export function buildProgram(version: string): Command {
  const program = new Command("ragctl")
    .description("From a folder of documents to a cited answer, on your own machine, in one process.")
    .version(version)
    .showSuggestionAfterError(true)
    .showHelpAfterError("(add --help for the flags and an example)")
    .addHelpText("after", '\nStart:\n  ragctl setup\n  ragctl ingest ./docs\n  ragctl ask "question"');
  for (const [heading, commands] of Object.entries(families)) {
    program.commandsGroup(heading);
    for (const register of commands) register(program);
  }
  globalOptions(program);
  everyCommand(program, (command) => {
    if (command !== program) globalOptions(command);
    command.exitOverride().configureOutput({ writeErr: (text) => void process.stderr.write(text) });
  });
  return program;
}

function everyCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) everyCommand(child, visit);
}

/** Parses and runs one command line; sets the exit status, 2 where the command line itself is wrong. */
export async function runProgram(argv: readonly string[], version: string): Promise<void> {
  try {
    const program = buildProgram(version);
    await program.parseAsync(withoutHelpForUnknown(program, argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

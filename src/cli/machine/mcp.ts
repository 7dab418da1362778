import type { Command } from "commander";
import { programVersion } from "../../version.ts";
import { takeStdout } from "../shell/output.ts";
import { action } from "../shell/session.ts";

// Apart from where it is used: see `loadParts` in shell/session.ts.
const loadServer = () => import("../../mcp/stdio.ts");

/** `ragctl mcp`: documents for the client of a language model. */
export function registerMcp(program: Command): void {
  program
    .command("mcp")
    .description(
      "serve documents to an assistant over stdin and stdout (Model Context Protocol); ends when the client closes stdin",
    )
    .option("--allow-write", "also offer the tools ingest and forget, as far as the principal's rights go")
    .addHelpText(
      "after",
      `
A client starts it by itself. Put this into the client's configuration:
  { "mcpServers": { "ragctl": { "command": "ragctl", "args": ["mcp"] } } }

Example:
  ragctl mcp --as ada`,
    )
    .action(
      action(async ({ app, run, output, settings }, flags: { readonly allowWrite?: boolean }) => {
        const opened = await app();
        output.endStatus();
        const { serveClient } = await loadServer();
        const parts = {
          app: opened,
          programVersion,
          topK: settings.retrieve.topK,
          allowWrite: flags.allowWrite === true,
          log: run.log,
        };
        const line = { input: process.stdin, output: takeStdout(), note: output.note };
        await serveClient(parts, run.principal, line, run.signal);
      }),
    );
}

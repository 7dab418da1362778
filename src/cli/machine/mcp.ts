import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import type { Logger } from "../../core/run.ts";
import { toggle } from "../../operations/fields.ts";
import { programVersion } from "../../version.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { reserveStdout } from "../shell/output.ts";
import { Detached, terminal } from "../shell/terminal.ts";
import { registerClients } from "./mcp-clients.ts";

/** Serves one client of the protocol until it closes its end or `signal` is aborted (`mcp/stdio.ts`). */
export type ServeClient = (
  parts: {
    readonly app: LocalApp;
    readonly programVersion: string;
    readonly topK: number;
    readonly allowWrite: boolean;
    readonly log: Logger;
  },
  principal: string,
  line: { readonly input: Readable; readonly output: Writable; readonly note: (message: string) => void },
  signal: AbortSignal,
) => Promise<void>;

/** `ragctl mcp`: documents for the client of a language model. */
export function registerMcp(program: Command, { mcp }: { readonly mcp: () => Promise<ServeClient> }): void {
  const command = declare(program, "mcp").addHelpText(
    "after",
    `
A client starts it once it is in the client's configuration:
  ragctl mcp install claude-desktop
  { "mcpServers": { "ragctl": { "command": "ragctl", "args": ["mcp"] } } }`,
  );
  const input = {
    allowWrite: toggle(
      "--allow-write",
      "also offer the ingest and forget tools, within the principal's permissions",
    ),
  };
  defineCommand(command, { input, examples: ["ragctl mcp --as ada"] }, async (session, { allowWrite }) => {
    const { run, output, settings } = session;
    const app = await session.app();
    output.endStatus();
    const serveClient = await mcp();
    const parts = { app, programVersion, topK: settings.retrieve.topK, allowWrite, log: run.log };
    const { input, resident } = terminal();
    const line = { input, output: reserveStdout(), note: output.note };
    await serveClient(parts, run.principal, line, run.signal);
    if (resident?.ending.aborted === true) throw new Detached();
  });
  registerClients(command);
}

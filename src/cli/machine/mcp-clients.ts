import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { ownerName } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import { toggle } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";
import { clientShape } from "../../shapes/machine.ts";
import { defineCommand } from "../operations.ts";
import type { Session } from "../shell/session.ts";

// Loaded by these commands alone.
const loadAssistants = () => import("../../app/assistants/configure.ts");

const client = field(
  "<client>",
  z.string(),
  "claude-desktop, claude-code, cursor, vscode, codex, gemini, zed or windsurf",
);
const installation = {
  summary: "add ragctl to the MCP configuration of a client; the entry keeps --as and --home",
  input: {
    client,
    print: toggle("--print", "print the entry instead of writing it"),
    allowWrite: toggle("--allow-write", "also offer the ingest and forget tools"),
  },
  examples: ["ragctl mcp install cursor --as ada", "ragctl mcp install codex --print"],
};
const removal = {
  summary: "remove ragctl from the MCP configuration of a client",
  input: { client },
  examples: ["ragctl mcp uninstall cursor"],
};

/** `ragctl mcp install` and `uninstall`: our entry in the configuration of a client. */
export function registerClients(mcp: Command): void {
  defineCommand(mcp.command("install"), installation, (session, { client, print, allowWrite }) => {
    // --allow-write is a flag of `mcp` as well, which takes it from the line.
    const { allowWrite: taken = allowWrite } = mcp.opts<{ readonly allowWrite?: boolean }>();
    return install(session, client, print, taken);
  });
  defineCommand(mcp.command("uninstall"), removal, (session, { client }) => uninstall(session, client));
}

/**
 * Node and the program by their absolute paths, since a client that no terminal started finds neither; the
 * principal and the home where they differ from the client's defaults.
 */
function startOf({ loaded, run, settings }: Session, allowWrite: boolean) {
  const program = fileURLToPath(new URL("../../../bin/ragctl.js", import.meta.url));
  const isUsual = ["built-in", "defaults file", undefined].includes(loaded.origins.get("home"));
  return {
    command: process.execPath,
    args: [
      ...[program, "mcp"],
      ...(run.principal === ownerName ? [] : ["--as", run.principal]),
      ...(isUsual ? [] : ["--home", settings.home]),
      ...(allowWrite ? ["--allow-write"] : []),
    ],
  };
}

async function install(session: Session, name: string, print: boolean, allowWrite: boolean): Promise<void> {
  const { findClient, clientConfigPath, updateClientConfig, entryText } = await loadAssistants();
  const client = findClient(name);
  const start = startOf(session, allowWrite);
  const entry = entryText(client, start);
  const { output } = session;
  output.note(`${client.title} ${await reachText(session)}`);
  if (print) {
    output.note(`entry for ${client.title}, in ${clientConfigPath(client)}`);
    const printed = { client: name, file: clientConfigPath(client), done: "printed", backup: null } as const;
    output.result({ text: entry, data: clientShape(printed, entry) });
    return;
  }
  const report = await updateClientConfig(client, start);
  output.result({ text: reportText(report), data: clientShape(report, entry) });
  if (report.done !== "unchanged") output.note(`restart ${client.title} to use it`);
}

/** What the assistant can read. @throws NOT_FOUND for an unknown principal, which the client would not show */
async function reachText({ app, run }: Session): Promise<string> {
  if (run.principal === ownerName) return "acts as the owner, who can read everything; --as NAME limits it";
  const names = (await (await app()).collections(run)).map(({ name }) => name);
  return `will act as ${run.principal} and can read ${names.join(", ") || "no collection yet"}`;
}

async function uninstall({ output }: Session, name: string): Promise<void> {
  const { findClient, updateClientConfig } = await loadAssistants();
  const report = await updateClientConfig(findClient(name), undefined);
  output.result({ text: reportText(report), data: clientShape(report, null) });
}

type Report = Awaited<ReturnType<Awaited<ReturnType<typeof loadAssistants>>["updateClientConfig"]>>;

function reportText({ title, file, done, backup, removedLines, addedLines }: Report): string {
  const heading = `${title}: ${done === "unchanged" ? "nothing to change in" : `${done} ragctl in`} ${file}`;
  const kept = backup === null ? [] : [`backup of the previous file: ${backup}`];
  const lines = [...removedLines.map((line) => `- ${line}`), ...addedLines.map((line) => `+ ${line}`)];
  return [heading, ...lines, ...kept].join("\n");
}

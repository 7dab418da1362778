import { constants } from "node:fs";
import { access, copyFile, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { caller } from "../../config/caller.ts";
import { userFolder } from "../../config/home.ts";
import { isDiskFull, RagctlError } from "../../core/errors.ts";
import { type Client, clients, type Entry, entryOf, type Start } from "./clients.ts";
import { editJson, jsonEntry } from "./json.ts";
import { editToml, tomlEntry } from "./toml.ts";

/** Name of our entry. */
const name = "ragctl";

/** What became of a client's configuration. */
export interface ConfigureReport {
  readonly client: string;
  readonly title: string;
  /** Its configuration. */
  readonly file: string;
  readonly done: "added" | "changed" | "removed" | "unchanged";
  /** The copy of the previous file; null where nothing was replaced. */
  readonly backup: string | null;
  readonly removedLines: readonly string[];
  readonly addedLines: readonly string[];
}

/** A client by its name. @throws NOT_FOUND */
export function findClient(wanted: string): Client {
  const client = clients.find((each) => each.name === wanted);
  if (client !== undefined) return client;
  throw new RagctlError("NOT_FOUND", `unknown client "${wanted}"`, {
    hint: `clients: ${clients.map((each) => each.name).join(", ")}; for any other, see docs/reference/mcp.md`,
  });
}

/** Where a client keeps its configuration on this machine. */
export const clientConfigPath = (client: Client): string =>
  client.path({ name: process.platform, userHome: userFolder(), environment: caller().environment });

/** Whether the entry serves this home; one that names none serves the default. */
const serves = (text: string, home: string): boolean =>
  !text.includes('"--home"') || text.includes(JSON.stringify(home));

/**
 * Clients whose configuration on this machine has our entry for a home; one that is broken or cannot be read
 * counts as having none.
 */
export async function configuredClients(home: string): Promise<readonly Client[]> {
  const found = clients.map(async (client) => {
    const file = clientConfigPath(client);
    const text = await readFile(file, "utf8").catch(() => "");
    try {
      return edit(client, file, text, undefined) === text || !serves(text, home) ? [] : [client];
    } catch {
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}

/** The text of the entry in the client's configuration, for a user who adds it by hand. */
export function entryText(client: Client, start: Start): string {
  const entry = entryOf(client, start);
  return client.format === "json"
    ? jsonEntry(client.servers, name, entry)
    : tomlEntry(client.servers, name, entry);
}

/**
 * Writes our entry into a client's configuration, or takes it out where `start` is undefined. All else in it
 * stays, and a copy of it is kept. @throws NOT_FOUND where the client keeps none here, CONFIG_INVALID for one
 * that is broken or cannot be written, DISK_FULL
 */
export async function updateClientConfig(client: Client, start: Start | undefined): Promise<ConfigureReport> {
  const { title } = client;
  const file = await realpath(clientConfigPath(client)).catch(() => clientConfigPath(client));
  const text = await read(file, title);
  const entry = start === undefined ? undefined : entryOf(client, start);
  const edited = edit(client, file, text ?? "", entry);
  const report = { client: client.name, title, file };
  if (edited === (text ?? ""))
    return { ...report, done: "unchanged", backup: null, removedLines: [], addedLines: [] };
  const backup = text === undefined ? null : await keep(file);
  await replace(file, edited);
  const isNew = edit(client, file, text ?? "", undefined) === (text ?? "");
  const done = start === undefined ? "removed" : isNew ? "added" : "changed";
  return { ...report, done, backup, ...differing(text ?? "", edited) };
}

/** The configuration; undefined where the file does not exist. @throws NOT_FOUND, CONFIG_INVALID */
async function read(file: string, title: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw unwritable(file, "read", error);
  });
  if (text !== undefined) return text;
  const folder = await stat(dirname(file)).catch(() => undefined);
  if (folder?.isDirectory() === true) return undefined;
  throw new RagctlError(
    "NOT_FOUND",
    `${title} has no configuration folder ${dirname(file)}; is it installed?`,
    {
      hint: "start it once and try again; --print prints the entry, so you can add it yourself",
    },
  );
}

function edit(client: Client, file: string, text: string, entry: Entry | undefined): string {
  const change = client.format === "json" ? editJson : editToml;
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  try {
    return mark + change(text.slice(mark.length), client.servers, name, entry);
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new RagctlError("CONFIG_INVALID", `${file} was not changed: ${reason}`, {
      hint: `correct it, or add the entry yourself: ragctl mcp install ${client.name} --print prints it`,
      cause,
    });
  }
}

/** Copies a file under the first free of its names, `.bak`, `.bak2`, …; where that is. */
async function keep(file: string): Promise<string> {
  for (let number = 1; ; number++) {
    const copy = `${file}.bak${number === 1 ? "" : number}`;
    try {
      await access(file, constants.W_OK);
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") continue;
      throw unwritable(file, "changed", error);
    }
  }
}

/** Writes a file in one step, with the mode it had. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    const mode = await stat(file).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    await writeFile(draft, text, { mode });
    await rename(draft, file);
  } catch (error) {
    throw unwritable(file, "changed", error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

function unwritable(file: string, what: "read" | "changed", cause: unknown): unknown {
  if (isDiskFull(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RagctlError("CONFIG_INVALID", `${file} cannot be ${what}: ${reason}`, {
    hint: "check its owner and mode, or add the entry yourself: --print prints it",
    cause,
  });
}

/** Lines that only one of two texts has between what both begin and end with. */
function differing(before: string, after: string) {
  const [old, fresh] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return {
    removedLines: old.slice(start, old.length - end),
    addedLines: fresh.slice(start, fresh.length - end),
  };
}

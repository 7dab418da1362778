import { posix, win32 } from "node:path";
import type { Platform } from "../../config/home.ts";

/** How a client starts the server. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** An assistant that starts MCP servers, and where it is configured. */
export interface Client {
  /** The name as typed. */
  readonly name: string;
  readonly title: string;
  readonly format: "json" | "toml";
  /** Path of its configuration of the user. */
  path(platform: Platform): string;
  /** Name of the member with its servers. */
  readonly servers: string;
  /** Members of an entry in addition to command and arguments. */
  readonly further: Readonly<Record<string, string>>;
}

const pathsOf = ({ name }: Platform) => (name === "win32" ? win32 : posix);

/** A path below the user's home folder, the same on every platform. */
const inHome =
  (...parts: readonly string[]) =>
  (platform: Platform): string =>
    pathsOf(platform).join(platform.userHome, ...parts);

/** A path below the platform's folder for application settings. */
const inSettings =
  (...parts: readonly string[]) =>
  (platform: Platform): string => {
    const { name, userHome, environment } = platform;
    const { join } = pathsOf(platform);
    if (name === "win32")
      return join(environment["APPDATA"] || join(userHome, "AppData", "Roaming"), ...parts);
    if (name === "darwin") return join(userHome, "Library", "Application Support", ...parts);
    return join(settingsFolder(platform), ...parts);
  };

/** By the XDG specification, which ignores a relative one. */
function settingsFolder({ userHome, environment }: Platform): string {
  const given = environment["XDG_CONFIG_HOME"];
  return given !== undefined && posix.isAbsolute(given) ? given : posix.join(userHome, ".config");
}

/** Zed keeps to .config on macOS too. */
const zedPath = (platform: Platform): string =>
  platform.name === "win32"
    ? inSettings("Zed", "settings.json")(platform)
    : posix.join(settingsFolder(platform), "zed", "settings.json");

const json = { format: "json", servers: "mcpServers", further: {} } as const;

/** Every client that can be configured. */
export const clients: readonly Client[] = [
  {
    ...json,
    name: "claude-desktop",
    title: "Claude Desktop",
    path: inSettings("Claude", "claude_desktop_config.json"),
  },
  {
    ...json,
    name: "claude-code",
    title: "Claude Code",
    path: inHome(".claude.json"),
    further: { type: "stdio" },
  },
  { ...json, name: "cursor", title: "Cursor", path: inHome(".cursor", "mcp.json") },
  {
    ...json,
    name: "vscode",
    title: "VS Code",
    path: inSettings("Code", "User", "mcp.json"),
    servers: "servers",
    further: { type: "stdio" },
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    path: inHome(".codex", "config.toml"),
    servers: "mcp_servers",
    further: {},
  },
  { ...json, name: "gemini", title: "Gemini CLI", path: inHome(".gemini", "settings.json") },
  { ...json, name: "zed", title: "Zed", path: zedPath, servers: "context_servers" },
  { ...json, name: "windsurf", title: "Windsurf", path: inHome(".codeium", "windsurf", "mcp_config.json") },
];

/** The server's entry in a client's configuration. */
export const entryOf = ({ further }: Client, { command, args }: Start) => ({ ...further, command, args });
export type Entry = ReturnType<typeof entryOf>;

import type { Readable, Writable } from "node:stream";
import type { Settings } from "../config/settings.ts";
import type { Run } from "../core/run.ts";
import type { LocalApp } from "./app.ts";
import type { Company } from "./company.ts";
import type { Telemetry } from "./telemetry.ts";

/** What of the app is served, within the permissions of who calls; an audit serves its copy. */
export type ServedApp = Company & Pick<LocalApp, "doctor" | "readiness">;

/** Where the server listens and how it signs in, from the flags. */
export interface ServeRequest {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** False: every caller acts as the principal of the command. */
  readonly auth: boolean;
  /** PEM files; both or none. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy: boolean;
  /** Further addresses under which people reach the server, e.g. `https://rag.example.org`. */
  readonly origins: readonly string[];
}

/** Answers requests under `/mcp` by `app` on behalf of the run's principal. */
export type McpHandler = (request: Request, run: Run, app: ServedApp) => Promise<Response>;

/** The parts of a server. */
export interface ServeParts {
  readonly app: ServedApp;
  readonly settings: Settings;
  readonly programVersion: string;
  /**
   * The owner of the server: its principal comes in by the printed link, or without a key under `--no-auth`.
   */
  readonly run: Run;
  readonly mcp?: McpHandler;
  /** Default: requests are not followed. */
  readonly telemetry?: Telemetry;
}

/** A server that listens. */
export interface RunningServer {
  /** e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Opens the page and signs in; the plain address where only keys are valid. */
  readonly link: string;
  /** Takes no new work, lets streams end, then closes every connection. */
  stop(): Promise<void>;
}

/** The interfaces for assistants, for an audit. */
export interface AuditedAssistants {
  readonly http: McpHandler;
  /**
   * Serves one client over streams, with the tools that write, until its input ends or `signal` is aborted.
   */
  readonly stdio: (
    principal: string,
    line: { readonly input: Readable; readonly output: Writable; readonly note: (message: string) => void },
    signal: AbortSignal,
  ) => Promise<void>;
}

/** Starts a server over an app; the command line knows no more of servers. */
export type StartServer = (request: ServeRequest, parts: ServeParts) => Promise<RunningServer>;

import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable } from "node:stream";
import { styleText } from "node:util";
import type { Loader } from "../../app/engines/loader.ts";
import type { Settings } from "../../config/settings.ts";
import { onStopSignal, type Reaction, type StopSignal } from "./signals.ts";

/** Where text goes; `columns` of a terminal. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Input and output of a command, and how it is stopped and ends: those of its process, or those of a remote
 * caller.
 */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Screen;
  readonly error: Screen & NodeJS.WritableStream;
  /** Whether the error stream takes colours, by its kind, NO_COLOR and FORCE_COLOR. */
  readonly colors: boolean;
  /** Sets the exit status. */
  exit(status: number): void;
  onStop(react: (signal: StopSignal) => Reaction): Disposable;
  /**
   * The process that keeps models loaded and runs the command for a caller; null where the command has its
   * own process.
   */
  readonly resident: Resident | null;
}

/** Resources that the resident process lends to a command. */
export interface Resident {
  /** Whether it may run the command of a principal by its settings. @throws Declined */
  admit(command: string, principal: string, settings: Settings): void;
  /** Models for this command; `onWait` receives the number of generations ahead of its own. */
  loader(settings: Settings, onWait: (ahead: number) => void): Loader;
  /** Aborted when the process ends before the command does. */
  readonly ending: AbortSignal;
}

/** The command must run in the caller's own process; the message says why. Nothing was printed. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** The process that runs the command ends, and the caller continues with the next one. */
export class Detached extends Error {
  override readonly name = "Detached";
}

/** That of this process. */
const processTerminal: Terminal = {
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  get error() {
    return process.stderr;
  },
  get colors() {
    return styleText("red", "x", { stream: process.stderr }) !== "x";
  },
  exit(status) {
    process.exitCode = status;
  },
  onStop: onStopSignal,
  resident: null,
};

const terminals = new AsyncLocalStorage<Terminal>();

/** The terminal of the command that this code runs for. */
export const terminal = (): Terminal => terminals.getStore() ?? processTerminal;

/** Runs a command at a given terminal. */
export const runWithTerminal = <T>(own: Terminal, work: () => T): T => terminals.run(own, work);

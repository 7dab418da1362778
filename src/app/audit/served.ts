import type { Run } from "../../core/run.ts";
import type { Home } from "../home.ts";
import type { Surface } from "../surface.ts";

/** The copy of a home that is audited, as a server needs it. */
export interface HomeCopy {
  readonly home: Home;
  readonly surface: Surface;
  /** Where uploads go; removed at the end. */
  readonly folder: string;
  /** A run of the owner. */
  readonly run: Run;
}

/** A room over its socket. */
export interface RoomTalk extends Disposable {
  /** Says something and waits until it is answered. */
  say(text: string): Promise<void>;
  /** Every received message, unchanged. */
  readonly received: readonly string[];
}

/** A copy as others reach it: by the handlers of a server and of assistants, without a socket. */
export interface ServedCopy extends AsyncDisposable {
  /** Answers a request with the principal's own key. */
  request(principal: string, path: string, init?: RequestInit): Promise<Response>;
  /** Opens a room's socket; a refusal comes back as its response. */
  room(principal: string, room: string): Promise<Response | RoomTalk>;
  /**
   * The result or the error of one message over stdin and stdout, where the tools that write are there too.
   */
  assistant(principal: string, method: string, params: object): Promise<unknown>;
}

/** Serves a copy; `main.ts` knows how. */
export type ServeCopy = (copy: HomeCopy) => Promise<ServedCopy>;

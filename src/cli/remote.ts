import { Readable, Writable } from "node:stream";
import { runAsCaller } from "../config/caller.ts";
import type { CallerFrame, RemoteFrame, RemoteRequest, RemoteStream } from "../core/remote.ts";
import { runProgram, type Services } from "./program.ts";
import type { Reaction, StopSignal } from "./shell/signals.ts";
import { Declined, Detached, type Resident, runWithTerminal, type Terminal } from "./shell/terminal.ts";

/** The connection of a caller, as the resident process gives it. */
export interface RemoteLink {
  readonly request: RemoteRequest;
  send(frame: RemoteFrame): void;
  onFrame(take: (frame: CallerFrame) => void): void;
  /** Aborted when the caller has left. */
  readonly left: AbortSignal;
}

/** Services that need a separate process never run here. */
const services: Omit<Services, "mcp"> = {
  server: () => Promise.reject(new Declined("serve runs in its own process")),
  serveCopy: () => Promise.reject(new Declined("an audit runs in its own process")),
};

/** Characters of one message: a long result does not make the caller wait for all of it. */
const pieceLength = 65_536;

/**
 * Runs the caller's command line here, with the caller's streams, folder and environment, until it ends or
 * the caller has left.
 */
export async function runRemote(
  link: RemoteLink,
  resident: Resident,
  version: string,
  mcp: Services["mcp"],
): Promise<void> {
  const { request, send } = link;
  const terminal = remoteTerminal(link, resident);
  const caller = { cwd: request.cwd, environment: request.environment };
  try {
    await runAsCaller(caller, () =>
      runWithTerminal(terminal, () => runProgram(request.argv, version, { ...services, mcp })),
    );
    send({ exit: terminal.status() });
  } catch (error) {
    if (error instanceof Declined) send({ decline: error.message });
    else if (!(error instanceof Detached)) throw error;
  }
}

/** The streams and signals at the other end of a connection. */
function remoteTerminal(
  { request, send, onFrame, left }: RemoteLink,
  resident: Resident,
): Terminal & { readonly status: () => number } {
  let status = 0;
  const reactions = new Set<(signal: StopSignal) => Reaction>();
  const stop = (signal: StopSignal): void => {
    for (const react of reactions) if (react(signal) === "goes on") send({ goesOn: true });
  };
  left.addEventListener("abort", () => stop("SIGTERM"), { once: true });
  const error = remoteScreen(request.error, (err) => send({ err }));
  const input = remoteInput(request.input.isTerminal, send);
  onFrame((frame) => {
    if ("signal" in frame) stop(frame.signal);
    else if ("input" in frame) input.push(frame.input === null ? null : Buffer.from(frame.input, "base64"));
    else {
      error.columns = frame.columns;
      error.emit("resize");
    }
  });
  return {
    input,
    output: remoteScreen(request.output, (out) => send({ out })),
    error,
    colors: request.error.colors,
    status: () => status,
    exit(wanted) {
      status = wanted;
    },
    onStop(react) {
      reactions.add(react);
      // A caller that left before the command began to listen.
      if (left.aborted) react("SIGTERM");
      return { [Symbol.dispose]: () => void reactions.delete(react) };
    },
    resident,
  };
}

function remoteScreen({ isTerminal, columns }: RemoteStream, write: (text: string) => void) {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      for (let at = 0; at < String(text).length; at += pieceLength)
        write(String(text).slice(at, at + pieceLength));
      done();
    },
  });
  return Object.assign(stream, isTerminal ? { isTTY: true, columns } : { isTTY: false, columns: 0 });
}

/** Standard input; a chunk is requested whenever the command reads. */
function remoteInput(isTerminal: boolean, send: RemoteLink["send"]) {
  const stream = new Readable({ read: () => send({ read: true }) });
  return Object.assign(stream, {
    isTTY: isTerminal,
    // Called by a line editor on a terminal.
    setRawMode(raw: boolean): void {
      send({ raw });
    },
  });
}

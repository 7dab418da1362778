import { Socket } from "node:net";
import { styleText } from "node:util";
import { RagctlError } from "../core/errors.ts";
import type { CallerFrame, RemoteFrame, RemoteRequest } from "../core/remote.ts";
import { connectResident, hostFiles, programIdentity } from "./address.ts";
import { readCommandLine } from "./command-line.ts";
import { readMessages, sendMessage } from "./frames.ts";
import { createOutputErrorHandler, report } from "./lost-output.ts";
import { createMcpProxy, type Input, type Talk } from "./mcp-proxy.ts";
import { forwardSignals, type Stopping } from "./stop.ts";

/**
 * How long the resident process may take to say that it read the request, ms; one that is busier runs nothing
 * more.
 */
const helloMs = 5_000;

/** A command line that the resident process of a home may run. */
interface Call {
  readonly argv: readonly string[];
  readonly home: string;
  /** Path of the program that starts the resident process. */
  readonly node: string;
  /** The session of an assistant, if it is one. */
  readonly talk: Talk | undefined;
}

/**
 * Lets the resident process of the home run the command. False where it does not: the command must then run
 * in a separate process, and nothing was printed or done.
 */
export async function attachToResident(argv: readonly string[], node: string): Promise<boolean> {
  const { home, mayBeResident, isTalk } = readCommandLine(argv, process.env, process.cwd());
  const socket = mayBeResident ? await connectResident(home, node) : undefined;
  if (socket === undefined) return false;
  process.stderr.on("error", () => undefined);
  const talk = isTalk ? createMcpProxy(process.stdin, process.stdout) : undefined;
  const call: Call = { argv, home, node, talk };
  const end = await converse(socket, call);
  if (end === "declined") return false;
  process.exitCode =
    end !== "lost" ? end : talk === undefined ? await reportLoss(call) : await goOn(call, talk);
  if (isTalk) process.stdin.destroy();
  return true;
}

/**
 * Serves an assistant on after the resident process has ended: the next message, and no earlier one, starts
 * another, so that `ragctl stop` stops it. The exit status.
 */
async function goOn(call: Call, talk: Talk): Promise<number> {
  // An assistant that has gone ends its input too.
  process.stdout.on("error", () => undefined);
  for (;;) {
    talk.fail("HOST_UNAVAILABLE: the resident process ended during this request; send it again");
    if (!(await talk.next())) return 0;
    const socket = await connectResident(call.home, call.node);
    const end = socket === undefined ? "declined" : await converse(socket, call);
    if (end === "declined") return reportLoss(call);
    if (end !== "lost") return end;
  }
}

function requestOf(argv: readonly string[]): RemoteRequest {
  const { stdin, stdout, stderr } = process;
  const isSet = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;
  return {
    request: "run",
    program: programIdentity(),
    argv,
    cwd: process.cwd(),
    environment: Object.fromEntries(Object.entries(process.env).filter(isSet)),
    input: { isTerminal: stdin.isTTY === true },
    output: { isTerminal: stdout.isTTY === true, columns: stdout.columns ?? 0 },
    error: {
      isTerminal: stderr.isTTY === true,
      columns: stderr.columns ?? 0,
      // Asked of node itself, which knows the terminal, NO_COLOR and FORCE_COLOR.
      colors: styleText("red", "x", { stream: stderr }) !== "x",
    },
  };
}

/** Sends standard input, one chunk for each request, so that no more is taken than the command reads. */
function openInput(send: (frame: CallerFrame) => void): Input {
  const { stdin } = process;
  let isOpen = false;
  const give = (input: string | null): void => {
    stdin.pause();
    send({ input });
  };
  return {
    read(): void {
      if (!isOpen) {
        stdin.on("data", (data: Buffer) => give(data.toString("base64")));
        stdin.once("end", () => give(null));
        stdin.once("error", () => give(null));
      }
      isOpen = true;
      stdin.resume();
    },
    raw(mode: boolean): void {
      if (stdin.isTTY) stdin.setRawMode(mode);
    },
    close(): void {
      if (!isOpen) return;
      if (stdin.isTTY) stdin.setRawMode(false);
      stdin.pause();
      // Redirected from a file it is no socket, and holds nothing open.
      if (stdin instanceof Socket) stdin.unref();
    },
  };
}

/** Prints the command's output, or gives it input. */
function take(frame: RemoteFrame, input: Input, talk: Talk | undefined): void {
  if ("err" in frame) process.stderr.write(frame.err);
  else if ("out" in frame && talk !== undefined) talk.print(frame.out);
  else if ("out" in frame) process.stdout.write(frame.out);
  else if ("read" in frame) input.read();
  else if ("raw" in frame) input.raw(frame.raw);
}

/** Takes the frames of a command until it ends or declines; undefined if the connection ended first. */
async function follow(
  socket: Socket,
  take: (frame: RemoteFrame) => void,
): Promise<number | "declined" | undefined> {
  try {
    for await (const frame of readMessages<RemoteFrame>(socket, Number.POSITIVE_INFINITY)) {
      if ("exit" in frame) return frame.exit;
      if ("decline" in frame) return "declined";
      take(frame);
    }
  } catch {
    // It broke.
  }
  return undefined;
}

/**
 * Passes the streams and signals of this process to the one that runs the command, until it ends or declines.
 * The command's exit status, or why it has none.
 */
async function converse(socket: Socket, { argv, talk }: Call): Promise<number | "declined" | "lost"> {
  const send = (frame: CallerFrame | RemoteRequest): void => sendMessage(socket, frame);
  const input = talk?.input(send) ?? openInput(send);
  const seen: { stopping?: Stopping; lostOutput?: Promise<number | undefined> } = {};
  const lostOutput = createOutputErrorHandler(argv);
  const onLostOutput = (error: Error): void => {
    seen.lostOutput ??= lostOutput(error);
    socket.destroy();
  };
  const onResize = (): void => send({ columns: process.stderr.columns });
  process.stdout.on("error", onLostOutput);
  process.stderr.on("resize", onResize);
  const silence = setTimeout(() => socket.destroy(), helloMs);
  send(requestOf(argv));
  const status = await follow(socket, (frame) => {
    if ("goesOn" in frame) seen.stopping?.goesOn();
    else if ("hello" in frame) {
      clearTimeout(silence);
      seen.stopping = forwardSignals({ pass: (signal) => send({ signal }), kill: () => socket.destroy() });
    } else take(frame, input, talk);
  });
  // A failure to write the last output is known in the next turn.
  await new Promise(setImmediate);
  const lostStatus = await seen.lostOutput;
  clearTimeout(silence);
  seen.stopping?.end();
  input.close();
  process.stderr.off("resize", onResize);
  if (seen.stopping === undefined || status === "declined") return "declined";
  const end = seen.stopping.status() ?? lostStatus ?? status ?? "lost";
  if (end === "lost") process.stdout.off("error", onLostOutput);
  return end;
}

/** Says that the resident process went away with the command; the exit status of that. */
function reportLoss({ argv, home }: Call): Promise<number> {
  const hint = `run the command again to start a new one; ${hostFiles(home).log} may show why it ended`;
  const what = "the resident process ended while running this command";
  return report(argv, new RagctlError("HOST_UNAVAILABLE", what, { hint }));
}

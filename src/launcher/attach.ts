import { Socket } from "node:net";
import { styleText } from "node:util";
import type { CallerFrame, RemoteFrame, RemoteRequest } from "../core/remote.ts";
import { type CommandLine, readCommandLine } from "./command-line.ts";
import { connectResident } from "./connect.ts";
import { createOutputErrorHandler } from "./lost-output.ts";
import { createMcpProxy, type Input, type Talk } from "./mcp-proxy.ts";
import { programIdentity } from "./program.ts";
import { forwardSignals, type Stopping } from "./stop.ts";

/**
 * How long the resident process may take to say that it read the request, ms; one that is busier runs nothing
 * more.
 */
const helloMs = 5_000;

/** The end of a message. */
const lineFeed = 10;

/**
 * Lets the resident process of the home run the command. False where it does not: the command must then run
 * in a separate process, and nothing was printed or done.
 */
export async function attachToResident(argv: readonly string[], node: string): Promise<boolean> {
  const line = readCommandLine(argv, process.env, process.cwd());
  if (!line.mayBeResident) return false;
  const socket = await connectResident(line.home, node);
  if (socket === undefined) return false;
  process.stderr.on("error", () => undefined);
  const talk = line.isTalk ? createMcpProxy(process.stdin, process.stdout) : undefined;
  const end = await converse(socket, requestOf(argv), argv, talk);
  if (end === "declined") return false;
  process.exitCode =
    end !== "lost" ? end : talk === undefined ? await reportLoss(line) : await goOn(talk, line, argv, node);
  if (line.isTalk) process.stdin.destroy();
  return true;
}

/**
 * Serves an assistant on after the resident process has ended: the next message, and no earlier one, starts
 * another, so that `ragctl stop` stops it. The exit status.
 */
async function goOn(talk: Talk, line: CommandLine, argv: readonly string[], node: string): Promise<number> {
  // An assistant that has gone ends its input too.
  process.stdout.on("error", () => undefined);
  for (;;) {
    talk.fail("HOST_UNAVAILABLE: the resident process ended during this request; send it again");
    if (!(await talk.next())) return 0;
    const socket = await connectResident(line.home, node);
    const end = socket === undefined ? "declined" : await converse(socket, requestOf(argv), argv, talk);
    if (end === "declined") return reportLoss(line);
    if (end !== "lost") return end;
  }
}

function requestOf(argv: readonly string[]): RemoteRequest {
  const { stdin, stdout, stderr } = process;
  const environment = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    request: "run",
    program: programIdentity(),
    argv,
    cwd: process.cwd(),
    environment: Object.fromEntries(environment),
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

/** Calls `take` with each line of the socket. */
function readLines(socket: Socket, take: (line: string) => void): void {
  let parts: Buffer[] = [];
  socket.on("data", (data: Buffer) => {
    let from = 0;
    for (let end = data.indexOf(lineFeed); end >= 0; end = data.indexOf(lineFeed, from)) {
      take(Buffer.concat([...parts, data.subarray(from, end)]).toString("utf8"));
      parts = [];
      from = end + 1;
    }
    if (from < data.length) parts.push(data.subarray(from));
  });
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

/** Prints the command's output; false for any other frame. */
function print(frame: RemoteFrame, talk: Talk | undefined): boolean {
  if ("out" in frame && talk !== undefined) talk.print(frame.out);
  else if ("out" in frame) process.stdout.write(frame.out);
  else if ("err" in frame) process.stderr.write(frame.err);
  else return false;
  return true;
}

/**
 * Passes the streams and signals of this process to the one that runs the command, until it ends or declines.
 * The command's exit status, or why it has none.
 */
function converse(
  socket: Socket,
  request: RemoteRequest,
  argv: readonly string[],
  talk: Talk | undefined,
): Promise<number | "declined" | "lost"> {
  const send = (frame: CallerFrame | RemoteRequest): void => void socket.write(`${JSON.stringify(frame)}\n`);
  const input = talk?.input(send) ?? openInput(send);
  let stopping: Stopping | undefined;
  let status: number | undefined;
  let isDeclined = false;
  const lostOutput = createOutputErrorHandler(argv);
  const silence = setTimeout(() => socket.destroy(), helloMs);
  const take = (frame: RemoteFrame): void => {
    if (print(frame, talk)) return;
    if ("hello" in frame) {
      clearTimeout(silence);
      stopping = forwardSignals({ pass: (signal) => send({ signal }), kill: () => socket.destroy() });
    } else if ("read" in frame) input.read();
    else if ("raw" in frame) input.raw(frame.raw);
    else if ("goesOn" in frame) stopping?.goesOn();
    else if ("exit" in frame) status = frame.exit;
    else isDeclined = true;
    if (status !== undefined || isDeclined) socket.destroy();
  };
  readLines(socket, (text) => take(JSON.parse(text)));
  socket.on("error", () => socket.destroy());
  const onLostOutput = async (error: Error): Promise<void> => {
    status = (await lostOutput(error)) ?? status;
    socket.destroy();
  };
  const onResize = (): void => send({ columns: process.stderr.columns });
  process.stdout.on("error", onLostOutput);
  process.stderr.on("resize", onResize);
  send(request);
  return new Promise((resolve) => {
    socket.once("close", () => {
      clearTimeout(silence);
      stopping?.end();
      input.close();
      process.stderr.off("resize", onResize);
      const isDone = stopping !== undefined && !isDeclined;
      const end = isDone ? (stopping?.status() ?? status ?? "lost") : "declined";
      if (end === "lost") process.stdout.off("error", onLostOutput);
      resolve(end);
    });
  });
}

/** Says that the resident process went away with the command; the exit status of that. */
async function reportLoss({ home, format, quiet }: CommandLine): Promise<number> {
  const [{ openOutput }, { RagctlError }] = await Promise.all([
    import("../cli/shell/output.ts"),
    import("../core/errors.ts"),
  ]);
  const error = new RagctlError("HOST_UNAVAILABLE", "the resident process ended while running this command", {
    hint: `run the command again to start a new one; ${home}/host/host.log may show why it ended`,
  });
  return openOutput({ format, quiet }).error(error).exitStatus;
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on a free port of the loopback. */
export interface Loopback extends AsyncDisposable {
  /** Without a path, e.g. `http://127.0.0.1:40123`. */
  readonly base: string;
}

/** Listens, and hands every request to `answer` with its whole body. */
export async function openLoopback(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => unknown,
): Promise<Loopback> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => void answer(request, body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

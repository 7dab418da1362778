import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model's server that takes a question and never answers, until it is closed. */
export interface SlowServer extends AsyncDisposable {
  readonly address: string;
  /** Questions that wait. */
  waiting(): number;
}

export async function openSlowServer(): Promise<SlowServer> {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "POST")
      return void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    open.add(response);
    response.once("close", () => open.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/v1`,
    waiting: () => open.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

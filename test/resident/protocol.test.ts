import assert from "node:assert/strict";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { readMessages } from "../../src/resident/frames.ts";
import { sendRequest } from "../../src/resident/protocol.ts";
import { withFolder } from "../contracts/store.ts";

/** Listens in a folder, hands each connection to `serve` and gives the address to `use`. */
async function listening(
  serve: (socket: Socket) => void,
  use: (control: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (base) => {
    const control = join(base, "c.sock");
    const server = createServer(serve);
    await new Promise<void>((resolve) => server.listen(control, resolve));
    try {
      await use(control);
    } finally {
      server.close();
    }
  });
}

test("a line without end is refused while it is short, and whole lines before it are read", async () => {
  const outcome = Promise.withResolvers<{ messages: unknown[]; error: unknown }>();
  const serve = async (socket: Socket): Promise<void> => {
    const messages: unknown[] = [];
    try {
      for await (const message of readMessages(socket)) messages.push(message);
      outcome.resolve({ messages, error: undefined });
    } catch (error) {
      outcome.resolve({ messages, error });
    }
    socket.destroy();
  };
  await listening(
    (socket) => void serve(socket),
    async (control) => {
      const client = createConnection(control);
      client.on("error", () => undefined);
      client.write('{"request":"status"}\r\n');
      client.write(Buffer.alloc(1_000_000, "x"));
      const { messages, error } = await outcome.promise;
      client.destroy();
      assert.deepEqual(messages, [{ request: "status" }]);
      assert.match(String(error), /longer than 65536 bytes/);
    },
  );
});

test("a message cut anywhere, even within a character, arrives whole", async () => {
  const arrived = Promise.withResolvers<unknown>();
  const serve = async (socket: Socket): Promise<void> => {
    for await (const message of readMessages(socket)) arrived.resolve(message);
  };
  await listening(
    (socket) => void serve(socket),
    async (control) => {
      const client = createConnection(control);
      for (const byte of Buffer.from('{"name":"äöü🙂"}\n')) {
        client.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.deepEqual(await arrived.promise, { name: "äöü🙂" });
      client.destroy();
    },
  );
});

test("a host that answers with a line without end counts as gone", async () => {
  await listening(
    (socket) => {
      socket.on("error", () => undefined);
      socket.write(Buffer.alloc(1_000_000, "x"));
    },
    async (control) => {
      const sent = sendRequest(control, { request: "status" }, AbortSignal.timeout(5_000));
      assert.equal(await sent, undefined);
    },
  );
});

test("a request that is aborted while it connects is not sent", async () => {
  const left = Promise.withResolvers<readonly unknown[]>();
  const serve = async (socket: Socket): Promise<void> => {
    const messages: unknown[] = [];
    for await (const message of readMessages(socket)) {
      messages.push(message);
      socket.end();
    }
    left.resolve(messages);
  };
  await listening(
    (socket) => void serve(socket),
    async (control) => {
      const stop = new AbortController();
      const sent = sendRequest(control, { request: "status" }, stop.signal);
      stop.abort(new Error("enough"));
      await assert.rejects(sent, /enough/);
      assert.deepEqual(await left.promise, []);
    },
  );
});

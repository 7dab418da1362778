import type { Socket } from "node:net";

/** Longest reply, bytes; real ones have a few hundred. An endless line would otherwise fill memory. */
const maxReplyBytes = 65_536;
const lineFeed = 10;

/**
 * One JSON value per line from a socket, which is destroyed when the reader leaves. The type is that of a
 * sender of this program. @throws Error if a line is too long or invalid, or the connection breaks
 */
export async function* readMessages<T = unknown>(
  socket: Socket,
  maxBytes = maxReplyBytes,
): AsyncGenerator<T> {
  let parts: Buffer[] = [];
  let length = 0;
  // Without an encoding, sockets emit buffers.
  for await (const data of socket as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = data.indexOf(lineFeed); end >= 0; end = data.indexOf(lineFeed, from)) {
      const line = Buffer.concat([...parts, data.subarray(from, end)]).toString("utf8");
      [parts, length, from] = [[], 0, end + 1];
      yield JSON.parse(line);
    }
    parts.push(data.subarray(from));
    length += data.length - from;
    if (length > maxBytes) throw new Error(`a message is longer than ${maxBytes} bytes`);
  }
}

/** Sends one message, unless the connection has ended. */
export function sendMessage(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

import type { Server as HttpServer, IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Most concurrent connections, in total and for one network, and how long bodies may take. */
export interface ConnectionLimits {
  readonly mostConnections: number;
  readonly mostOfOneAddress: number;
  /** After this long, ms, a connection whose body is still coming may give way to another. */
  readonly bodyGraceMs: number;
  /** After this long, ms, a body must come at `leastRate` on average. */
  readonly slowBodyMs: number;
}

/** Bytes each ms, below which a body counts as one that shall not end. */
const leastRate = 1;

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** Unanswered requests; a WebSocket counts as one that is never answered. */
  underWay: number;
  /** The last request, when it began, and what had come over the connection by then. */
  last?: { readonly request: IncomingMessage; readonly at: number; readonly bytesRead: number };
}

/** How fast a body comes that has been coming for `ms` at least, bytes each ms; undefined for others. */
function bodyRate({ socket, last }: Connection, ms: number): number | undefined {
  if (last === undefined || last.request.complete) return undefined;
  const tookMs = performance.now() - last.at;
  return tookMs < ms ? undefined : (socket.bytesRead - last.bytesRead) / tookMs;
}

/** Identifies a connection, with or without TLS. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** The IPv4 address of a client, or its /64 network, which belongs to one subscriber. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [left = [], right = []] = address
    .split("::")
    .map((half) => half.split(":").filter((part) => part !== ""));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}

/** The connection whose body comes slowest, of those where one has been coming for `ms` at least. */
const slowest = (connections: readonly Connection[], ms: number): Connection | undefined =>
  connections
    .map((connection) => ({ connection, rate: bodyRate(connection, ms) ?? Number.POSITIVE_INFINITY }))
    .filter(({ rate }) => rate < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rate - b.rate)[0]?.connection;

/** As node's own error for a request that takes too long. */
const tooSlow = () => Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/**
 * Limits the connections of a server. Beyond a limit the connection idle for longest is closed, else the one
 * whose body comes slowest, or the new one if all are busy. Returns a function that closes all, WebSockets
 * included, which node no longer tracks.
 */
export function limitConnections(
  http: HttpServer,
  { mostConnections, mostOfOneAddress, bodyGraceMs, slowBodyMs }: ConnectionLimits,
): () => void {
  /** By client, longest idle first. */
  const open = new Map<string, Connection>();
  const makeRoom = (held: readonly Connection[], most: number): boolean => {
    if (held.length < most) return true;
    const given = held.find(({ underWay }) => underWay === 0) ?? slowest(held, bodyGraceMs);
    given?.socket.destroy();
    if (given !== undefined) open.delete(peerOf(given.socket));
    return given !== undefined;
  };
  const checking = setInterval(() => {
    for (const connection of open.values())
      if ((bodyRate(connection, slowBodyMs) ?? leastRate) < leastRate)
        http.emit("clientError", tooSlow(), connection.socket);
  }, slowBodyMs / 4).unref();
  http.once("close", () => clearInterval(checking));
  http.on("connection", (socket: Socket) => {
    const [peer, network] = [peerOf(socket), networkOf(socket.remoteAddress ?? "")];
    const same = [...open.values()].filter((each) => each.network === network);
    if (!makeRoom(same, mostOfOneAddress) || !makeRoom([...open.values()], mostConnections))
      return void socket.destroy();
    const connection: Connection = { socket, network, underWay: 0 };
    open.set(peer, connection);
    socket.once("close", () => {
      if (open.get(peer) === connection) open.delete(peer);
    });
  });
  http.on("request", (request: IncomingMessage, response) => {
    const { socket } = request;
    const [peer, connection] = [peerOf(socket), open.get(peerOf(socket))];
    if (connection === undefined) return;
    connection.underWay += 1;
    connection.last = { request, at: performance.now(), bytesRead: socket.bytesRead };
    response.once("close", () => {
      connection.underWay -= 1;
      if (!open.delete(peer)) return;
      open.set(peer, connection);
    });
  });
  http.on("upgrade", ({ socket }: IncomingMessage, _: Duplex) => {
    const connection = open.get(peerOf(socket));
    if (connection !== undefined) connection.underWay += 1;
  });
  return () => {
    for (const { socket } of open.values()) socket.destroy();
  };
}

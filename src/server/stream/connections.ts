import type { Server as HttpServer, IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Most concurrent connections, in total and for one network. */
export interface ConnectionLimits {
  readonly mostConnections: number;
  readonly mostOfOneAddress: number;
}

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** Unanswered requests; a WebSocket counts as one that is never answered. */
  underWay: number;
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

/**
 * Limits the connections of a server. Beyond a limit the connection idle for longest is closed, or the new
 * one if all are busy. Returns a function that closes all, WebSockets included, which node no longer tracks.
 */
export function limitConnections(
  http: HttpServer,
  { mostConnections, mostOfOneAddress }: ConnectionLimits,
): () => void {
  /** By client, longest idle first. */
  const open = new Map<string, Connection>();
  const makeRoom = (held: readonly Connection[], most: number): boolean => {
    if (held.length < most) return true;
    const idle = held.find(({ underWay }) => underWay === 0);
    idle?.socket.destroy();
    if (idle !== undefined) open.delete(peerOf(idle.socket));
    return idle !== undefined;
  };
  http.on("connection", (socket: Socket) => {
    const [peer, network] = [peerOf(socket), networkOf(socket.remoteAddress ?? "")];
    const same = [...open.values()].filter((each) => each.network === network);
    if (!makeRoom(same, mostOfOneAddress) || !makeRoom([...open.values()], mostConnections))
      return void socket.destroy();
    const connection = { socket, network, underWay: 0 };
    open.set(peer, connection);
    socket.once("close", () => {
      if (open.get(peer) === connection) open.delete(peer);
    });
  });
  http.on("request", ({ socket }: IncomingMessage, response) => {
    const [peer, connection] = [peerOf(socket), open.get(peerOf(socket))];
    if (connection === undefined) return;
    connection.underWay += 1;
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

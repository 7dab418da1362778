/** The host names and origins a server accepts. */
export interface Hosts {
  /** Part of the cookie's name, because browsers share cookies between all ports of a host. */
  readonly port: number;
  /**
   * Whether the server answers requests with this Host header, port included. Other names are refused because
   * of DNS rebinding.
   */
  accepts(host: string): boolean;
  /** Whether pages of this origin may send requests. */
  trusts(origin: string): boolean;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** Whether an address can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A host as written in a URL: IPv6 in brackets. */
export const hostForUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/**
 * The names of a server: this machine's own, the one it listens at, and further origins such as
 * `https://rag.example.org`. `port` is that of the socket.
 */
export function createAllowedHosts(
  listening: { readonly host: string; readonly port: number; readonly tls: boolean },
  origins: readonly string[],
): Hosts {
  const scheme = listening.tls ? "https" : "http";
  const names = [...loopbackNames, hostForUrl(listening.host)];
  const all = new Set([
    ...names.map((name) => new URL(`${scheme}://${name}:${listening.port}`).origin),
    ...origins.map((origin) => new URL(origin).origin),
  ]);
  const hosts = new Set([...all].map((origin) => new URL(origin).host));
  return {
    port: listening.port,
    accepts: (host) => hosts.has(host.toLowerCase()),
    trusts: (origin) => all.has(origin.toLowerCase()),
  };
}

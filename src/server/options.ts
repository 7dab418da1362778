import type { ServeRequest } from "../app/serving.ts";
import { RagctlError } from "../core/errors.ts";
import { isLoopback } from "./hosts.ts";

/**
 * Checks that the server cannot be overheard or opened by mistake: beyond this machine it needs keys, and TLS
 * of its own or of a proxy.
 * @throws USAGE_INVALID
 */
export function checkServerSecurity({
  host,
  auth,
  tlsCert,
  tlsKey,
  behindProxy,
  origins,
}: ServeRequest): void {
  const wrong = (message: string, hint: string): never => {
    throw new RagctlError("USAGE_INVALID", message, { hint });
  };
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    wrong("TLS requires both a certificate and its key", "pass --tls-cert FILE and --tls-key FILE");
  for (const origin of origins)
    if (
      !URL.canParse(origin) ||
      !/^https?:$/.test(new URL(origin).protocol) ||
      new URL(origin).origin !== origin
    )
      wrong(`--origin ${origin} is not an origin`, "e.g. --origin https://rag.example.org, without a path");
  if (behindProxy && origins.length === 0)
    wrong(
      "--behind-proxy requires the URL at which people reach the server",
      "e.g. --origin https://rag.example.org",
    );
  if (!auth && behindProxy)
    wrong(
      "--no-auth would give access to everyone the proxy lets through",
      "remove --no-auth and create keys",
    );
  if (isLoopback(host)) return;
  if (!auth)
    wrong(
      `--no-auth works on this machine only, but other machines can reach ${host}`,
      "remove --host, or remove --no-auth and create keys: ragctl principals key add NAME",
    );
  if (tlsCert === undefined && !behindProxy)
    wrong(
      `on ${host}, keys and documents would be sent unencrypted`,
      "pass --tls-cert and --tls-key, or --behind-proxy with --origin if TLS terminates at a proxy",
    );
}

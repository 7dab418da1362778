import type { ServeRequest } from "../app/serving.ts";
import { RagctlError } from "../core/errors.ts";
import { isLoopback } from "./hosts.ts";

/**
 * Checks that nobody can listen in or come in by mistake: beyond this machine only with keys, and with TLS of
 * its own or of a proxy.
 * @throws USAGE_INVALID
 */
export function checkRequest({ host, auth, tlsCert, tlsKey, behindProxy, origins }: ServeRequest): void {
  const wrong = (message: string, hint: string): never => {
    throw new RagctlError("USAGE_INVALID", message, { hint });
  };
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    wrong("TLS needs a certificate and its key", "give --tls-cert FILE and --tls-key FILE");
  for (const origin of origins)
    if (
      !URL.canParse(origin) ||
      !/^https?:$/.test(new URL(origin).protocol) ||
      new URL(origin).origin !== origin
    )
      wrong(`--origin ${origin} is not an origin`, "e.g. --origin https://rag.example.org, without a path");
  if (behindProxy && origins.length === 0)
    wrong("behind a proxy the server must know its address", "e.g. --origin https://rag.example.org");
  if (!auth && behindProxy)
    wrong(
      "--no-auth would let in everyone whom the proxy lets through",
      "leave out --no-auth, and make keys",
    );
  if (isLoopback(host)) return;
  if (!auth)
    wrong(
      `--no-auth is for this machine only, and ${host} is reached from others`,
      "leave out --host, or leave out --no-auth and make keys: ragctl principals key add NAME",
    );
  if (tlsCert === undefined && !behindProxy)
    wrong(
      `on ${host} keys and documents would travel in the clear`,
      "give --tls-cert and --tls-key, or --behind-proxy with --origin where a proxy brings the TLS",
    );
}

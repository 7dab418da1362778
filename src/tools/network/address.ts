import { lookup as dnsLookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { RagctlError } from "../../core/errors.ts";

export interface NetworkAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves all addresses of a host name; replaceable for tests and custom resolvers. */
export type Lookup = (host: string) => Promise<readonly NetworkAddress[]>;

export const systemLookup: Lookup = async (host) =>
  (await dnsLookup(host, { all: true, verbatim: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

/**
 * Why an address is not public, e.g. `loopback`; null for a public one. An IPv4 address embedded in IPv6
 * counts as itself.
 */
export function privateRange(address: string): string | null {
  if (!ipaddr.isValid(address)) return "unreadable";
  const parsed = ipaddr.process(address);
  // `[::127.0.0.1]` in URL notation; the library only recognises its dotted form.
  if (parsed instanceof ipaddr.IPv6 && parsed.parts.slice(0, 6).every((part) => part === 0))
    return "reserved";
  const range = parsed.range();
  return range === "unicast" ? null : range;
}

/** A host outside the public internet, which the rules do not allow. */
export class PrivateAddressError extends RagctlError {}

const refused = (message: string): RagctlError =>
  new PrivateAddressError("TOOL_REFUSED", message, {
    hint: "a private address requires allow_private: true in the tool's config",
  });

/**
 * Resolves a host once and checks all of its addresses. The caller must connect only to these, so that a name
 * with different answers later has no effect. @throws TOOL_REFUSED, TOOL_FAILED
 */
export async function resolveChecked(
  hostname: string,
  allowPrivate: boolean,
  lookup: Lookup,
): Promise<readonly NetworkAddress[]> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const family = ipaddr.isValid(bare) ? (ipaddr.parse(bare).kind() === "ipv6" ? 6 : 4) : null;
  let found: readonly NetworkAddress[];
  try {
    found = family === null ? await lookup(bare) : [{ address: bare, family }];
  } catch (cause) {
    throw new RagctlError("TOOL_FAILED", `the host ${bare} cannot be resolved`, {
      hint: "check the name and the network",
      cause,
    });
  }
  if (found.length === 0)
    throw new RagctlError("TOOL_FAILED", `the host ${bare} has no address`, {
      hint: "check the name and the network",
    });
  for (const { address } of found) {
    const range = privateRange(address);
    if (range !== null && !allowPrivate)
      throw refused(
        `the host ${bare} has the address ${address} (${range}), which is not on the public internet`,
      );
  }
  return found;
}

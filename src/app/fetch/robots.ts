import robotsParser from "robots-parser";
import type { RagctlError } from "../../core/errors.ts";

/** A site's rules for crawlers. */
export interface RobotRules {
  allows(url: URL): boolean;
  /** Between two requests. */
  readonly waitMs: number;
}

/** The package is a function, which its types say of a member of it. */
const parse = robotsParser as unknown as (
  address: string,
  text: string,
) => {
  isDisallowed(address: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
};

/** The name that a site's rules may speak to. */
const agent = "ragctl";
/**
 * Longest line of rules that is read: each is matched against every address, in time that grows with its
 * stars.
 */
const longestLine = 1000;
/** Most lines of rules that are read. */
const mostLines = 2000;
/** A site that asks for more is not followed faster than this, ms. */
const longestWaitMs = 10_000;

/**
 * The rules of a site, from its `robots.txt`: one that is not there allows everything; one that cannot be
 * read (`error`) allows nothing beyond the page that was named.
 */
export function parseRobotsTxt(
  address: URL,
  answer: { readonly status: number; readonly text: string } | RagctlError,
): RobotRules {
  if (answer instanceof Error || answer.status >= 500) return { allows: () => false, waitMs: 0 };
  const text = answer.status >= 400 ? "" : answer.text;
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > mostLines || lines.some((line) => line.length > longestLine))
    return { allows: () => false, waitMs: 0 };
  const rules = parse(address.href, lines.map((line) => line.replace(/\*{2,}/g, "*")).join("\n"));
  return {
    allows: (url) => rules.isDisallowed(url.href, agent) !== true,
    waitMs: Math.min((rules.getCrawlDelay(agent) ?? 0) * 1000, longestWaitMs),
  };
}

import type { Draft, Gathered } from "../../core/answers/agent.ts";
import type { Origins, VerdictStatus } from "../../core/answers/answer.ts";

/**
 * Verdicts on a text that was written from its context alone; any other text may quote or name whatever came
 * back.
 */
const writtenFromContext: ReadonlySet<VerdictStatus> = new Set<VerdictStatus>([
  "answered",
  "extractive",
  "unverified",
]);

/** Records the origins of the response to one question. */
export interface OriginKeeper {
  /** A tool read these collections, whatever it found there. */
  read(collections: readonly string[]): void;
  /** The response was made from this, and from no other draft or fact before. */
  made(from: Origins): void;
  /** Undefined until the response's origins are recorded. */
  origins(): Origins | undefined;
}

/** Creates the keeper of one question. */
export function createOriginTracker(): OriginKeeper {
  const read = new Set<string>();
  let origins: Origins | undefined;
  return {
    read(collections) {
      for (const name of collections) read.add(name);
    },
    made: (from) => {
      origins = from;
    },
    origins: () =>
      origins === undefined
        ? undefined
        : { ...origins, collections: [...new Set([...origins.collections, ...read])] },
  };
}

/** The origins of a draft: the passages of its context, and for a refusal every hit its writer received. */
export function originsOf({ verdict, context: { passages } }: Draft, given: Gathered["hits"]): Origins {
  const all = writtenFromContext.has(verdict.status) ? passages : [...passages, ...given];
  return { chunks: all.map(({ chunk }) => chunk), collections: [], agents: [] };
}

/** The origins of a reply by rule: the facts, unless the reply is the same without them. */
export function originsOfReply(
  reply: string,
  bare: string,
  facts: Pick<Origins, "collections" | "agents">,
): Origins {
  return reply === bare ? { chunks: [], collections: [], agents: [] } : { chunks: [], ...facts };
}

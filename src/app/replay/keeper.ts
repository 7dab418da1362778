import { createHash, randomBytes } from "node:crypto";
import type { LanguageModel, Message } from "../../core/answers/answer.ts";
import type { ReplayHit, ReplayRecord } from "../../core/answers/replay.ts";
import type { Hit } from "../../core/retrieval.ts";

/** The values that a replay reuses. */
export type Replayed = Pick<ReplayRecord, "seed" | "fence" | "plan" | "checks" | "at">;

/** Records the decisions of one answer while it is made. */
export interface ReplayKeeper extends Pick<ReplayRecord, "seed" | "fence"> {
  gathered(hits: readonly Hit[], collections: readonly string[]): void;
  /** The model, with its prompts noted and its sampling seeded; null stays null. */
  watch(model: LanguageModel | null): LanguageModel | null;
  /** A model's yes or no: the recorded one, else the result of `ask`, which is recorded. */
  checked(messages: readonly Message[], ask: () => Promise<boolean | null>): Promise<boolean | null>;
  kept(): Pick<ReplayRecord, "hits" | "prompts" | "seed" | "fence" | "checks"> & {
    readonly collections: readonly string[];
  };
}

/** The hash of anything that JSON can hold. 32 hex characters. */
export const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);

/** Creates a keeper, with a new seed and fence or those of an earlier answer. */
export function createReplayKeeper(earlier?: Replayed): ReplayKeeper {
  const seed = earlier?.seed ?? randomBytes(4).readUInt32LE();
  const fence = earlier?.fence ?? randomBytes(4).toString("hex");
  const hits: ReplayHit[] = [];
  const prompts: string[] = [];
  const collections = new Set<string>();
  const checks: Record<string, boolean | null> = {};
  return {
    seed,
    fence,
    gathered(found, names) {
      hits.push(...found.map(hitOf));
      for (const name of names) collections.add(name);
    },
    watch: (model) =>
      model === null
        ? null
        : {
            ...model,
            generate(messages, options, signal) {
              // When it had to end depends on the moment, not on the question.
              const { until: _, ...decisive } = options;
              prompts.push(hashOf([withoutIds(messages), decisive]));
              return model.generate(messages, { ...options, seed }, signal);
            },
          },
    async checked(messages, ask) {
      const key = hashOf(messages);
      const known = earlier?.checks?.[key];
      const isSo = known === undefined ? await ask() : known;
      checks[key] = isSo;
      return isSo;
    },
    kept: () => ({
      ...{ hits, prompts, seed, fence, collections: [...collections] },
      ...(Object.keys(checks).length === 0 ? {} : { checks }),
    }),
  };
}

/** Messages with their calls named by their order: servers give calls other ids each time. */
function withoutIds(messages: readonly Message[]): readonly Message[] {
  const ids = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  if (ids.length === 0) return messages;
  const named = (id: string): string => String(ids.indexOf(id));
  return messages.map((message) => ({
    ...message,
    ...(message.toolCalls === undefined
      ? {}
      : { toolCalls: message.toolCalls.map((call) => ({ ...call, id: named(call.id) })) }),
    ...(message.toolCallId === undefined ? {} : { toolCallId: named(message.toolCallId) }),
  }));
}

const hitOf = ({ chunk, score }: Hit): ReplayHit => ({
  chunkId: chunk.id,
  contentId: chunk.versionId,
  document: chunk.sourceName,
  collection: chunk.collection,
  score,
});

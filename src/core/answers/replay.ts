import type { AskRequest } from "../app.ts";
import type { JsonObject } from "../json.ts";
import type { AnswerPlan } from "./budget.ts";

/** A hit and its source. */
export interface ReplayHit {
  readonly chunkId: string;
  /** Content of the document's version. */
  readonly contentId: string;
  readonly document: string;
  readonly collection: string;
  readonly score: number;
}

/** A collection at the time of the search. */
export interface ReplayStore {
  readonly collection: string;
  readonly store: string;
  /** Fingerprint of its vectors. */
  readonly fingerprint: string;
  /** How many documents it showed: those forgotten since leave no other trace. Absent in older records. */
  readonly documents?: number;
}

/** Everything that decides an answer; kept with its run. */
export interface ReplayRecord {
  readonly request: Omit<AskRequest, "query">;
  /** Asked within a conversation, whose messages decide too. */
  readonly inRoom: boolean;
  /** Agent that answered, with the hash of its row; null for none. */
  readonly agent: { readonly name: string; readonly hash: string } | null;
  /** Settings of retrieval, diversity and answers. */
  readonly settings: JsonObject;
  /**
   * Hash of the glossary and the weights of the ranking; absent where there were none, and in older records.
   */
  readonly ranking?: string;
  /** Language model that wrote; null where none did, as for a refusal. */
  readonly model: string | null;
  /**
   * The sources of the answer, as app/answer-sources.ts writes them; absent in a conversation, and in older
   * records.
   */
  readonly sources?: readonly string[];
  /** Collections that were searched, or read otherwise. */
  readonly stores: readonly ReplayStore[];
  /** ISO 8601: the versions that were visible then are those searched. */
  readonly at: string;
  readonly hits: readonly ReplayHit[];
  /** Hashes of the prompts, in order. */
  readonly prompts: readonly string[];
  /**
   * The model's yes or no on its own sentences, by the hash of the prompt; null where there was no time to
   * ask or it said neither. Absent where no sentence was in doubt, and in older records.
   */
  readonly checks?: Readonly<Record<string, boolean | null>>;
  readonly seed: number;
  /** Name of the fence around retrieved text. */
  readonly fence: string;
  /** The plan for its time limit; absent without a limit. */
  readonly plan?: AnswerPlan;
}

/** The steps of an answer, in the order in which a difference spreads. */
export const replaySteps = [
  "agent",
  "settings",
  "model",
  "store",
  "versions",
  "hits",
  "prompt",
  "response",
] as const;
export type ReplayStepName = (typeof replaySteps)[number];

/** Versions that are searched: those of the run, or those of now. */
export type ReplayVersions = "run" | "now";

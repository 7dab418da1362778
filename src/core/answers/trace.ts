import type { JsonObject } from "../json.ts";

/** What one step of a question decided, why, and how long it took. */
export interface TraceEvent {
  readonly node: string;
  /** One line for people. */
  readonly decided: string;
  readonly durationMs: number;
  /** Scores and names behind the decision, for machines. */
  readonly details: JsonObject;
}

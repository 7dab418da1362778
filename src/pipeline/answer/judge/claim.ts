import type { CalendarDate } from "../../../language/time/dates.ts";
import type { Question } from "../question.ts";
import type { Reckoner } from "./ties/reckon.ts";
import type { Witness } from "./witness.ts";

/** A statement to judge against passages, and the question it answers. */
export interface Claim {
  readonly asked: Question;
  readonly cited: readonly Witness[];
  /** All passages, cited or not. */
  readonly everywhere: readonly Witness[];
  /** Markers of the cited passages, in order. */
  readonly markers: readonly number[];
  /** The cited markers for reasons: `[1][2]`. */
  readonly where: string;
  /** As written, without markers. */
  readonly bare: string;
  /** Without an opening yes or no. */
  readonly text: string;
  /** Its dates, each in every order in which it can be read. */
  readonly dates: readonly (readonly CalendarDate[])[];
  /** The text without its dates. */
  readonly rest: string;
  readonly terms: readonly string[];
  readonly names: readonly string[];
  /** Whether a tool produced any of the cited passages. */
  readonly isFound: boolean;
  readonly language: string;
  /**
   * Whether its language differs from that of the cited passages, so that only names and numbers can be
   * compared.
   */
  readonly isForeign: boolean;
  /** Words that the passages express differently; computed on first use. */
  readonly granted: () => readonly string[];
  /** Derives its numbers from those of the passages. */
  readonly reckoner: Reckoner;
  /** Whether a capable reader wrote it, whose errors are rarer and of other kinds. */
  readonly isAble: boolean;
}

/** A tie or a rule: one reason for which a statement may be unsupported. */
export interface Check {
  /** Appears in the verdict, and disables the check in a measurement. */
  readonly id: string;
  /** Whether the check applies to such a claim. */
  readonly applies: (claim: Claim) => boolean;
  /** Why the passages do not support the claim; null if the check has no objection. */
  readonly check: (claim: Claim) => string | null;
}

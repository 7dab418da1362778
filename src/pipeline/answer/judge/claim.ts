import type { CalendarDate } from "../../../language/time/dates.ts";
import type { Question } from "../question.ts";
import type { Reckoner } from "./ties/reckon.ts";
import type { Witness } from "./witness.ts";

/** A statement that is held against passages, and the question it answers. */
export interface Claim {
  readonly asked: Question;
  readonly cited: readonly Witness[];
  /** All passages, cited or not. */
  readonly everywhere: readonly Witness[];
  /** The markers of those that are cited, in their order. */
  readonly markers: readonly number[];
  /** The same for reasons: `[1][2]`. */
  readonly where: string;
  /** As written, without markers. */
  readonly bare: string;
  /** Without an opening yes or no. */
  readonly text: string;
  /** Each date of it in every order in which it can be read. */
  readonly dates: readonly (readonly CalendarDate[])[];
  /** Without these. */
  readonly rest: string;
  readonly terms: readonly string[];
  readonly names: readonly string[];
  /** Whether something that is cited was found by a tool. */
  readonly isFound: boolean;
  readonly language: string;
  /** Whether it is in another language than what it cites, so that only names and numbers can be compared. */
  readonly isForeign: boolean;
  /** Words of it that the passages say otherwise; read when they are first asked for. */
  readonly granted: () => readonly string[];
  /** Works out its numbers. */
  readonly reckoner: Reckoner;
  /** Whether an able reader wrote it, whose slips are fewer and other ones. */
  readonly isAble: boolean;
}

/** A tie or a rule: one reason for which a statement is not supported. */
export interface Check {
  /** Stands in the verdict, and switches it off for a measurement. */
  readonly id: string;
  /** Whether it has anything to say of such a claim. */
  readonly applies: (claim: Claim) => boolean;
  /** Why the passages do not support the claim; null where this tells nothing against it. */
  readonly check: (claim: Claim) => string | null;
}

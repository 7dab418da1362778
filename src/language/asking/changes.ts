import { alternatives, anyOf } from "../languages.ts";
import { saysDifference } from "./values.ts";

/** Where something goes: up, down, or neither is told. */
type Direction = "up" | "down" | null;

const up = anyOf(alternatives(({ directions }) => directions?.up));
const down = anyOf(alternatives(({ directions }) => directions?.down));

/** Where a text says that something goes; null where it names neither way, or both. */
export function directionOf(text: string): Direction {
  const [rises, falls] = [up.test(text), down.test(text)];
  return rises === falls ? null : rises ? "up" : "down";
}

const changes = anyOf(alternatives(({ changes }) => changes));

/** Whether a text speaks of a change, by its name or by where something goes, or of how far two things lie apart. */
export const saysApart = (text: string): boolean =>
  [changes, up, down].some((pattern) => pattern.test(text)) || saysDifference(text);

const most = anyOf(alternatives(({ extremes }) => extremes?.most));
const least = anyOf(alternatives(({ extremes }) => extremes?.least));

/** Which ends of a row of values a text speaks of. */
export interface Extremes {
  readonly most: boolean;
  readonly least: boolean;
}

/** The ends that a text speaks of: the largest, the least. */
export const extremesIn = (text: string): Extremes => ({ most: most.test(text), least: least.test(text) });

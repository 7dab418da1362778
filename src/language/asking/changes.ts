import { alternation, alternatives } from "../languages.ts";
import { statesDifference } from "./values.ts";

/** Direction of a change; null if unknown. */
type Direction = "up" | "down" | null;

const up = alternation(alternatives(({ directions }) => directions?.up));
const down = alternation(alternatives(({ directions }) => directions?.down));

/** The direction of change a text mentions; null for neither or both. */
export function directionOf(text: string): Direction {
  const [rises, falls] = [up.test(text), down.test(text)];
  return rises === falls ? null : rises ? "up" : "down";
}

const changes = alternation(alternatives(({ changes }) => changes));

/** Whether a text mentions a change, by name or direction, or a difference. */
export const mentionsChange = (text: string): boolean =>
  [changes, up, down].some((pattern) => pattern.test(text)) || statesDifference(text);

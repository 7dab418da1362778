/** `1 chunk`, `2 chunks`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The first `most` of things, and how many there are besides: `3, 7 and 4 more`. */
export function listed(things: readonly (string | number)[], most: number): string {
  const more = things.length > most ? ` and ${things.length - most} more` : "";
  return `${things.slice(0, most).join(", ")}${more}`;
}

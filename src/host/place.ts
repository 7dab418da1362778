import { statSync } from "node:fs";

/**
 * Which folder this is, however it is reached and whatever it is called: a copy of it is another one. Files that
 * name a process of a home hold it, since they are copied with the home.
 */
export function placeOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

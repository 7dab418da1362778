import { statSync } from "node:fs";

/**
 * Identifies a folder independently of its path, so that a copy differs. Files that name a process of a home
 * record it, because they are copied with the home.
 */
export function folderIdentity(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

import type { UnavailableCollection } from "../../core/retrieval.ts";
import { unavailableNotes } from "../../operations/text.ts";
import type { Output } from "./output.ts";

/**
 * Names on stderr every collection that could not be searched, with the remedy. JSON has the same under
 * `unavailable`.
 */
export function warnUnavailable(output: Output, collections: readonly UnavailableCollection[]): void {
  for (const note of unavailableNotes(collections)) output.note(note);
}

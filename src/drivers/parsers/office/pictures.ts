import { countWarning, squeeze } from "../blocks.ts";

/**
 * A picture's alternative text without the mark of programs that wrote it themselves; the mark says nothing.
 */
export function altText(written: string): string {
  return squeeze(
    written.replace(/(Description automatically generated|AI-generated content may be incorrect)\.?/gi, ""),
  );
}

/** The warning about pictures that were not read; none where there are none. */
export const pictureWarnings = (count: number): readonly string[] =>
  countWarning(count, "image", "skipped; only alternative text is read");

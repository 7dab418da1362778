import type { BlockKind } from "../../core/documents/document.ts";
import type { Unit } from "./units.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
}

/** The headings above the place that is being read, outermost first. */
export function openPath(above: readonly Heading[] = []) {
  let path = above;
  return {
    /** Goes past a unit; a heading is above what follows. */
    enter({ kind, level = 1, text }: Unit): void {
      if (kind !== "heading") return;
      const kept = path.findIndex((heading) => heading.level >= level);
      path = [...(kept === -1 ? path : path.slice(0, kept)), { level, text }];
    },
    headings: (): readonly Heading[] => path,
  };
}

/**
 * The headings above units, and those of the headings they begin with that the text after them stands under.
 */
export function pathOf(
  over: readonly Heading[],
  units: readonly Unit[],
): { readonly above: readonly Heading[]; readonly own: readonly Heading[] } {
  const above = [...over];
  const own: Heading[] = [];
  for (const { kind, level = 1, text } of units) {
    if (kind !== "heading") break;
    while ((own.at(-1)?.level ?? 0) >= level) own.pop();
    if (own.length === 0) while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    own.push({ level, text });
  }
  return { above, own };
}

/** What a chunk of these units is: their kind where they have one, headings aside. */
export function contentTypeOf(units: readonly Unit[]): BlockKind {
  const kinds = new Set(units.filter(({ kind }) => kind !== "heading").map(({ kind }) => kind));
  const [only] = kinds;
  return only === undefined ? "heading" : kinds.size === 1 ? only : "paragraph";
}

/** Units as one text; a header stands before the first unit that has it. */
export function textOf(units: readonly Unit[]): string {
  let text = "";
  let header: string | undefined;
  for (const unit of units) {
    const opened = unit.header !== undefined && unit.header !== header ? `${unit.header}\n` : "";
    header = unit.header;
    text += (text === "" ? "" : opened === "" ? unit.joiner : "\n\n") + opened + unit.text;
  }
  return text;
}

import type { Unit } from "./units.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
}

/** The headings above the place that is being read, outermost first. */
export function openPath() {
  let path: readonly Heading[] = [];
  return {
    enter(heading: Heading): void {
      const kept = path.findIndex(({ level }) => level >= heading.level);
      path = [...(kept === -1 ? path : path.slice(0, kept)), heading];
    },
    headings: (): readonly Heading[] => path,
  };
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

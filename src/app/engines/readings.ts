import type { Reading } from "../../core/answers/reading.ts";
import type { Rates } from "../../registry/history/rates.ts";

/** Distinguishes a model from another of its name: the mark of its file, or the address of its provider. */
export interface ReadingSubject {
  readonly id: string;
  readonly fingerprint: string;
}

/** How well models read, as probes found it. */
export interface Readings {
  /** Undefined for a model whose current file or provider was not probed with the current questions. */
  of(subject: ReadingSubject): Promise<Reading | undefined>;
  keep(subject: ReadingSubject, reading: Reading): Promise<void>;
}

/** Revision of the questions in config/reading.yaml: scores by other ones do not count. */
export const readingRevision = 1;

/** Of models that were never probed. */
export const emptyProbeResults: Pick<Readings, "of"> = { of: async () => undefined };

/** A model reads alike on every machine. */
const anyMachine = "";

const names = ["answerable", "right", "absent", "refused", "invented", "written", "cited"] as const;

/** Opens the profiles of models in the table of measurements. */
export function openProbeResults(rates: Rates): Readings {
  const subjectOf = ({ id, fingerprint }: ReadingSubject): string =>
    `reading/${readingRevision}/${id}/${fingerprint}`;
  return {
    async of(subject) {
      const known = await rates.of(anyMachine, subjectOf(subject));
      const count = (name: (typeof names)[number]): number => known.get(name)?.at(-1) ?? 0;
      if (names.some((name) => !known.has(name))) return undefined;
      return {
        answerable: count("answerable"),
        right: count("right"),
        absent: count("absent"),
        refused: count("refused"),
        invented: count("invented"),
        written: count("written"),
        cited: count("cited"),
      };
    },
    keep: (subject, reading) => rates.add(anyMachine, subjectOf(subject), { ...reading }, 1),
  };
}

import type { Database } from "../database.ts";
import { putRow } from "../rows.ts";

/** Measurements of past runs, by machine and subject: a model, a format. */
export interface Rates {
  /** The newest samples of each rate of a subject, by name. */
  of(machine: string, subject: string): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Adds one sample to each rate named, and forgets the oldest beyond `kept`. */
  add(
    machine: string,
    subject: string,
    samples: Readonly<Record<string, number>>,
    kept: number,
  ): Promise<void>;
}

interface Row {
  readonly name: string;
  readonly samples: string;
}

/** Access to the measurements of a registry. */
export function createRateRepository(database: Database): Rates {
  const of: Rates["of"] = async (machine, subject) => {
    const rows = await database
      .statement<Row>("SELECT name, samples FROM rates WHERE machine = ? AND subject = ?")
      .all(machine, subject);
    // The column is written by `add` alone.
    return new Map(rows.map(({ name, samples }) => [name, JSON.parse(samples) as readonly number[]]));
  };
  return {
    of,
    async add(machine, subject, samples, kept) {
      await database.writeBehind(async () => {
        const before = await of(machine, subject);
        for (const [name, sample] of Object.entries(samples)) {
          if (!Number.isFinite(sample) || sample < 0) continue;
          const newest = [...(before.get(name) ?? []), sample].slice(-kept);
          const row = { machine, subject, name, samples: JSON.stringify(newest) };
          await putRow(database, "rates", ["machine", "subject", "name"], row);
        }
      });
    },
  };
}

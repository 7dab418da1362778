import type { Database } from "../database.ts";

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
  const rows = (machine: string, subject: string): Promise<readonly Row[]> =>
    database
      .statement<Row>("SELECT name, samples FROM rates WHERE machine = ? AND subject = ?")
      .all(machine, subject);
  // The column is written by `add` alone.
  const parsed = ({ samples }: Row): readonly number[] => JSON.parse(samples) as readonly number[];
  return {
    of: (machine, subject) =>
      database.read(
        async () => new Map((await rows(machine, subject)).map((row) => [row.name, parsed(row)])),
      ),
    async add(machine, subject, samples, kept) {
      await database.writeBehind(async () => {
        const before = new Map((await rows(machine, subject)).map((row) => [row.name, parsed(row)]));
        const put = database.statement(
          "INSERT INTO rates VALUES (?, ?, ?, ?) ON CONFLICT (machine, subject, name) DO UPDATE SET samples = excluded.samples",
        );
        for (const [name, sample] of Object.entries(samples)) {
          if (!Number.isFinite(sample) || sample < 0) continue;
          const newest = [...(before.get(name) ?? []), sample].slice(-kept);
          await put.run(machine, subject, name, JSON.stringify(newest));
        }
      });
    },
  };
}

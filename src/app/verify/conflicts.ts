import type { App } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import {
  differences,
  type FigureTable,
  figureTables,
  type PeriodValue,
  type ValueConflict,
} from "../../pipeline/tables/conflicts.ts";
import type { ConflictReport } from "../../shapes/verify.ts";

type Conflict = ConflictReport["conflicts"][number];
type ConflictSource = Conflict["values"][number]["sources"][number];

/** Figures that are compared at once, about 400 bytes each. */
const mostFigures = 1_000_000;

/**
 * Figures that documents about the same thing give differently, among the documents in these collections, or
 * in all, that the run's principal may read. @throws NOT_FOUND for a collection, USAGE_INVALID for more
 * figures than it compares
 */
export async function findConflicts(
  collections: readonly string[],
  library: Pick<App, "documents" | "show">,
  run: Run,
): Promise<ConflictReport> {
  const documents = await library.documents(collections, run);
  const tables: (readonly FigureTable[])[] = [];
  let figures = 0;
  for (const { id } of documents) {
    run.signal.throwIfAborted();
    const own = figureTables((await library.show(id, run)).chunks);
    figures += own.reduce((sum, { size }) => sum + size, 0);
    if (figures > mostFigures)
      throw new RagctlError("USAGE_INVALID", `more than ${mostFigures} figures are in tables here`, {
        hint: "compare fewer documents: --collection NAME",
      });
    tables.push(own);
  }
  const byId = new Map(documents.map((document) => [document.id, document]));
  const sourceOf = ({ place, quote }: PeriodValue): readonly ConflictSource[] => {
    const { documentId, id: chunkId, pages } = place;
    const document = byId.get(documentId);
    if (document === undefined) return [];
    return [{ documentId, document: document.name, collection: document.collection, chunkId, pages, quote }];
  };
  return { conflicts: conflictsOf(differences(tables), sourceOf), documents: documents.length };
}

/** Differences of one row and period between the same two values are one conflict. */
function conflictsOf(
  found: readonly ValueConflict[],
  sourceOf: (figure: PeriodValue) => readonly ConflictSource[],
): readonly Conflict[] {
  const groups = Map.groupBy(found, ({ one, other }) =>
    [one.key, ...[one.amount.value, other.amount.value].toSorted((a, b) => a - b)].join("\n"),
  );
  return [...groups.values()]
    .map((group): Conflict => {
      const figures = group.flatMap(({ one, other }) => [one, other]);
      const values = Map.groupBy(figures, ({ amount }) => amount.value);
      return {
        row: figures[0]?.row ?? "",
        period: figures[0]?.period ?? "",
        values: [...values.values()].map((same) => ({
          text: same[0]?.cell ?? "",
          sources: [...new Map(same.map((figure) => [figure.place.documentId, figure])).values()].flatMap(
            sourceOf,
          ),
        })),
        agreeing: Math.max(...group.map(({ agreeing }) => agreeing)),
      };
    })
    .toSorted((one, other) => other.agreeing - one.agreeing);
}

import type { App, SearchRequest } from "../../core/app.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import type { Run } from "../../core/run.ts";
import { sentences } from "../../language/sentences.ts";
import { isoDay } from "../../language/time/calendar.ts";
import { type CalendarDate, datesIn } from "../../language/time/dates.ts";

/** `2026-03-01`, `2026-03`, or where its readings differ `2026`; none without a year. */
function isoDate([first, ...others]: readonly CalendarDate[]): readonly string[] {
  if (first === undefined || first.year === null) return [];
  const { year, month, day } = first;
  const isClear = others.every((other) => other.month === month && other.day === day);
  if (!isClear) return [String(year)];
  return day === null ? [isoDay({ year, month, day: 1 }).slice(0, -3)] : [isoDay({ year, month, day })];
}

/** Dated statements of the passages about a topic, each for every date in it, the earliest first. */
export async function timelineOf(request: SearchRequest, app: Pick<App, "search">, run: Run) {
  const { query: topic, readAs = topic, hits, found, unavailable } = await app.search(request, run);
  const { hasRelevantPassage } = await import("../../pipeline/answer/evidence.ts");
  // Of a small store a search finds everything.
  const relevant = found === false ? [] : hits.filter((hit) => hasRelevantPassage(readAs, [hit]));
  const statements = relevant.flatMap(({ chunk }) => {
    const { documentId, sourceName: document, collection, id: chunkId, pages, headings } = chunk;
    const place = { documentId, document, collection, chunkId, pages, headings, cells: cellsOf(chunk) };
    return sentences(chunk.text).flatMap((statement) =>
      [...new Set(datesIn(statement).dates.flatMap(isoDate))].map((date) => ({ date, statement, ...place })),
    );
  });
  // Neighbouring passages share a part of their text.
  const distinct = new Map(
    statements.map((each) => [[each.date, each.documentId, each.statement].join("\n"), each]),
  );
  const inOrder = [...distinct.values()].toSorted(
    (one, other) => one.date.localeCompare(other.date) || one.document.localeCompare(other.document),
  );
  return { topic, statements: inOrder, unavailable };
}

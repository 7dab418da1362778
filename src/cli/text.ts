import type { PhaseMetrics } from "../core/run.ts";

/** `manual.pdf, page 3, Maintenance › Seals`. */
export function place(file: string, pages: readonly number[], section: string): string {
  const first = pages[0];
  const last = pages.at(-1);
  const page = first === undefined ? "" : first === last ? `, page ${first}` : `, pages ${first}–${last}`;
  return `${file}${page}${section === "" ? "" : `, ${section}`}`;
}

/** `retrieve 12 ms · generate 3.1 s`. */
export function phaseLine(phases: readonly PhaseMetrics[]): string {
  return phases.map(({ phase, durationMs }) => `${phase} ${duration(durationMs)}`).join(" · ");
}

/** Milliseconds below one second, seconds with one decimal below a minute, then minutes. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `1.2 GB`; powers of 1000. */
export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  const value = size / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? "B"}`;
}

/** `1 chunk`, `2 chunks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** One line of at most `length` characters, without what could move a terminal's cursor. */
export function oneLine(text: string, length: number): string {
  const flat = text
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "\uFFFD")
    .trim();
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

import stringWidth from "string-width";
import { asRagctlError, type RagctlError } from "../core/errors.ts";
import { errorShape } from "./shapes.ts";

export const outputFormats = ["text", "json", "jsonl"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Everything a command prints goes through here: results to stdout, everything else to stderr. */
export interface Output {
  readonly format: OutputFormat;
  /** Progress is for people: only when stderr is a terminal. */
  readonly interactive: boolean;
  /** The result: `text` for people, `data` as one JSON document, `lines` as NDJSON (default: `data` alone). */
  result(shape: { readonly text: string; readonly data: unknown; readonly lines?: readonly unknown[] }): void;
  /** One NDJSON line at once (batches, events). */
  line(data: unknown): void;
  /** Part of a text result that is still being written. */
  stream(text: string): void;
  /** For people; on stderr. */
  note(message: string): void;
  error(error: unknown): RagctlError;
}

/** Opens the only door to stdout and stderr. */
export function openOutput(options: { readonly format: OutputFormat; readonly quiet: boolean }): Output {
  const out = (text: string): void => void process.stdout.write(text);
  const note = (text: string): void => void process.stderr.write(`${text}\n`);
  return {
    format: options.format,
    interactive: process.stderr.isTTY === true && !options.quiet,
    result({ text, data, lines }) {
      if (options.format === "text") out(text === "" || text.endsWith("\n") ? text : `${text}\n`);
      else if (options.format === "json") out(`${JSON.stringify(data, null, 2)}\n`);
      else for (const line of lines ?? [data]) out(`${JSON.stringify(line)}\n`);
    },
    line: (data) => out(`${JSON.stringify(data)}\n`),
    stream: out,
    note(message) {
      if (!options.quiet) note(message);
    },
    error(thrown) {
      const error = asRagctlError(thrown);
      if (options.format === "text") {
        note(`error ${error.code}: ${error.message}`);
        if (error.hint !== undefined) note(`  → ${error.hint}`);
      } else {
        note(JSON.stringify(errorShape(error)));
      }
      return error;
    },
  };
}

/** A borderless table with a header, for terminals and for eyes; wide characters count as two columns. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(String));
  const widths: number[] = [];
  for (const row of cells) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, stringWidth(cell));
  const padded = (cell: string, at: number): string => cell + " ".repeat((widths[at] ?? 0) - stringWidth(cell));
  return cells.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}

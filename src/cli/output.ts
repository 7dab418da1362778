import { styleText } from "node:util";
import stringWidth from "string-width";
import { withoutCredentials } from "../core/address.ts";
import { asRagctlError, type RagctlError } from "../core/errors.ts";
import { tidy } from "./digits.ts";
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
  /** Whether errors are coloured: on a terminal that takes colours, always, or never. */
  color(mode: "auto" | "always" | "never"): void;
}

/**
 * Text as a terminal may be given it: names and texts of documents can hold sequences that move its cursor, change its title or its
 * clipboard, or turn what is read around. Lines and tabs stay.
 */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/(?![\n\t])\p{Cc}|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD");
}

/** JSON in which no character moves a terminal's cursor: those that JSON lets stand are escaped too. */
function harmlessJson(data: unknown, indent?: number): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(tidy(data), null, indent).replace(/[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g, escaped);
}

/** Opens the only door to stdout and stderr. */
export function openOutput(options: { readonly format: OutputFormat; readonly quiet: boolean }): Output {
  const write = (text: string): void => void process.stdout.write(text);
  const out = (text: string): void => write(harmless(text));
  const note = (text: string): void => void process.stderr.write(`${harmless(withoutCredentials(text))}\n`);
  let mode: "auto" | "always" | "never" = "auto";
  /** A line for people in a colour; the text is harmless before it is coloured. */
  const colored = (style: "red" | "dim", text: string): void => {
    const line = harmless(text);
    // `auto` is decided by node: by the stream, NO_COLOR and FORCE_COLOR.
    const shown = mode === "never" ? line : styleText(style, line, { stream: process.stderr, validateStream: mode === "auto" });
    process.stderr.write(`${shown}\n`);
  };
  return {
    format: options.format,
    interactive: process.stderr.isTTY === true && !options.quiet,
    result({ text, data, lines }) {
      if (options.format === "text") out(text === "" || text.endsWith("\n") ? text : `${text}\n`);
      else if (options.format === "json") write(`${harmlessJson(data, 2)}\n`);
      else for (const line of lines ?? [data]) write(`${harmlessJson(line)}\n`);
    },
    line: (data) => write(`${harmlessJson(data)}\n`),
    stream: out,
    note(message) {
      if (!options.quiet) note(message);
    },
    error(thrown) {
      const error = asRagctlError(thrown);
      if (options.format === "text") {
        colored("red", `error ${error.code}: ${error.message}`);
        if (error.hint !== undefined) colored("dim", `  → ${error.hint}`);
      } else {
        process.stderr.write(`${harmlessJson(errorShape(error))}\n`);
      }
      return error;
    },
    color(wanted) {
      mode = wanted;
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

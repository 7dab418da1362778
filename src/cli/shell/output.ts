import { Writable } from "node:stream";
import { styleText } from "node:util";
import stringWidth from "string-width";
import { redactCredentials } from "../../core/address.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";
import { sanitize, sanitizeJson } from "../../core/text.ts";
import type { PrintedTable } from "../../operations/result-text.ts";
import { cutMiddle, wrap } from "../../operations/text.ts";
import { errorShape } from "../../shapes/error.ts";
import { roundForOutput } from "../../shapes/printed.ts";
import type { OutputFormat } from "./global-options.ts";
import { createStatusLine } from "./status-line.ts";
import { terminal } from "./terminal.ts";

/** Everything a command prints goes through here: results to stdout, everything else to stderr. */
export interface Output {
  readonly format: OutputFormat;
  /** Progress is for people: only when stderr is a terminal, and not with -q. */
  readonly interactive: boolean;
  /** With -q: stdout holds the bare result, stderr errors alone. */
  readonly quiet: boolean;
  /**
   * The current activity, on one line at the bottom of the terminal; "" erases it. All other output goes
   * above it.
   */
  status(text: string): void;
  /** The reason for waiting, in place of the status; "" shows the status again. */
  queued(text: string): void;
  /** The status while a command has neither shown nor printed anything. */
  waiting(text: string): void;
  /** Erases the status for good. */
  endStatus(): void;
  /** Lines of the log; on stderr. */
  log(text: string): void;
  /**
   * The result: `text` for people, `data` as one JSON document, `lines` as NDJSON (default: the items of
   * `data` where it is a list, else `data` alone).
   */
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

/** A script reads texts and names back unchanged, and nothing in them moves a terminal's cursor. */
const jsonOf = (data: unknown, indent?: number): string =>
  sanitizeJson(JSON.stringify(roundForOutput(data, String), null, indent));

/** Indents further lines of a message, e.g. from a name, so that they do not look like separate messages. */
const indented = (text: string): string => text.replaceAll("\n", "\n    ");

/** The only way to stdout and stderr. */
export function openOutput(options: { readonly format: OutputFormat; readonly quiet: boolean }): Output {
  const { output: stdout, error: stderr, colors } = terminal();
  const interactive = stderr.isTTY === true && !options.quiet;
  const statusLine = createStatusLine(stderr, interactive);
  let status: "none yet" | "own" | "ended" = "none yet";
  let [current, queue] = ["", ""];
  const showStatus = (text: string): void => {
    if (status !== "ended") status = "own";
    current = text;
    statusLine.show(status === "ended" ? "" : sanitize(queue === "" ? text : queue));
  };
  // Where stdout is the same terminal, a line that is still being written must not be erased.
  const write = (text: string): void => {
    if (status === "none yet") showStatus("");
    statusLine.aside(() => void stdout.write(text), text.endsWith("\n") || stdout.isTTY !== true);
  };
  const writeError = (text: string): void => {
    if (status === "none yet") showStatus("");
    statusLine.aside(() => void stderr.write(text));
  };
  const out = (text: string): void => write(sanitize(text));
  let mode: "auto" | "always" | "never" = "auto";
  /** A line for people in a colour; the text is harmless before it is coloured. */
  const colored = (style: "red" | "dim", text: string): void => {
    const line = sanitize(redactCredentials(text));
    const isColored = mode === "always" || (mode === "auto" && colors);
    const shown = isColored ? styleText(style, line, { validateStream: false }) : line;
    writeError(`${shown}\n`);
  };
  return {
    format: options.format,
    interactive,
    quiet: options.quiet,
    status: showStatus,
    queued(text) {
      queue = text;
      showStatus(current);
    },
    waiting(text) {
      if (status === "none yet") statusLine.show(sanitize(text));
    },
    endStatus() {
      status = "ended";
      statusLine.show("");
    },
    log: writeError,
    result({ text, data, lines }) {
      if (options.format === "text") out(text === "" || text.endsWith("\n") ? text : `${text}\n`);
      else if (options.format === "json") write(`${jsonOf(data, 2)}\n`);
      else for (const line of lines ?? linesOf(data)) write(`${jsonOf(line)}\n`);
    },
    line: (data) => write(`${jsonOf(data)}\n`),
    stream: out,
    note(message) {
      if (!options.quiet) writeError(`${sanitize(redactCredentials(message))}\n`);
    },
    error(thrown) {
      const error = asRagctlError(thrown);
      if (options.format === "text") {
        colored("red", `error ${error.code}: ${indented(error.message)}`);
        if (error.hint !== undefined) colored("dim", `  → ${indented(error.hint)}`);
      } else {
        writeError(`${jsonOf(errorShape(error))}\n`);
      }
      return error;
    },
    color(wanted) {
      mode = wanted;
    },
  };
}

/** The items of a document that is nothing but a list of objects, else the document. */
function linesOf(data: unknown): readonly unknown[] {
  const members = typeof data === "object" && data !== null ? Object.entries(data) : [];
  const [list, ...others] = members.flatMap(([name, member]) => (name === "schema_version" ? [] : [member]));
  const isList = others.length === 0 && Array.isArray(list) && list.every((item) => typeof item === "object");
  return isList ? list : [data];
}

/**
 * Reserves stdout for a protocol: from here on only the returned stream writes to it, and all other output
 * goes to stderr.
 */
export function reserveStdout(): Writable {
  const { output, resident } = terminal();
  if (resident !== null)
    return new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        output.write(text);
        done();
      },
    });
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => void write(text, done),
  });
}

/** Columns of the terminal that results go to; none where they go elsewhere. */
const terminalColumns = (): number => {
  const { isTTY, columns = 0 } = terminal().output;
  return isTTY === true && columns > 0 ? columns : Number.POSITIVE_INFINITY;
};

/** Fewest columns worth wrapping a cell to. */
const narrowestCell = 20;

/** The table of an operation; on a terminal its long names are cut so that a row fits its line. */
export function drawTable({ header, rows, cut }: PrintedTable, columns = terminalColumns()): string {
  if (cut === undefined) return table(header, rows, columns);
  const widths = header.map((_, at) =>
    Math.max(...[header, ...rows].map((row) => stringWidth(String(row[at])) + 2)),
  );
  const room = columns - widths.with(cut, 0).reduce((sum, width) => sum + width, 0);
  const fitting = (name: unknown): string => cutMiddle(String(name), Math.max(narrowestCell, room));
  return table(
    header,
    rows.map((row) => row.with(cut, fitting(row[cut]))),
    columns,
  );
}

/**
 * A borderless table with a header, for terminals; wide characters count as two columns. Lines of a cell stay
 * in their column, and the last column is wrapped to the remaining width.
 */
export function table(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  columns = terminalColumns(),
): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => shownCell(cell).split("\n")));
  const widths: number[] = [];
  for (const row of cells)
    for (const [at, lines] of row.entries())
      widths[at] = Math.max(widths[at] ?? 0, ...lines.map((line) => stringWidth(line)));
  const left = columns - widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const wrapped =
    left < narrowestCell
      ? cells
      : cells.map((row) =>
          row.with(
            -1,
            (row.at(-1) ?? []).flatMap((line) => wrap(line, left)),
          ),
        );
  const padded = (text: string, at: number): string =>
    text + " ".repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(text)));
  return wrapped
    .flatMap((row) => {
      const height = Math.max(...row.map((lines) => lines.length));
      return Array.from({ length: height }, (_, line) =>
        row
          .map((lines, at) => padded(lines[line] ?? "", at))
          .join("  ")
          .trimEnd(),
      );
    })
    .join("\n");
}

/** A cell as text; a number without the noise of floating point. */
const shownCell = (cell: string | number): string =>
  typeof cell === "number" ? String(Number(cell.toFixed(3))) : cell;

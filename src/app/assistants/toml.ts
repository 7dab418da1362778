import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";
import type { Entry } from "./clients.ts";

/**
 * Places that look like the tables of an entry, its own and those below it, as lines from `start` to before
 * `end`: they may be lines of a longer string.
 */
function tablesOf(lines: readonly string[], servers: string, name: string) {
  const table = `[${servers}.${name}`;
  const isHeader = (line: string): boolean => line.trimStart().startsWith("[");
  const isOwn = (line: string): boolean => {
    const header = line.replace(/[\s"']/g, "");
    return header.startsWith(`${table}]`) || header.startsWith(`${table}.`);
  };
  return lines.flatMap((header, start) => {
    if (!isHeader(header) || !isOwn(header)) return [];
    const next = lines.findIndex((line, at) => at > start && isHeader(line) && !isOwn(line));
    let end = next < 0 ? lines.length : next;
    // A comment right before the next table may belong to it.
    while (end > start + 1 && /^\s*(?:#|$)/.test(lines[end - 1] ?? "")) end--;
    return [{ start, end }];
  });
}

/**
 * The text with an entry of that name among the servers, or without it where `entry` is undefined. Only the
 * lines of its tables change; the result is parsed and compared with the intended one. @throws Error that
 * says why it cannot be changed
 */
export function editToml(text: string, servers: string, name: string, entry: Entry | undefined): string {
  const { [servers]: list = {}, ...rest }: Record<string, unknown> = parse(text);
  const { [name]: old, ...others } = list as Record<string, unknown>;
  if (isDeepStrictEqual(old === undefined ? undefined : plain(old), entry)) return text;
  const wanted = plain([rest, entry === undefined ? others : { ...others, [name]: entry }]);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(eol);
  const own = entry === undefined ? [] : tomlEntry(servers, name, entry).split("\n");
  const edits =
    old === undefined
      ? [appended(lines, own)]
      : tablesOf(lines, servers, name).map(({ start, end }) => {
          const gap = entry === undefined && lines[start - 1]?.trim() === "" ? 1 : 0;
          return lines.toSpliced(start - gap, end - start + gap, ...own);
        });
  const edited = edits
    .map((each) => each.join(eol))
    .find((each) => isDeepStrictEqual(said(each, servers), wanted));
  if (edited === undefined) throw new Error(`"${servers}.${name}" is not a separate table`);
  return edited;
}

function appended(lines: readonly string[], own: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return [...lines.slice(0, last + 1), ...(last < 0 ? [] : [""]), ...own, ""];
}

/** What a text contains in addition to its servers, and the servers; undefined where it is not valid TOML. */
function said(text: string, servers: string): unknown {
  try {
    const { [servers]: list = {}, ...rest }: Record<string, unknown> = parse(text);
    return plain([rest, list]);
  } catch {
    return undefined;
  }
}

/** Without prototypes, which the parser does not set. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The entry as a table. */
export const tomlEntry = (servers: string, name: string, entry: Entry): string =>
  stringify({ [servers]: { [name]: entry } }).trim();

import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { Entry } from "./clients.ts";

/** An object of JSON with comments. @throws Error that says where it is broken */
function read(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    throw new Error(`it is not valid JSON: line ${line}, ${printParseErrorCode(first.error)}`);
  }
  if (root?.type !== "object") throw new Error("it is not an object");
  return root;
}

/**
 * The text with an entry of that name among the servers, or without it where `entry` is undefined. Not a
 * character of the rest changes, comments included. @throws Error that says why it cannot be
 */
export function editJson(text: string, servers: string, name: string, entry: Entry | undefined): string {
  if (text.trim() === "") return entry === undefined ? text : `${jsonEntry(servers, name, entry)}\n`;
  const root = read(text);
  const list = findNodeAtLocation(root, [servers]);
  if (list !== undefined && list.type !== "object") throw new Error(`"${servers}" is not an object`);
  const old = list && findNodeAtLocation(list, [name]);
  if (entry === undefined) return old?.parent === undefined ? text : without(text, old.parent);
  const layout = layoutOf(text);
  if (old !== undefined) {
    if (JSON.stringify(getNodeValue(old)) === JSON.stringify(entry)) return text;
    return text.slice(0, old.offset) + layout.value(entry, 2) + text.slice(old.offset + old.length);
  }
  return list === undefined
    ? withFirst(text, root, layout.member(servers, { [name]: entry }, 1), layout.eol)
    : withFirst(text, list, layout.member(name, entry, 2), layout.eol);
}

/** The entry as the content of a new file. */
export const jsonEntry = (servers: string, name: string, entry: Entry): string =>
  JSON.stringify({ [servers]: { [name]: entry } }, null, 2);

/** How a text indents and ends its lines. */
function layoutOf(text: string) {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = /^([ \t]{1,16})\S/m.exec(text)?.[1] ?? "  ";
  const value = (given: unknown, depth: number): string =>
    JSON.stringify(given, null, indent).replaceAll("\n", eol + indent.repeat(depth));
  return {
    eol,
    value,
    member: (key: string, given: unknown, depth: number): string =>
      `${eol}${indent.repeat(depth)}${JSON.stringify(key)}: ${value(given, depth)}`,
  };
}

/** The text with a member before all others of an object, where it parts no comment from its member. */
function withFirst(text: string, { offset, children = [] }: Node, member: string, eol: string): string {
  const rest = text.slice(offset + 1);
  const end = children.length > 0 ? "," : /^[ \t]*[}]/.test(rest) ? eol : "";
  return `${text.slice(0, offset + 1)}${member}${end}${rest}`;
}

/** The text without a member, its line and the comma that it needed. */
function without(text: string, member: Node): string {
  const [start, end] = [member.offset, member.offset + member.length];
  const before = member.parent?.children?.filter(({ offset }) => offset < start).at(-1);
  const comma = commaAfter(text, end) ?? (before && commaAfter(text, before.offset + before.length));
  const line = text.slice(0, start).trimEnd();
  const from = text.slice(line.length, start).includes("\n") ? line.length : start;
  const cuts = [[from, end] as const, ...(comma === undefined ? [] : [[comma, comma + 1] as const])];
  return cuts
    .toSorted(([a], [b]) => b - a)
    .reduce((rest, [begin, after]) => rest.slice(0, begin) + rest.slice(after), text);
}

/** Position of the comma after a member; undefined for none. */
function commaAfter(text: string, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

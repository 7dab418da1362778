import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Node } from "@vscode/tree-sitter-wasm";
import type { Mark } from "./outline.ts";

/** Extension, in lower case without its dot → the grammar that reads it. */
const grammars: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", mts: "typescript", cts: "typescript", tsx: "tsx" },
  ...{ js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript" },
  ...{
    py: "python",
    pyi: "python",
    rb: "ruby",
    php: "php",
    go: "go",
    rs: "rust",
    java: "java",
    cs: "c-sharp",
  },
  ...{ c: "cpp", h: "cpp", cc: "cpp", cpp: "cpp", cxx: "cpp", hh: "cpp", hpp: "cpp", hxx: "cpp" },
  ...{ sh: "bash", bash: "bash", zsh: "bash", ps1: "powershell", psm1: "powershell", css: "css" },
};

/** A longer text is no work of hands; characters. */
const longest = 4 * 1024 ** 2;
/** Depth of named definitions within definitions. */
const deepest = 3;

/** Nodes that define something, as the grammars call them. */
const defines =
  /(?:declaration|definition|_item|_spec|_specifier|declarator|^method|^class|^module|^singleton_method|^function_statement|^class_statement|^rule_set|^function_name)$/;
/** Those whose parts are definitions too. */
const holds = /class|interface|trait|impl|module|namespace|struct|record|enum|mod_item|object|type/;
/** Nodes that wrap a definition and belong to it. */
const wraps = /^(?:export_statement|decorated_definition|template_declaration|ambient_declaration)$/;
/** Statements that define nothing, and fields, which their class is read with. */
const runs =
  /^(?:field_declaration$|public_field|if|for|foreach|while|do|switch|try|return|expression|import|use|using|package|break|continue|throw|with)_/;
const present = (nodes: readonly (Node | null)[]): readonly Node[] => nodes.filter((node) => node !== null);

/** The name of a definition: `pub struct Pump<T>` is called by the leaf; undefined where it has none. */
function nameOf(node: Node, depth = 0): string | undefined {
  if (depth > 4) return undefined;
  const inner =
    node.childForFieldName("name") ??
    node.childForFieldName("declarator") ??
    present(node.namedChildren).find(({ type }) => defines.test(type) || type === "selectors") ??
    node.childForFieldName("type");
  if (inner === null) return undefined;
  const isWhole = inner.namedChildCount === 0 || /^(?:qualified|scoped)_/.test(inner.type);
  const name = isWhole ? inner.text : (nameOf(inner, depth + 1) ?? inner.text);
  return name.split("\n", 1)[0]?.trim();
}

/** Comments and attributes in lines that follow each other: the first line, and the last one's beginning and end. */
interface Notes {
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

/** The notes that a node ends, with those directly above it; undefined where it is no note. */
function notesWith({ type, startPosition, endPosition }: Node, above?: Notes): Notes | undefined {
  if (!/comment|attribute|annotation/.test(type)) return undefined;
  const { row: last } = startPosition;
  // A comment may end with the break of its line.
  const end = endPosition.column === 0 ? endPosition.row - 1 : endPosition.row;
  return { first: above !== undefined && above.end >= last - 1 ? above.first : last, last, end };
}

/**
 * The definitions in a node, outermost first, each from the comments and attributes directly above it; those
 * in a body are one level below. `from`: the line, from 0, at which a wrapper around them begins.
 */
function* definitionsIn(node: Node, level: number, from?: number): Generator<Mark> {
  let above: Notes | undefined;
  for (const child of present(node.namedChildren)) {
    const { row } = child.startPosition;
    const start = above !== undefined && above.end >= row - 1 && above.last < row ? above.first : row;
    if (!runs.test(child.type)) yield* definitionsOf(child, level, from ?? start);
    above = notesWith(child, above);
  }
}

/** The definition of a node that begins in line `start`, and those inside it. */
function* definitionsOf(node: Node, level: number, start: number): Generator<Mark> {
  if (wraps.test(node.type)) {
    yield* definitionsIn(node, level, start);
    return;
  }
  const name = defines.test(node.type) ? nameOf(node) : undefined;
  if (name !== undefined) yield { line: start + 1, level, text: name };
  const below = name === undefined ? level : level + 1;
  if (below <= deepest && (name === undefined || holds.test(node.type))) yield* definitionsIn(node, below);
}

/**
 * The definitions of source code by its grammar (tree-sitter, as Visual Studio Code ships it); undefined
 * where there is no grammar for the language, or the text does not parse.
 */
export async function marksByGrammar(extension: string, text: string): Promise<readonly Mark[] | undefined> {
  const grammar = grammars[extension];
  if (grammar === undefined || text.length > longest) return undefined;
  const { default: sitter } = await import("@vscode/tree-sitter-wasm");
  const folder = dirname(createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm"));
  await sitter.Parser.init();
  const parser = new sitter.Parser();
  try {
    parser.setLanguage(await sitter.Language.load(join(folder, `tree-sitter-${grammar}.wasm`)));
    const tree = parser.parse(text);
    if (tree === null || tree.rootNode.type === "ERROR") return undefined;
    const seen = new Set<number>();
    // Of definitions that begin in one line the first is the outermost.
    return [...definitionsIn(tree.rootNode, 1)]
      .toSorted((one, other) => one.line - other.line)
      .filter(({ line }) => !seen.has(line) && seen.add(line));
  } finally {
    parser.delete();
  }
}

import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { createContext, runInContext } from "node:vm";
import {
  type AnyNode,
  type CallExpression,
  type ImportDeclaration,
  type NewExpression,
  type Program,
  parse,
} from "acorn";
import { languages } from "../../src/language/languages.ts";
import type { Language } from "../../src/language/schema/language.ts";

/** A regular expression of the source and where it stands. */
export interface Pattern {
  /** Path from the repository's root, with slashes. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** File → name in it → a typical value, for parts of `new RegExp(…)` that are known only at run time. */
export type StandIns = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A file without its types, which are blanked out: every place is where it was. */
interface Source {
  readonly file: string;
  readonly text: string;
  readonly program: Program;
  readonly parents: ReadonlyMap<AnyNode, AnyNode>;
}

type Sources = ReadonlyMap<string, Source>;

/** Name → value of constants that are read from files. */
const given: Readonly<Record<string, unknown>> = { languages };

/** What makes a pattern at run time. */
type Building = NewExpression | CallExpression;

/**
 * Every regular expression in `src/` under `root`: literals, and `RegExp(…)` evaluated from the constants it
 * is built of.
 * @throws Error where one cannot be evaluated; it needs a stand-in
 */
export function patternsIn(root: string, standIns: StandIns): readonly Pattern[] {
  const files = globSync("src/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  const sources = new Map(
    files.sort().map((file) => [file, sourceOf(file, readFileSync(join(root, file), "utf8"))]),
  );
  return [
    ...files.flatMap((file) => patternsOf(file, sources, standIns[file] ?? {})),
    ...languages.flatMap(patternsOfLanguage),
  ];
}

/** Patterns that stand whole in the file of a language. */
function patternsOfLanguage({ code, sheets, dates = [], ...language }: Language): readonly Pattern[] {
  const { roots = [], apart = [] } = sheets;
  const lists: readonly (readonly [sources: readonly string[], flags: string])[] = [
    [[...roots, ...apart].map(([source]) => source), "giu"],
    [dates.map((form) => form.replace(/<\w+>/g, "(\\d{1,4})")), "gu"],
    [language.aboutAssistant, "u"],
    [[...language.injections, ...language.aboutInjections], "iu"],
  ];
  const file = `config/languages/${code}.yaml`;
  return lists.flatMap(([sources, flags]) => sources.map((source) => ({ file, line: 1, source, flags })));
}

function sourceOf(file: string, typed: string): Source {
  const text = stripTypeScriptTypes(typed);
  const program = parse(text, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const parents = new Map<AnyNode, AnyNode>();
  const visit = (node: AnyNode): void => {
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child);
    }
  };
  visit(program);
  return { file, text, program, parents };
}

const childrenOf = (node: AnyNode): AnyNode[] => Object.values(node).flat().filter(isNode);

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

const textOf = (node: AnyNode, { text }: Source): string => text.slice(node.start, node.end);

function patternsOf(
  file: string,
  sources: Sources,
  standIns: Readonly<Record<string, string>>,
): readonly Pattern[] {
  const source = sources.get(file);
  if (source === undefined) return [];
  const patterns: Pattern[] = [];
  const builders = new Set([...buildersIn(source), ...importedBuilders(source, sources)]);
  const visit = (node: AnyNode): void => {
    // What a builder makes is checked where it is called, with what it is given there.
    if (node.type === "VariableDeclarator" && builders.has(textOf(node.id, source))) return;
    const line = node.loc?.start.line ?? 0;
    if (node.type === "Literal" && node.regex !== undefined && node.regex !== null)
      patterns.push({ file, line, source: node.regex.pattern, flags: node.regex.flags });
    else if (isCall(node) && ["RegExp", ...builders].includes(textOf(node.callee, source)))
      patterns.push({ file, line, ...evaluate(node, source, sources, standIns) });
    childrenOf(node).forEach(visit);
  };
  visit(source.program);
  return patterns;
}

/**
 * Names of a file's functions that only make a pattern of what they are given: `const form = (source) => new
 * RegExp(source, "iu")`.
 */
function buildersIn(source: Source): ReadonlySet<string> {
  const names = source.program.body
    .map(declaredBy)
    .flatMap((statement) => (statement.type === "VariableDeclaration" ? statement.declarations : []))
    .filter(
      ({ init }) =>
        init?.type === "ArrowFunctionExpression" &&
        isCall(init.body) &&
        textOf(init.body.callee, source) === "RegExp",
    )
    .map(({ id }) => textOf(id, source));
  return new Set(names);
}

/** Names by which a file imports such functions of other files. */
function importedBuilders(source: Source, sources: Sources): readonly string[] {
  return source.program.body.flatMap((statement) => {
    if (statement.type !== "ImportDeclaration") return [];
    const other = sources.get(importedFile(source, statement));
    const builders = other === undefined ? new Set() : buildersIn(other);
    return statement.specifiers.map(({ local }) => local.name).filter((name) => builders.has(name));
  });
}

/** The path of a file of ours that an import names. */
const importedFile = ({ file }: Source, { source }: ImportDeclaration): string =>
  join(dirname(file), String(source.value)).replaceAll("\\", "/");

const isCall = (node: AnyNode): node is Building =>
  node.type === "NewExpression" || node.type === "CallExpression";

/** The declaration that a statement exports, else the statement. */
const declaredBy = (statement: AnyNode): AnyNode =>
  statement.type === "ExportNamedDeclaration" ? (statement.declaration ?? statement) : statement;

function evaluate(
  node: Building,
  source: Source,
  sources: Sources,
  standIns: Readonly<Record<string, string>>,
): { readonly source: string; readonly flags: string } {
  const lines = Object.entries(standIns).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  declare(node, source, sources, new Set(Object.keys(standIns)), lines);
  const built = textOf(node, source);
  const script = [...lines, `const built = ${built};`, "({ source: built.source, flags: built.flags });"];
  try {
    return runInContext(script.join("\n"), createContext({}));
  } catch (error) {
    throw new Error(
      `${source.file}: ${built} cannot be evaluated (${String(error)}): give its parts stand-ins`,
    );
  }
}

/** Adds the declarations that a node needs to `lines`, those of its own needs first. */
function declare(node: AnyNode, source: Source, sources: Sources, taken: Set<string>, lines: string[]): void {
  if (node.type === "Identifier" && !taken.has(node.name) && Object.hasOwn(given, node.name)) {
    taken.add(node.name);
    lines.push(`const ${node.name} = ${JSON.stringify(given[node.name])};`);
  } else if (node.type === "Identifier" && !taken.has(node.name)) {
    const found = declarationOf(node.name, node, source, sources);
    if (found !== undefined) {
      taken.add(node.name);
      declare(found.node, found.source, sources, taken, lines);
      lines.push(textOf(found.node, found.source));
    }
  }
  for (const child of childrenOf(node)) declare(child, source, sources, taken, lines);
}

/** The statement around a node, or in a file that is imported, that declares a name; innermost first. */
function declarationOf(
  name: string,
  from: AnyNode,
  source: Source,
  sources: Sources,
): { readonly node: AnyNode; readonly source: Source } | undefined {
  for (let around = source.parents.get(from); around !== undefined; around = source.parents.get(around)) {
    if (around.type !== "BlockStatement" && around.type !== "Program") continue;
    const own = around.body.map(declaredBy).find((statement) => declares(statement, name, source));
    if (own !== undefined) return { node: own, source };
  }
  const imported = source.program.body.find((statement) => imports(statement, name));
  if (imported?.type !== "ImportDeclaration") return undefined;
  const other = sources.get(importedFile(source, imported));
  const node = other?.program.body.map(declaredBy).find((statement) => declares(statement, name, other));
  return other === undefined || node === undefined ? undefined : { node, source: other };
}

function declares(node: AnyNode, name: string, source: Source): boolean {
  if (node.type === "FunctionDeclaration") return node.id?.name === name;
  return (
    node.type === "VariableDeclaration" && node.declarations.some(({ id }) => textOf(id, source) === name)
  );
}

const imports = (node: AnyNode, name: string): boolean =>
  node.type === "ImportDeclaration" && node.specifiers.some(({ local }) => local.name === name);

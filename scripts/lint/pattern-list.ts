import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createContext, runInContext } from "node:vm";
import ts from "typescript";

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

/**
 * Every regular expression in `src/` under `root`: literals, and `RegExp(…)` evaluated from the constants it
 * is built of.
 * @throws Error where one cannot be evaluated; it needs a stand-in
 */
export function patternsIn(root: string, standIns: StandIns): readonly Pattern[] {
  const files = globSync("src/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  const sources = new Map(
    files.sort().map((file) => [file, parse(file, readFileSync(join(root, file), "utf8"))]),
  );
  return files.flatMap((file) => patternsOf(file, sources, standIns[file] ?? {}));
}

const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

function patternsOf(
  file: string,
  sources: ReadonlyMap<string, ts.SourceFile>,
  standIns: Readonly<Record<string, string>>,
): Pattern[] {
  const source = sources.get(file);
  if (source === undefined) return [];
  const patterns: Pattern[] = [];
  const builders = buildersIn(source);
  const visit = (node: ts.Node): void => {
    // What a builder makes is checked where it is called, with what it is given there.
    if (ts.isVariableDeclaration(node) && builders.has(node.name.getText())) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      patterns.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if (builds(node) || (ts.isCallExpression(node) && builders.has(node.expression.getText()))) {
      patterns.push({ file, line, ...evaluate(node, file, sources, standIns) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return patterns;
}

/**
 * Names of a file's functions that only make a pattern of what they are given: `const form = (source) => new
 * RegExp(source, "iu")`.
 */
function buildersIn(source: ts.SourceFile): ReadonlySet<string> {
  const names = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .filter(
      ({ initializer }) =>
        initializer !== undefined && ts.isArrowFunction(initializer) && builds(initializer.body),
    )
    .map(({ name }) => name.getText());
  return new Set(names);
}

function builds(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
}

function evaluate(
  node: ts.Node,
  file: string,
  sources: ReadonlyMap<string, ts.SourceFile>,
  standIns: Readonly<Record<string, string>>,
): { readonly source: string; readonly flags: string } {
  const lines = Object.entries(standIns).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  const taken = new Set(Object.keys(standIns));
  declare(node, sources, taken, lines);
  const script = ts.transpile(
    [...lines, `const built = ${node.getText()};`, "({ source: built.source, flags: built.flags });"].join(
      "\n",
    ),
  );
  try {
    return runInContext(script, createContext({}));
  } catch (error) {
    throw new Error(
      `${file}: ${node.getText()} cannot be evaluated (${String(error)}): give its parts stand-ins`,
    );
  }
}

/** Adds the declarations that a node needs to `lines`, those of its own needs first. */
function declare(
  node: ts.Node,
  sources: ReadonlyMap<string, ts.SourceFile>,
  taken: Set<string>,
  lines: string[],
): void {
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner) && !taken.has(inner.text)) {
      const declared = declarationOf(inner.text, inner, sources);
      if (declared !== undefined) {
        taken.add(inner.text);
        declare(declared, sources, taken, lines);
        lines.push(declared.getText().replace(/^export /, ""));
      }
    }
    ts.forEachChild(inner, visit);
  };
  visit(node);
}

/** The statement around a node, or in a file that is imported, that declares a name; innermost first. */
function declarationOf(
  name: string,
  from: ts.Node,
  sources: ReadonlyMap<string, ts.SourceFile>,
): ts.Statement | undefined {
  for (let around = from.parent; around !== undefined; around = around.parent) {
    if (!ts.isBlock(around) && !ts.isSourceFile(around)) continue;
    const own = around.statements.find((statement) => declares(statement, name));
    if (own !== undefined) return own;
    const imported = around.statements.find(
      (statement) => ts.isImportDeclaration(statement) && imports(statement, name),
    );
    if (
      imported === undefined ||
      !ts.isImportDeclaration(imported) ||
      !ts.isStringLiteral(imported.moduleSpecifier)
    )
      continue;
    const file = join(dirname(from.getSourceFile().fileName), imported.moduleSpecifier.text).replaceAll(
      "\\",
      "/",
    );
    return sources.get(file)?.statements.find((statement) => declares(statement, name));
  }
  return undefined;
}

function declares(node: ts.Statement, name: string): boolean {
  if (ts.isFunctionDeclaration(node)) return node.name?.text === name;
  return (
    ts.isVariableStatement(node) &&
    node.declarationList.declarations.some((one) => one.name.getText() === name)
  );
}

function imports(node: ts.ImportDeclaration, name: string): boolean {
  const bindings = node.importClause?.namedBindings;
  return (
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.some((one) => one.name.text === name)
  );
}

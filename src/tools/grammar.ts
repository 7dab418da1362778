import type { JsonObject } from "../core/json.ts";

/** The parts of a JSON Schema that a grammar can enforce; the rest is checked afterwards. */
interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly maxItems?: number;
}

/** A GBNF literal. */
const gbnfLiteral = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
const json = (value: unknown): string => gbnfLiteral(JSON.stringify(value) ?? "null");

const shared = [
  'string ::= "\\"" character{0,300} "\\""',
  'character ::= [^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\nt]',
  'integer ::= "-"? ("0" | [1-9] [0-9]{0,14})',
  'number ::= integer ("." [0-9]{1,12})?',
  'boolean ::= "true" | "false"',
  'scalar ::= string | number | boolean | "null"',
];
const maxDepth = 6;

/** Types with a shared rule of the same name. */
const plainTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer", "number"]);

/** The alternative schemas of a value; none if there is only the schema itself. */
function alternativesOf(schema: Schema): readonly Schema[] {
  const branches = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(branches) && branches.length > 0) return branches;
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [];
}

/** Adds the rules of a schema; returns the expression that refers to them. */
function rulesOf(schema: Schema, rules: string[], depth: number): string {
  const named = (body: string): string => {
    const name = `r${rules.length}`;
    rules.push(`${name} ::= ${body}`);
    return name;
  };
  if (depth > maxDepth) return "scalar";
  if (schema.const !== undefined) return json(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return named(schema.enum.map(json).join(" | "));
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0)
    return named(alternatives.map((each) => rulesOf(each, rules, depth + 1)).join(" | "));
  if (typeof schema.type === "string" && plainTypes.has(schema.type)) return schema.type;
  if (schema.type === "null") return '"null"';
  if (schema.type === "array") {
    const item = rulesOf(schema.items ?? {}, rules, depth + 1);
    return named(`"[" (${item} (", " ${item}){0,${Math.min(schema.maxItems ?? 20, 20)}})? "]"`);
  }
  if (schema.type === "object" || schema.properties !== undefined)
    return named(objectBody(schema, rules, depth));
  return "scalar";
}

/** Required members in order, then any of the optional ones in order. */
function objectBody(schema: Schema, rules: string[], depth: number): string {
  const properties = Object.entries(schema.properties ?? {}).slice(0, 30);
  const member = ([name, value]: readonly [string, Schema]): string =>
    `${gbnfLiteral(`${JSON.stringify(name)}: `)} ${rulesOf(value, rules, depth + 1)}`;
  const required = properties.filter(([name]) => schema.required?.includes(name) === true).map(member);
  const optional = properties.filter(([name]) => schema.required?.includes(name) !== true).map(member);
  const following = (from: number): string =>
    optional
      .slice(from)
      .map((rule) => ` (", " ${rule})?`)
      .join("");
  if (required.length > 0) return `"{" ${required.join(' ", " ')}${following(0)} "}"`;
  if (optional.length === 0) return '"{}"';
  return `"{" (${optional.map((rule, index) => `${rule}${following(index + 1)}`).join(" | ")})? "}"`;
}

/** A tool that can be chosen. */
interface Named {
  readonly name: string;
  readonly parameters: JsonObject;
}

/** Only the keywords that servers support in grammars, since others make them reject the request. */
function plainSchema({ properties, items, oneOf, anyOf, ...schema }: Schema): JsonObject {
  const { type, required, enum: values, const: only, maxItems } = schema;
  const own = { type, required, enum: values, const: only, maxItems };
  const inner = {
    properties:
      properties &&
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, plainSchema(value)])),
    items: items && plainSchema(items),
    anyOf: (oneOf ?? anyOf)?.map(plainSchema),
  };
  return Object.fromEntries(Object.entries({ ...own, ...inner }).filter(([, value]) => value !== undefined));
}

/** The choices of `choiceGrammar` as a JSON Schema. */
export function choiceSchema(tools: readonly Named[]): JsonObject {
  const choice = (tool: string, more: JsonObject = {}): JsonObject => ({
    type: "object",
    properties: { tool: { const: tool }, ...more },
    required: ["tool", ...Object.keys(more)],
  });
  const choices = tools.map(({ name, parameters }) => choice(name, { arguments: plainSchema(parameters) }));
  return { anyOf: [choice("none"), ...choices] };
}

/** GBNF for a choice: one of the named tools with arguments of its schema, or `none`, as one JSON object. */
export function choiceGrammar(tools: readonly Named[]): string {
  const rules: string[] = [];
  const choices = tools.map(
    ({ name, parameters }) =>
      `${gbnfLiteral(`{"tool": ${JSON.stringify(name)}, "arguments": `)} ${rulesOf(parameters, rules, 0)} "}"`,
  );
  return [
    `root ::= ${[json({ tool: "none" }).replace(":", ": "), ...choices].join(" | ")}`,
    ...rules,
    ...shared,
  ].join("\n");
}

import type { Chunk } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import {
  type Filter,
  type FilterField,
  headingLevels,
  type KindCondition,
  kindsOf,
  matchesTextCondition,
  type PageRange,
  type TextCondition,
} from "../../core/retrieval.ts";
import { encodeScalar, innerHeadingText, scalarColumns } from "./rows.ts";

/**
 * Milvus Lite reads an expression tree of at most about 45 levels; deeper ones fail as "unsupported expr".
 */
const maxDepth = 40;

/**
 * A filter without `not`: a constant, a set test of one column, a test of the pages, the kinds or a text, or
 * an `and`/`or` of at least two such.
 */
export type FilterCondition =
  | { readonly kind: "everything" }
  | { readonly kind: "nothing" }
  | {
      readonly kind: "set";
      readonly field: FilterField;
      readonly values: ReadonlySet<string>;
      readonly negated: boolean;
    }
  | { readonly kind: "pages"; readonly pages: PageRange }
  | { readonly kind: "kinds"; readonly kinds: readonly string[] }
  | { readonly kind: "text"; readonly test: TextCondition }
  | { readonly kind: "and" | "or"; readonly parts: readonly FilterCondition[] };

type SetTest = Extract<FilterCondition, { kind: "set" }>;

const everything: FilterCondition = { kind: "everything" };
const nothing: FilterCondition = { kind: "nothing" };

function setTest(field: FilterField, values: ReadonlySet<string>, negated: boolean): FilterCondition {
  if (values.size === 0) return negated ? everything : nothing;
  return { kind: "set", field, values, negated };
}

/**
 * Lite 2.5 cannot negate a function or `like`.
 * @throws USAGE_INVALID when pages, kinds or texts are to be left out
 */
function metadataTest(
  filter: { readonly pages: PageRange } | KindCondition | TextCondition,
  negated: boolean,
): FilterCondition {
  if (negated)
    throw new RagctlError("USAGE_INVALID", "a filter cannot leave pages, kinds or texts out", {
      hint: "name the pages, kinds or texts to keep to",
    });
  if ("pages" in filter) return { kind: "pages", pages: filter.pages };
  if ("kinds" in filter) return filter.kinds.length === 0 ? nothing : { kind: "kinds", kinds: filter.kinds };
  return filter.contains.length === 0 ? nothing : { kind: "text", test: filter };
}

/** Two tests of one field as one, e.g. `in A or in B` = `in A ∪ B`, `in A and not in B` = `in A \\ B`. */
function merge(operator: "and" | "or", left: SetTest, right: SetTest): FilterCondition {
  const { field } = left;
  if (left.negated === right.negated) {
    const union = (operator === "or") !== left.negated;
    const values = union ? left.values.union(right.values) : left.values.intersection(right.values);
    return setTest(field, values, left.negated);
  }
  const included = left.negated ? right.values : left.values;
  const excluded = left.negated ? left.values : right.values;
  return operator === "and"
    ? setTest(field, included.difference(excluded), false)
    : setTest(field, excluded.difference(included), true);
}

function join(operator: "and" | "or", parts: readonly FilterCondition[]): FilterCondition {
  const neutral = operator === "and" ? everything : nothing;
  const absorbing = operator === "and" ? nothing : everything;
  const flat = parts.flatMap((part) => (part.kind === operator ? part.parts : [part]));
  const tests = mergeTests(
    operator,
    flat.filter((part) => part.kind === "set"),
  );
  const others = flat.filter((part) => part.kind !== "set");
  const terms = [...tests, ...others].filter((part) => part.kind !== neutral.kind);
  if (terms.some((part) => part.kind === absorbing.kind)) return absorbing;
  const [first] = terms;
  if (first === undefined) return neutral;
  return terms.length === 1 ? first : { kind: operator, parts: terms };
}

/** One condition per field, in the order in which the fields first appear. */
function mergeTests(operator: "and" | "or", tests: readonly SetTest[]): readonly FilterCondition[] {
  const byField = new Map<FilterField, FilterCondition>();
  for (const test of tests) {
    const merged = byField.get(test.field);
    if (merged === undefined) byField.set(test.field, test);
    // A merge that comes out constant is the absorbing one, which no further test changes.
    else if (merged.kind === "set") byField.set(test.field, merge(operator, merged, test));
  }
  return [...byField.values()];
}

/**
 * Normalises a filter so that every Milvus can run it.
 * 1. `not` is pushed to the leaves (De Morgan): Lite 2.5 cannot negate a parenthesis.
 * 2. Constants are folded: Lite 2.5 knows neither `true`, `false` nor `in []`.
 * 3. Tests of one field inside one `and`/`or` are merged, which keeps the tree shallow.
 * @throws USAGE_INVALID when pages, kinds or texts are to be left out
 */
export function normalise(filter: Filter, negated = false): FilterCondition {
  if ("not" in filter) return normalise(filter.not, !negated);
  if ("pages" in filter || "kinds" in filter || "text" in filter) return metadataTest(filter, negated);
  if ("field" in filter)
    return setTest(filter.field, new Set(filter.in.map((value) => encodeScalar(value))), negated);
  const operator = "all" in filter !== negated ? "and" : "or";
  const parts = "all" in filter ? filter.all : filter.any;
  return join(
    operator,
    parts.map((part) => normalise(part, negated)),
  );
}

function quote(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** `n` terms joined as a balanced tree: its depth is log2 n where `a and b and c …` would be n deep. */
function balanced(terms: readonly string[], operator: string): string {
  const [first] = terms;
  if (terms.length <= 1) return first ?? "";
  const middle = Math.ceil(terms.length / 2);
  return `(${balanced(terms.slice(0, middle), operator)} ${operator} ${balanced(terms.slice(middle), operator)})`;
}

function depth(condition: FilterCondition): number {
  if (condition.kind === "kinds") return 1;
  if (condition.kind === "text") return Math.ceil(Math.log2(textPlaces(condition.test).length));
  if (!("parts" in condition)) return 0;
  return Math.ceil(Math.log2(condition.parts.length)) + Math.max(...condition.parts.map(depth));
}

/** Pages are a list in the metadata, which has no index: a collection is small compared with its vectors. */
function pagesExpression({ from, to }: PageRange): string {
  const pages = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  return `json_contains_any(metadata["pages"], [${pages.join(",")}])`;
}

/**
 * A chunk of several kinds lists them in the metadata; one that was stored before it did has its type alone.
 */
function kindsExpression(kinds: readonly string[]): string {
  const list = `[${kinds.map((kind) => quote(encodeScalar(kind))).join(",")}]`;
  return `(content_type in ${list} or json_contains_any(metadata["kinds"], ${list}))`;
}

/** Each text with each string that it may contain. */
function textPlaces({ text, contains }: TextCondition): readonly (readonly [string, string])[] {
  const columns =
    text === "headings"
      ? [
          ...Array.from({ length: headingLevels }, (_, level) => `metadata["headings"][${level}]`),
          `metadata["${innerHeadingText}"]`,
        ]
      : [`metadata["${text}"]`];
  return columns.flatMap((column) => contains.map((each) => [column, each] as const));
}

/** `like` has `%` and `_` as wildcards, and `\` to escape them. */
function textExpression(test: TextCondition): string {
  const terms = textPlaces(test).map(
    ([column, each]) => `${column} like ${quote(`%${each.replace(/[\\%_]/g, "\\$&")}%`)}`,
  );
  return balanced(terms, "or");
}

function render(condition: FilterCondition): string {
  if (condition.kind === "everything") return "";
  if (condition.kind === "nothing") return '(id == "" and id != "")';
  if (condition.kind === "set") {
    return `${scalarColumns[condition.field].column} ${condition.negated ? "not in" : "in"} [${Array.from(condition.values, quote).join(",")}]`;
  }
  if (condition.kind === "pages") return pagesExpression(condition.pages);
  if (condition.kind === "kinds") return kindsExpression(condition.kinds);
  if (condition.kind === "text") return textExpression(condition.test);
  return balanced(condition.parts.map(render), condition.kind);
}

/**
 * Milvus boolean text of a normalised filter, every value quoted; "" for everything. @throws USAGE_INVALID
 * when it nests too deep
 */
export function conditionExpression(condition: FilterCondition): string {
  if (depth(condition) > maxDepth) {
    throw new RagctlError("USAGE_INVALID", `the filter nests more than ${maxDepth} levels deep`, {
      hint: "write it with fewer levels of all/any",
    });
  }
  return render(condition);
}

/** The same filter evaluated here: the meaning the store must keep, and a second check on what it returns. */
export function matches(filter: Filter, chunk: Chunk): boolean {
  if ("not" in filter) return !matches(filter.not, chunk);
  if ("all" in filter) return filter.all.every((part) => matches(part, chunk));
  if ("any" in filter) return filter.any.some((part) => matches(part, chunk));
  if ("pages" in filter) {
    const { from, to } = filter.pages;
    return chunk.pages.some((page) => page >= from && page <= to);
  }
  if ("kinds" in filter) return kindsOf(chunk).some((kind) => filter.kinds.includes(kind));
  if ("text" in filter) return matchesTextCondition(filter, chunk);
  return filter.in.includes(chunk[filter.field]);
}

import type { RagctlError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import {
  cleanText,
  isoDate,
  type Metadata,
  type MetadataKind,
  type MetadataValue,
  metadataKey,
  metadataKind,
  statedKeys,
  usageError,
} from "./metadata.ts";

/** How a document's value is compared with the one of a filter. */
const metadataOperators = [">=", "<=", ">", "<", "="] as const;
export type MetadataOperator = (typeof metadataOperators)[number];

/** `key=value`, `key>=2020`, `key<2024-06-01`: one condition on the metadata of documents. */
export interface MetadataCondition {
  readonly key: string;
  readonly operator: MetadataOperator;
  readonly value: string;
}

const condition = /^([^<>=]{1,200})(>=|<=|>|<|=)(.{1,200})$/s;

/** `version>=1.15` as a condition; undefined for a text of another form. */
export function metadataCondition(text: string): MetadataCondition | undefined {
  const [, name = "", sign, value = ""] = condition.exec(text.trim()) ?? [];
  const key = metadataKey(name);
  const operator = metadataOperators.find((each) => each === sign);
  const clean = cleanText(value);
  return key === undefined || operator === undefined || clean === ""
    ? undefined
    : { key, operator, value: clean };
}

/** From the first moment of a year, a month, a day or a time to the one after its last, ms since 1970. */
function spanOf(text: string): readonly [number, number] | undefined {
  const [, year, month] = /^(\d{4})(?:-(0[1-9]|1[0-2]))?$/.exec(text) ?? [];
  if (year !== undefined) {
    const first = month === undefined ? 0 : Number(month) - 1;
    return [Date.UTC(Number(year), first), Date.UTC(Number(year), first + (month === undefined ? 12 : 1))];
  }
  const date = isoDate(text);
  if (date === undefined) return undefined;
  const from = Date.parse(date);
  return [from, from + (date.length === 10 ? 86_400_000 : 1000)];
}

function holds(value: number, operator: MetadataOperator, [from, to]: readonly [number, number]): boolean {
  if (operator === ">=") return value >= from;
  if (operator === ">") return value >= to;
  if (operator === "<") return value < from;
  if (operator === "<=") return value < to;
  return value >= from && value < to;
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** Whether a value meets a condition; undefined where the two cannot be compared. */
function meets(value: MetadataValue, { operator, value: wanted }: MetadataCondition): boolean | undefined {
  const kind = metadataKind(value);
  if (kind === "number") {
    if (!/^-?\d{1,15}(?:\.\d{1,15})?$/.test(wanted)) return undefined;
    const [own, bound] = [Number(value), Number(wanted)];
    return operator === "=" ? own === bound : compared(own, operator, bound);
  }
  if (kind === "date") {
    const span = spanOf(wanted);
    return span === undefined ? undefined : holds(Date.parse(String(value)), operator, span);
  }
  if (operator !== "=") return undefined;
  if (kind === "boolean")
    return /^(?:true|false)$/i.test(wanted) ? String(value) === folded(wanted) : undefined;
  const texts = typeof value === "object" ? value : [String(value)];
  const plain = folded(wanted.replace(/^"(.*)"$/, "$1"));
  return texts.some((text) => folded(text) === plain);
}

function compared(own: number, operator: Exclude<MetadataOperator, "=">, bound: number): boolean {
  if (operator === ">=") return own >= bound;
  if (operator === ">") return own > bound;
  return operator === "<" ? own < bound : own <= bound;
}

/** A document with its metadata. */
interface Described {
  readonly metadata: Metadata;
}

const valueUnder = ({ metadata }: Described, key: string): MetadataValue | undefined =>
  Object.hasOwn(metadata, key) ? metadata[key] : undefined;

/** Keys that a hint lists at most. */
const listedKeys = 20;

function unknownKey(key: string, documents: readonly Described[]): RagctlError {
  const keys = [...new Set(documents.flatMap(({ metadata }) => Object.keys(metadata)))].sort();
  const shown = `${keys.slice(0, listedKeys).join(", ")}${keys.length > listedKeys ? " …" : ""}`;
  return usageError(
    `no document here has the metadata key "${key}"${didYouMean(key, keys)}`,
    keys.length === 0
      ? "no document has metadata; set some with ragctl ingest FILE --meta KEY=VALUE"
      : `keys: ${[...statedKeys, shown].join(", ")}`,
  );
}

/** Kind → what it can be compared with, and an example. */
const comparisons: Readonly<Record<MetadataKind, string>> = {
  number: "a number, as in >=2.5",
  date: "a year, month, day or time, as in >=2024 or <2024-06-01",
  boolean: "=true or =false",
  text: "= and text",
  list: "= and one of its items",
};

function notComparable(
  { key, operator, value }: MetadataCondition,
  values: readonly MetadataValue[],
): RagctlError {
  const kinds = [...new Set(values.map(metadataKind))].sort();
  return usageError(
    `${key}${operator}${value} cannot be compared: ${key} is ${kinds.map((kind) => `a ${kind}`).join(" or ")}`,
    `compare with ${kinds.map((kind) => comparisons[kind]).join("; or ")}`,
  );
}

/**
 * Those of the documents that meet every condition. The errors name keys of these documents and of no others.
 * @throws USAGE_INVALID for a key that none of them has, and for a value that none of its values can be
 * compared with
 */
export function filterByMetadata<Document extends Described>(
  documents: readonly Document[],
  conditions: readonly MetadataCondition[],
): readonly Document[] {
  for (const each of conditions) {
    const values = documents
      .map((document) => valueUnder(document, each.key))
      .filter((value) => value !== undefined);
    if (values.length === 0) throw unknownKey(each.key, documents);
    if (values.every((value) => meets(value, each) === undefined)) throw notComparable(each, values);
  }
  return documents.filter((document) =>
    conditions.every((each) => {
      const value = valueUnder(document, each.key);
      return value !== undefined && meets(value, each) === true;
    }),
  );
}

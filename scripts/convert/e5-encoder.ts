import type { BlockMatrix, E5File } from "./e5-file.ts";
import { blockValues } from "./e5-file.ts";
import { type GraphNode, onnxModel, type Tensor } from "./onnx.ts";
import type { Message } from "./protobuf.ts";

/**
 * Largest quantised weight. 64 and not 127: processors without VNNI add pairs of products in 16 bits, which two
 * larger ones could overflow. Source: `reduce_range` of ONNX Runtime's quantisation tool.
 */
const largestWeight = 64;
/** Axis of a state's values; the others are the text and its tokens. */
const valueAxis = 2;

/** Nodes and weights of a graph as it grows; each function returns the name of what it computes. */
interface Draft {
  readonly nodes: GraphNode[];
  readonly tensors: Tensor[];
}

/** What a linear layer is given: output = input · weights + bias. */
interface Linear {
  /** Rows are outputs. */
  readonly weights: Matrix;
  readonly bias: Float32Array;
}

interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly values: Float32Array;
}

/**
 * The encoder of a file as an ONNX model that gives `last_hidden_state`, shape [texts, tokens, dimensions].
 * Token embeddings stay in their 4-bit blocks. Linear layers become 8-bit integers with one scale for each
 * output, whose inputs are quantised as they come: the form of the other int8 models here, and twice as fast on
 * a CPU as multiplying the blocks.
 * @throws Error when weights are missing
 */
export function e5Encoder(file: E5File): Message {
  const { head } = file;
  const draft: Draft = { nodes: [], tensors: [] };
  let states = embeddings(draft, file);
  const mask = node(draft, "mask", {
    operator: "Cast",
    inputs: ["attention_mask"],
    attributes: { to: "int32" },
  });
  for (let layer = 0; layer < head.layers; layer++) {
    const name = `layer.${layer}`;
    const attended = attention(draft, file, `l${layer}`, name, states, mask);
    states = layerNorm(draft, file, `l${layer}.aln`, `${name}.attention.normal`, [states, attended]);
    const fed = feedForward(draft, file, `l${layer}`, name, states);
    const output = layer === head.layers - 1 ? "last_hidden_state" : `${name}.normal`;
    states = layerNorm(draft, file, `l${layer}.oln`, output, [states, fed]);
  }
  const tokens = ["texts", "tokens"];
  return onnxModel({
    name: "multilingual-e5-small",
    ...draft,
    inputs: ["input_ids", "attention_mask"].map((name) => ({ name, type: "int64", dims: tokens })),
    outputs: [{ name: states, type: "float32", dims: [...tokens, head.dimensions] }],
  });
}

/** Token and position embeddings, added and normalised. */
function embeddings(draft: Draft, file: E5File): string {
  const { dimensions, positions, vocabulary, tokenTypes } = file.head;
  const words = file.blocks("emb.word", vocabulary, dimensions);
  draft.tensors.push(
    { name: "words", type: "int4", dims: [vocabulary, dimensions], data: packSigned(words.nibbles) },
    {
      name: "words.scale",
      type: "float16",
      dims: [vocabulary, dimensions / blockValues],
      data: words.scales,
    },
  );
  const halves = node(draft, "words.half", {
    operator: "GatherBlockQuantized",
    own: true,
    inputs: ["words", "input_ids", "words.scale"],
    attributes: { block_size: blockValues, gather_axis: 0, quantize_axis: 1 },
  });
  const tokens = node(draft, "words.float", {
    operator: "Cast",
    inputs: [halves],
    attributes: { to: "float32" },
  });
  // Every token is of the first type, so its embedding is part of the positions'.
  const type = file.floats("emb.type", tokenTypes * dimensions);
  const places = file
    .floats("emb.pos", positions * dimensions)
    .map((value, at) => value + (type[at % dimensions] ?? 0));
  const length = node(draft, "length", {
    operator: "Shape",
    inputs: ["input_ids"],
    attributes: { start: 1, end: 2 },
  });
  const start = integers(draft, "zero", [0]);
  const position = node(draft, "places.here", {
    operator: "Slice",
    inputs: [floats(draft, "places", [positions, dimensions], places), start, length, start],
  });
  return layerNorm(draft, file, "emb.ln", "embeddings", [tokens, position]);
}

function attention(
  draft: Draft,
  file: E5File,
  from: string,
  name: string,
  states: string,
  mask: string,
): string {
  const { dimensions, attentionHeads } = file.head;
  const parts = ["q", "k", "v"].map((part) => linearOf(file, `${from}.${part}`, dimensions, dimensions));
  const all = multiply(draft, `${name}.queries-keys-values`, states, {
    weights: {
      rows: 3 * dimensions,
      columns: dimensions,
      values: Float32Array.from(parts.flatMap(({ weights }) => [...weights.values])),
    },
    bias: Float32Array.from(parts.flatMap(({ bias }) => [...bias])),
  });
  const [queries, keys, values] = ["queries", "keys", "values"].map((part) => `${name}.${part}`);
  const split = [queries ?? "", keys ?? "", values ?? ""];
  const attributes = { axis: valueAxis, num_outputs: 3 };
  draft.nodes.push({ operator: "Split", inputs: [all], outputs: split, attributes });
  const context = node(draft, `${name}.context`, {
    operator: "MultiHeadAttention",
    own: true,
    inputs: [...split, "", mask],
    attributes: { num_heads: attentionHeads },
  });
  return multiply(draft, `${name}.attention`, context, linearOf(file, `${from}.ao`, dimensions, dimensions));
}

/**
 * One unit of each feed-forward network is up to ten times as loud as the others, and an 8-bit scale that spans
 * it leaves the others few steps. It is the unit with the largest outgoing weights; its share is computed in
 * floats, which brings the vectors more than twice as close to those of the 4-bit weights.
 */
function feedForward(draft: Draft, file: E5File, from: string, name: string, states: string): string {
  const { dimensions, units } = file.head;
  const inward = linearOf(file, `${from}.fi`, units, dimensions);
  const outward = linearOf(file, `${from}.fo`, dimensions, units);
  const loud = loudestColumn(outward.weights);
  const others = Array.from({ length: units }, (_, unit) => unit).filter((unit) => unit !== loud);
  const order = [...others, loud];
  const sums = multiply(draft, `${name}.units`, states, {
    weights: selectRows(inward.weights, order),
    bias: Float32Array.from(order, (unit) => inward.bias[unit] ?? 0),
  });
  const active = node(draft, `${name}.active`, { operator: "Gelu", inputs: [sums] });
  const parts = [`${name}.quiet`, `${name}.loud`] as const;
  draft.nodes.push({
    operator: "Split",
    inputs: [active, integers(draft, `${name}.sizes`, [others.length, 1])],
    outputs: parts,
    attributes: { axis: valueAxis },
  });
  const most = multiply(draft, `${name}.most`, parts[0], {
    weights: selectColumns(outward.weights, others),
    bias: outward.bias,
  });
  const column = selectColumns(outward.weights, [loud]).values;
  const rest = node(draft, `${name}.rest`, {
    operator: "MatMul",
    inputs: [parts[1], floats(draft, `${name}.loud.weights`, [1, dimensions], column)],
  });
  return node(draft, `${name}.fed`, { operator: "Add", inputs: [most, rest] });
}

/** The sum of two values, normalised by the weights called `from`. */
function layerNorm(
  draft: Draft,
  file: E5File,
  from: string,
  name: string,
  terms: readonly [string, string],
): string {
  const { dimensions, epsilon } = file.head;
  const [scale, shift] = (["w", "b"] as const).map((part) =>
    floats(draft, `${name}.${part}`, [dimensions], file.floats(`${from}.${part}`, dimensions)),
  );
  const sum = node(draft, `${name}.sum`, { operator: "Add", inputs: terms });
  return node(draft, name, {
    operator: "LayerNormalization",
    inputs: [sum, scale ?? "", shift ?? ""],
    attributes: { axis: valueAxis, epsilon: { float: epsilon } },
  });
}

/** A linear layer in 8-bit integers, symmetric, one scale for each output. */
function multiply(draft: Draft, name: string, input: string, { weights, bias }: Linear): string {
  const { rows, columns, values } = weights;
  const scales = new Float32Array(rows);
  /** Shape [columns, rows]. */
  const integers = new Int8Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const line = values.subarray(row * columns, (row + 1) * columns);
    const largest = line.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = Math.fround(largest === 0 ? 1 : largest / largestWeight);
    scales[row] = scale;
    for (let at = 0; at < columns; at++) integers[at * rows + row] = Math.round((line[at] ?? 0) / scale);
  }
  const data = new Uint8Array(integers.buffer);
  draft.tensors.push({ name: `${name}.weights`, type: "int8", dims: [columns, rows], data });
  draft.tensors.push({ name: `${name}.zero`, type: "int8", dims: [rows], data: new Uint8Array(rows) });
  const scale = floats(draft, `${name}.scale`, [rows], scales);
  return node(draft, name, {
    operator: "DynamicQuantizeMatMul",
    own: true,
    inputs: [input, `${name}.weights`, scale, `${name}.zero`, floats(draft, `${name}.bias`, [rows], bias)],
  });
}

function linearOf(file: E5File, name: string, rows: number, columns: number): Linear {
  const blocks = file.blocks(`${name}.w`, rows, columns);
  return { weights: { rows, columns, values: floatsOf(blocks) }, bias: file.floats(`${name}.b`, rows) };
}

function floatsOf({ scales, nibbles }: BlockMatrix): Float32Array {
  const view = new DataView(scales.buffer, scales.byteOffset, scales.byteLength);
  const values = new Float32Array(nibbles.length);
  for (let at = 0; at < nibbles.length; at++) {
    const scale = view.getFloat16(Math.floor(at / blockValues) * 2, true);
    values[at] = scale * ((nibbles[at] ?? 0) - 8);
  }
  return values;
}

/** Two values of 0 to 15 a byte, less 8, as signed 4-bit integers. */
function packSigned(nibbles: Uint8Array): Uint8Array {
  const packed = new Uint8Array(nibbles.length / 2);
  for (let at = 0; at < packed.length; at++)
    packed[at] = ((nibbles[2 * at] ?? 0) | ((nibbles[2 * at + 1] ?? 0) << 4)) ^ 0x88;
  return packed;
}

/** The column with the largest sum of squares. */
function loudestColumn({ columns, values }: Matrix): number {
  const sums = new Float64Array(columns);
  for (const [at, value] of values.entries()) sums[at % columns] = (sums[at % columns] ?? 0) + value * value;
  return sums.indexOf(Math.max(...sums));
}

function selectRows({ columns, values }: Matrix, rows: readonly number[]): Matrix {
  const selected = new Float32Array(rows.length * columns);
  for (const [place, row] of rows.entries())
    selected.set(values.subarray(row * columns, (row + 1) * columns), place * columns);
  return { rows: rows.length, columns, values: selected };
}

function selectColumns({ rows, columns, values }: Matrix, chosen: readonly number[]): Matrix {
  const selected = new Float32Array(rows * chosen.length);
  for (let row = 0; row < rows; row++)
    for (const [place, column] of chosen.entries())
      selected[row * chosen.length + place] = values[row * columns + column] ?? 0;
  return { rows, columns: chosen.length, values: selected };
}

function node(draft: Draft, name: string, made: Omit<GraphNode, "outputs">): string {
  draft.nodes.push({ ...made, outputs: [name] });
  return name;
}

function floats(draft: Draft, name: string, dims: readonly number[], values: Float32Array): string {
  const data = new Uint8Array(values.length * 4);
  const view = new DataView(data.buffer);
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true);
  draft.tensors.push({ name, type: "float32", dims, data });
  return name;
}

function integers(draft: Draft, name: string, values: readonly number[]): string {
  const data = new Uint8Array(values.length * 8);
  const view = new DataView(data.buffer);
  for (const [at, value] of values.entries()) view.setBigInt64(at * 8, BigInt(value), true);
  draft.tensors.push({ name, type: "int64", dims: [values.length], data });
  return name;
}

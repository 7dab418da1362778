import {
  type Attribute,
  type GraphNode,
  type OnnxFile,
  readMessage,
  type TensorProto,
  writeMessage,
} from "./onnx-file.ts";

/** Types of tensors and attributes in the numbers of ONNX. */
const onnx = { float: 1, int64: 7, floatAttribute: 1, intAttribute: 2 } as const;

/** Initializers above this size, in bytes, are weights and not read. */
const smallTensor = 256;

const microsoft = "com.microsoft";

/** A graph as the matcher walks it. */
interface Graph {
  /** The node that makes a value. */
  readonly makes: ReadonlyMap<string, GraphNode>;
  /** The nodes that take a value. */
  readonly takes: ReadonlyMap<string, readonly GraphNode[]>;
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
  /** Numbers of a constant of few; undefined for any other value. */
  constant(name: string): readonly number[] | undefined;
}

const integer = (value: number | { toNumber(): number }): number =>
  typeof value === "number" ? value : value.toNumber();

function numbersOf({ dataType, floatData, int64Data, rawData }: TensorProto): readonly number[] | undefined {
  if (rawData !== undefined && rawData.length > 0) {
    const view = new DataView(rawData.buffer, rawData.byteOffset, rawData.length);
    if (dataType === onnx.float)
      return Array.from({ length: rawData.length / 4 }, (_, at) => view.getFloat32(4 * at, true));
    if (dataType === onnx.int64)
      return Array.from({ length: rawData.length / 8 }, (_, at) => Number(view.getBigInt64(8 * at, true)));
    return undefined;
  }
  return dataType === onnx.float ? floatData : dataType === onnx.int64 ? int64Data?.map(integer) : undefined;
}

const attributeOf = ({ attribute }: GraphNode, name: string): Attribute | undefined =>
  attribute.map((each) => readMessage<Attribute>("Attribute", each)).find((each) => each.name === name);

function graphOf({ graph }: OnnxFile): Graph {
  const makes = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  // What only asks how large a value is does not keep it from being replaced.
  const taken = graph.node
    .filter(({ opType }) => opType !== "Shape")
    .flatMap((node) => node.input.map((name) => ({ name, node })));
  const takes = new Map(
    [...Map.groupBy(taken, ({ name }) => name)].map(([name, all]) => [name, all.map(({ node }) => node)]),
  );
  const names = (values: readonly Uint8Array[]): ReadonlySet<string> =>
    new Set(values.map((value) => readMessage<{ name: string }>("ValueInfo", value).name));
  const small = new Map(
    graph.initializer
      .filter(({ length }) => length <= smallTensor)
      .map((each) => readMessage<TensorProto>("Tensor", each))
      .map((tensor) => [tensor.name ?? "", tensor]),
  );
  return {
    makes,
    takes,
    inputs: names(graph.input),
    outputs: names(graph.output),
    constant(name) {
      const node = makes.get(name);
      const tensor = node?.opType === "Constant" ? attributeOf(node, "value")?.t : small.get(name);
      return tensor && numbersOf(tensor);
    },
  };
}

/** The node of a kind that makes a value, if that is taken nowhere else. */
function maker(graph: Graph, name: string | undefined, ...kinds: readonly string[]): GraphNode | undefined {
  const node = name === undefined ? undefined : graph.makes.get(name);
  const isAlone = name !== undefined && graph.takes.get(name)?.length === 1 && !graph.outputs.has(name);
  return node !== undefined && isAlone && kinds.includes(node.opType) ? node : undefined;
}

/** The only node of a kind that takes another node's output. */
function taker(graph: Graph, { output }: GraphNode, kind: string): GraphNode | undefined {
  const [name = ""] = output;
  const [node, ...others] = graph.takes.get(name) ?? [];
  return others.length === 0 && node?.opType === kind && !graph.outputs.has(name) ? node : undefined;
}

/** Whether a value comes of the mask of the texts and constants alone. */
function isOfMask(graph: Graph, name: string): boolean {
  const seen = new Set<string>();
  const next = [name];
  for (let value = next.pop(); value !== undefined; value = next.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    if (graph.inputs.has(value) && value !== "attention_mask") return false;
    next.push(...(graph.makes.get(value)?.input ?? []));
  }
  return seen.has("attention_mask");
}

/** Dimensions that a reshape gives, where they are constants; those of a text are null. */
function shapeOf(graph: Graph, name: string | undefined): readonly (number | null)[] {
  const whole = graph.constant(name ?? "");
  if (whole !== undefined) return whole;
  const parts = graph.makes.get(name ?? "");
  if (parts?.opType !== "Concat") return [];
  return parts.input.map((part) => graph.constant(part)?.[0] ?? null);
}

const isOrder = (node: GraphNode | undefined, order: readonly number[]): boolean =>
  node !== undefined && (attributeOf(node, "perm")?.ints ?? []).map(integer).join() === order.join();

/** What of a value is split into heads: its name and their number and width. */
function headsOf(graph: Graph, name: string | undefined, order: readonly number[]) {
  const turned = maker(graph, name, "Transpose");
  const split = isOrder(turned, order) ? maker(graph, turned?.input[0], "Reshape") : undefined;
  const [, , count, width] = shapeOf(graph, split?.input[1]);
  const [value] = split?.input ?? [];
  return value === undefined || !count || !width ? undefined : { value, count, width };
}

/** Scores and their factor. */
function scaled(graph: Graph, name: string | undefined): { scores: string; scale: number } | undefined {
  const node = maker(graph, name, "Mul", "Div");
  const [scores = "", by = ""] = node?.input ?? [];
  const [factor, ...more] = graph.constant(by) ?? [];
  if (node === undefined || factor === undefined || factor === 0 || more.length > 0) return undefined;
  return { scores, scale: node.opType === "Div" ? 1 / factor : factor };
}

/** Attention as a graph spells it out, and its last node. */
interface Attention {
  readonly inputs: readonly string[];
  readonly heads: number;
  readonly scale: number;
  /** The last node of it. */
  readonly end: GraphNode;
}

/** The attention around a softmax of masked and scaled scores; undefined for any other one. */
function attentionAt(graph: Graph, softmax: GraphNode): Attention | undefined {
  const axis = attributeOf(softmax, "axis")?.i;
  if (axis !== undefined && ![-1, 3].includes(integer(axis))) return undefined;
  const masked = maker(graph, softmax.input[0], "Add");
  const [left = "", right = ""] = masked?.input ?? [];
  const scores = scaled(graph, left);
  const product = isOfMask(graph, right) ? maker(graph, scores?.scores, "MatMul") : undefined;
  const query = headsOf(graph, product?.input[0], [0, 2, 1, 3]);
  const key = headsOf(graph, product?.input[1], [0, 2, 3, 1]);
  const mixed = taker(graph, softmax, "MatMul");
  const value = headsOf(graph, mixed?.input[1], [0, 2, 1, 3]);
  const turned = mixed && taker(graph, mixed, "Transpose");
  const end = turned && isOrder(turned, [0, 2, 1, 3]) ? taker(graph, turned, "Reshape") : undefined;
  if (!scores || !query || !key || !value || !end) return undefined;
  if ([key, value].some(({ count, width }) => count !== query.count || width !== query.width))
    return undefined;
  return { inputs: [query.value, key.value, value.value], heads: query.count, scale: scores.scale, end };
}

const attribute = (name: string, value: Partial<Attribute>): Uint8Array =>
  writeMessage("Attribute", { name, ...value });

/** The nodes that the outputs of a graph need, in their order: the runtime computes the others too. */
function needed(nodes: readonly GraphNode[], outputs: Iterable<string>): GraphNode[] {
  const makes = new Map(nodes.flatMap((node) => node.output.map((name) => [name, node] as const)));
  const kept = new Set<GraphNode>();
  const next = [...outputs];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    const node = makes.get(name);
    if (node === undefined || kept.has(node)) continue;
    kept.add(node);
    next.push(...node.input);
  }
  return nodes.filter((node) => kept.has(node));
}

/**
 * Replaces each attention that a graph spells out in ten operations by one, which onnxruntime computes in
 * blocks, without a matrix of all tokens by all tokens. It has no mask, so it is right for runs of one text
 * only.
 * @returns how many were replaced; 0 leaves the model unchanged
 */
export function fuseAttention(model: OnnxFile): number {
  // These have subgraphs, which may use any value of this graph.
  if (model.graph.node.some(({ opType }) => ["If", "Loop", "Scan"].includes(opType))) return 0;
  const graph = graphOf(model);
  const found = model.graph.node
    .filter(({ opType }) => opType === "Softmax")
    .flatMap((softmax) => attentionAt(graph, softmax) ?? []);
  if (found.length === 0) return 0;
  for (const { inputs, heads, scale, end } of found) {
    end.input = [...inputs];
    end.opType = "MultiHeadAttention";
    end.domain = microsoft;
    end.attribute = [
      attribute("num_heads", { i: heads, type: onnx.intAttribute }),
      attribute("scale", { f: scale, type: onnx.floatAttribute }),
    ];
  }
  model.graph.node = needed(model.graph.node, graph.outputs);
  if (!model.opsetImport.some(({ domain }) => domain === microsoft))
    model.opsetImport.push({ domain: microsoft, version: 1 });
  return found.length;
}

import { type Field, type Message, message } from "./protobuf.ts";

/** Codes of TensorProto.DataType. Source of these and of every field number below: onnx.proto of ONNX 1.16. */
const dataTypes = { float32: 1, int8: 3, int32: 6, int64: 7, float16: 10, int4: 22 } as const;
export type DataType = keyof typeof dataTypes;

/** Row-major, little-endian values under a name; two `int4` share a byte, the first in its low half. */
export interface Tensor {
  readonly name: string;
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: Uint8Array;
}

/** One operation. An input "" is one that is left out. */
export interface GraphNode {
  readonly operator: string;
  /** Operators of ONNX Runtime's own; else those of the standard. */
  readonly own?: boolean;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Integers that are not negative, or a data type for its code. */
  readonly attributes?: Readonly<Record<string, number | DataType | { readonly float: number }>>;
}

/** What goes into a graph or comes out of it; a dimension that varies is a name. */
export interface GraphValue {
  readonly name: string;
  readonly type: DataType;
  readonly dims: readonly (number | string)[];
}

export interface Graph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  readonly tensors: readonly Tensor[];
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
}

/** Domain of the operators that only ONNX Runtime has. */
const ownDomain = "com.microsoft";
const irVersion = 10;
/** Operator sets. 21 is the first with 4-bit integers. */
const operatorSets = [
  ["", 21],
  [ownDomain, 1],
] as const;
const attributeTypes = { float: 1, integer: 2 } as const;

/** A graph as a model file. */
export function onnxModel(graph: Graph): Message {
  return message([
    [1, irVersion],
    [7, graphMessage(graph)],
    ...operatorSets.map(
      ([domain, version]): Field => [
        8,
        message([
          [1, domain],
          [2, version],
        ]),
      ],
    ),
  ]);
}

function graphMessage({ name, nodes, tensors, inputs, outputs }: Graph): Message {
  return message([
    ...nodes.map((node): Field => [1, nodeMessage(node)]),
    [2, name],
    ...tensors.map((tensor): Field => [5, tensorMessage(tensor)]),
    ...inputs.map((value): Field => [11, valueMessage(value)]),
    ...outputs.map((value): Field => [12, valueMessage(value)]),
  ]);
}

function nodeMessage({ operator, own, inputs, outputs, attributes = {} }: GraphNode): Message {
  return message([
    ...inputs.map((name): Field => [1, name]),
    ...outputs.map((name): Field => [2, name]),
    [4, operator],
    ...Object.entries(attributes).map(([name, value]): Field => [5, attributeMessage(name, value)]),
    ...(own === true ? [[7, ownDomain] as const] : []),
  ]);
}

function attributeMessage(name: string, value: number | DataType | { readonly float: number }): Message {
  if (typeof value === "object")
    return message([
      [1, name],
      [2, value],
      [20, attributeTypes.float],
    ]);
  const integer = typeof value === "string" ? dataTypes[value] : value;
  return message([
    [1, name],
    [3, integer],
    [20, attributeTypes.integer],
  ]);
}

function tensorMessage({ name, type, dims, data }: Tensor): Message {
  return message([...dims.map((size): Field => [1, size]), [2, dataTypes[type]], [8, name], [9, data]]);
}

function valueMessage({ name, type, dims }: GraphValue): Message {
  const shape = message(
    dims.map((size): Field => [1, message([typeof size === "number" ? [1, size] : [2, size]])]),
  );
  const tensor = message([
    [1, dataTypes[type]],
    [2, shape],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}

import protobuf from "protobufjs/light.js";
import { lazy } from "../../../core/lazy.ts";

/** One operation of a graph; what it computes is in its attributes. */
export interface GraphNode {
  input: string[];
  output: string[];
  name?: string;
  opType: string;
  domain?: string;
  attribute: Uint8Array[];
}

/** A tensor as ONNX stores it; only small ones are read. */
export interface TensorProto {
  dims?: (number | { toNumber(): number })[];
  dataType?: number;
  name?: string;
  floatData?: number[];
  int64Data?: (number | { toNumber(): number })[];
  rawData?: Uint8Array;
}

/** An attribute of an operation. */
export interface Attribute {
  name: string;
  f?: number;
  i?: number | { toNumber(): number };
  t?: TensorProto;
  ints?: (number | { toNumber(): number })[];
  type?: number;
}

/** A model file with its graph decoded; fields that are not read remain unchanged. */
export interface OnnxFile {
  opsetImport: { domain?: string; version?: number }[];
  graph: { node: GraphNode[]; initializer: Uint8Array[]; input: Uint8Array[]; output: Uint8Array[] };
}

type Rule = "repeated";
const field = (type: string, id: number, rule?: Rule) => ({ type, id, ...(rule && { rule }) });
const bytes = (id: number) => field("bytes", id);
const many = (type: string, id: number) => field(type, id, "repeated");

/**
 * The messages of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto with all their fields; messages that
 * are not needed here are kept as bytes, which are encoded alike.
 */
const messages = {
  Model: {
    fields: {
      irVersion: field("int64", 1),
      producerName: field("string", 2),
      producerVersion: field("string", 3),
      domain: field("string", 4),
      modelVersion: field("int64", 5),
      docString: field("string", 6),
      graph: field("Graph", 7),
      opsetImport: many("Opset", 8),
      metadataProps: many("bytes", 14),
      trainingInfo: many("bytes", 20),
      functions: many("bytes", 25),
      configuration: many("bytes", 26),
    },
  },
  Opset: { fields: { domain: field("string", 1), version: field("int64", 2) } },
  Graph: {
    fields: {
      node: many("Node", 1),
      name: field("string", 2),
      initializer: many("bytes", 5),
      docString: field("string", 10),
      input: many("bytes", 11),
      output: many("bytes", 12),
      valueInfo: many("bytes", 13),
      quantizationAnnotation: many("bytes", 14),
      sparseInitializer: many("bytes", 15),
      metadataProps: many("bytes", 16),
    },
  },
  Node: {
    fields: {
      input: many("string", 1),
      output: many("string", 2),
      name: field("string", 3),
      opType: field("string", 4),
      attribute: many("bytes", 5),
      docString: field("string", 6),
      domain: field("string", 7),
      overload: field("string", 8),
      metadataProps: many("bytes", 9),
      deviceConfigurations: many("bytes", 10),
    },
  },
  Attribute: {
    fields: {
      name: field("string", 1),
      f: field("float", 2),
      i: field("int64", 3),
      t: field("Tensor", 5),
      ints: many("int64", 8),
      type: field("int32", 20),
    },
  },
  Tensor: {
    fields: {
      dims: many("int64", 1),
      dataType: field("int32", 2),
      floatData: many("float", 4),
      int64Data: many("int64", 7),
      name: field("string", 8),
      rawData: bytes(9),
    },
  },
  ValueInfo: { fields: { name: field("string", 1) } },
};

type MessageName = keyof typeof messages;

const types = lazy(() => protobuf.Root.fromJSON({ nested: messages }));

/** Reads one message. @throws Error for invalid bytes */
export const readMessage = <T>(name: MessageName, from: Uint8Array): T =>
  types().lookupType(name).decode(from) as unknown as T;

/** Writes one message. */
export const writeMessage = (name: MessageName, message: object): Uint8Array =>
  types().lookupType(name).encode(message).finish();

/**
 * Decodes a model; null where a file has fields that would be lost when it is written again.
 * @throws Error where the bytes are not a model
 */
export function readModel(from: Uint8Array): OnnxFile | null {
  const model = readMessage<OnnxFile>("Model", from);
  return writeMessage("Model", model).length === from.length ? model : null;
}

/** The file of a model. */
export const writeModel = (model: OnnxFile): Uint8Array => writeMessage("Model", model);

import type { Embedding } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { OneTextModelSettings } from "../runtime/graph/one-text-model.ts";
import type { Device, FloatTensor, OnnxSession } from "../runtime/onnx.ts";
import { openOnnx } from "../runtime/onnx.ts";
import type { Heads, OutputNames } from "./heads.ts";
import { resolveHeads } from "./heads.ts";
import type { Pooling } from "./pooling.ts";
import { multiRows, normalise, poolStates, sliceRow, sparseWeights } from "./pooling.ts";

/** Settings of an encoder; plain data, so it can cross to another thread. */
export interface EncoderSettings {
  readonly id: string;
  readonly architecture: "bert" | "bge-m3";
  readonly pooling: Pooling;
  readonly dimensions: number;
  readonly outputs?: OutputNames;
  readonly modelPath: string;
  readonly device: Device;
  /** Threads inside one run. */
  readonly threads: number;
  readonly oneText?: OneTextModelSettings;
  readonly padId: number;
  readonly specialIds: readonly number[];
}

/** Facts about an opened encoder. */
export interface EncoderFacts {
  readonly provider: string;
  /** Why another provider was wanted and not had; "" when there is nothing to say. */
  readonly fallback: string;
  readonly heads: { readonly sparse: boolean; readonly multi: boolean };
}

/** What one run of an encoder is given. */
export interface EncodeInput {
  readonly rows: readonly Int32Array[];
  /** Also return ColBERT rows. */
  readonly multi: boolean;
}

/** Token ids in, embeddings out: one run of the model, in the calling thread. */
export interface Encoder extends AsyncDisposable {
  readonly facts: EncoderFacts;
  /** @param rows ids as the model reads them; of unequal length, they are padded to the longest */
  encode(rows: readonly Int32Array[], multi: boolean): Promise<Embedding[]>;
}

function feeds(rows: readonly Int32Array[], width: number, padId: number) {
  const dims = [rows.length, width];
  const ids = new BigInt64Array(rows.length * width).fill(BigInt(padId));
  const mask = new BigInt64Array(ids.length);
  for (const [row, values] of rows.entries()) {
    const start = row * width;
    for (const [at, id] of values.entries()) ids[start + at] = BigInt(id);
    mask.fill(1n, start, start + values.length);
  }
  return {
    input_ids: { data: ids, dims },
    attention_mask: { data: mask, dims },
    token_type_ids: { data: new BigInt64Array(ids.length), dims },
  };
}

/** Opens a model as an encoder. @throws MODEL_MISSING, MODEL_UNREADABLE */
export async function openEncoder(settings: EncoderSettings): Promise<Encoder> {
  const session = await openOnnx(settings);
  let heads: Heads;
  try {
    heads = resolveHeads(session.outputs, settings);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
  return encoderOf(session, heads, settings);
}

/** The dense vector of one text, of length 1. @throws MODEL_UNREADABLE */
function denseVector(
  tensor: FloatTensor,
  row: number,
  tokens: number,
  { from }: Heads["dense"],
  { id, dimensions, pooling }: EncoderSettings,
): Float32Array {
  const width = tensor.dims.at(-1);
  if (width !== dimensions) {
    throw new RagctlError(
      "MODEL_UNREADABLE",
      `${id} gives vectors of ${width} dimensions, but its manifest entry says ${dimensions}`,
      { hint: "correct `dimensions` in the model's manifest entry" },
    );
  }
  const slice = sliceRow(tensor, row);
  const vector =
    from === "hidden" ? poolStates(slice, dimensions, tokens, pooling) : slice.slice(0, dimensions);
  const norm = normalise(vector);
  if (norm > 0 && Number.isFinite(norm)) return vector;
  throw new RagctlError("MODEL_UNREADABLE", `${id} gave a vector of length ${norm}`, {
    hint: "download the model again with `ragctl models pull`",
  });
}

function encoderOf(session: OnnxSession, heads: Heads, settings: EncoderSettings): Encoder {
  const specialIds = new Set(settings.specialIds);
  const { id, dimensions } = settings;

  const encode: Encoder["encode"] = async (rows, multi) => {
    const width = Math.max(...rows.map((row) => row.length));
    const names = [heads.dense.name, heads.sparse, multi ? heads.multi : undefined].filter(
      (name) => name !== undefined,
    );
    const results = await session.run(feeds(rows, width, settings.padId), names);
    const output = (name: string | undefined): FloatTensor | undefined =>
      name === undefined ? undefined : results.get(name);
    const [vectors, weights, late] = [
      output(heads.dense.name),
      output(heads.sparse),
      multi ? output(heads.multi) : undefined,
    ];
    if (vectors === undefined)
      throw new RagctlError("MODEL_UNREADABLE", `${id} did not give its output "${heads.dense.name}"`);
    return rows.map((ids, row) => ({
      dense: denseVector(vectors, row, ids.length, heads.dense, settings),
      ...(weights && { sparse: sparseWeights(sliceRow(weights, row), ids, width, specialIds) }),
      ...(late && {
        multi: multiRows(sliceRow(late, row), late.dims.at(-1) ?? dimensions, ids.length, width),
      }),
    }));
  };

  return {
    facts: {
      provider: session.provider,
      fallback: session.fallback,
      heads: { sparse: heads.sparse !== undefined, multi: heads.multi !== undefined },
    },
    async encode(rows, multi) {
      if (!session.isOneText) return encode(rows, multi);
      const each: Embedding[][] = [];
      for (const row of rows) each.push(await encode([row], multi));
      return each.flat();
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
    },
  };
}

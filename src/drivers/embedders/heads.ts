import { RagctlError } from "../../core/errors.ts";
import type { TensorFacts } from "../runtime/onnx.ts";

/** Output names of a model, as its manifest entry may give them. */
export interface OutputNames {
  readonly dense?: string;
  readonly sparse?: string;
  readonly multi?: string;
}

/**
 * Which output is which. Dense vectors come ready from `dense` or are pooled from `hidden`, shape [batch,
 * tokens, dimensions].
 */
export interface Heads {
  readonly dense: { readonly from: "vector" | "hidden"; readonly name: string };
  /** Shape [batch, tokens], [batch, tokens, 1] or [batch, vocabulary]. */
  readonly sparse?: string;
  /**
   * Shape [batch, tokens, dimensions], or [batch, tokens − 1, dimensions] when the start token is left out.
   */
  readonly multi?: string;
}

const patterns = {
  dense: /^(dense(_vecs?|_embeddings?|_vectors?|_output)?|sentence_embeddings?|text_embeds|embeddings?)$/i,
  sparse: /^sparse(_vecs?|_weights?|_vectors?|_embeddings?|_output)?$/i,
  multi: /^(colbert|multi_?vector)(_vecs?|_vectors?|_embeddings?|_output)?$/i,
  hidden: /^(last_hidden_state|token_embeddings|hidden_states?)$/i,
} as const;

/**
 * Recognizes exports without names by shape; an output that is neither a vector nor ColBERT rows is the
 * sparse head.
 */
function byShape(outputs: readonly TensorFacts[], dimensions: number): OutputNames {
  const dense = outputs.find(({ shape }) => shape.length === 2 && shape[1] === dimensions)?.name;
  const multi = outputs.find(({ shape }) => shape.length === 3 && shape[2] === dimensions)?.name;
  const sparse = outputs.find(({ name }) => name !== dense && name !== multi)?.name;
  return { ...(dense && { dense }), ...(sparse && { sparse }), ...(multi && { multi }) };
}

/** What the heads of a model are resolved from, in addition to its outputs. */
interface HeadFacts {
  readonly id: string;
  readonly architecture: "bert" | "bge-m3";
  readonly dimensions: number;
  readonly outputs?: OutputNames;
}

/**
 * Finds the heads of a model by the names its entry gives, else by the names exports use, else by shape.
 * Only `bge-m3` is taken to have sparse and ColBERT heads.
 * @throws MODEL_UNREADABLE when no output can be a dense vector
 */
export function resolveHeads(outputs: readonly TensorFacts[], model: HeadFacts): Heads {
  const names = outputs.map(({ name }) => name);
  const given = model.outputs ?? {};
  checkNames(model.id, given, names);
  const nameLike = (pattern: RegExp): string | undefined => names.find((name) => pattern.test(name));
  const vector = given.dense ?? nameLike(patterns.dense);
  const hidden = nameLike(patterns.hidden);
  const guess = vector === undefined && hidden === undefined ? byShape(outputs, model.dimensions) : {};
  const name = vector ?? hidden ?? guess.dense;
  if (name === undefined) throw noDenseHead(model.id, names);
  const dense = { from: vector === undefined && name === hidden ? "hidden" : "vector", name } as const;
  if (model.architecture !== "bge-m3") return { dense };
  const sparse = given.sparse ?? nameLike(patterns.sparse) ?? guess.sparse;
  const multi = given.multi ?? nameLike(patterns.multi) ?? guess.multi;
  return { dense, ...(sparse && { sparse }), ...(multi && { multi }) };
}

function checkNames(id: string, given: OutputNames, names: readonly string[]): void {
  const unknown = Object.values(given).find((name) => name !== undefined && !names.includes(name));
  if (unknown === undefined) return;
  throw new RagctlError("MODEL_UNREADABLE", `${id} has no output "${unknown}"; it has ${names.join(", ")}`, {
    hint: "correct the output names in the model's manifest entry",
  });
}

function noDenseHead(id: string, names: readonly string[]): RagctlError {
  return new RagctlError(
    "MODEL_UNREADABLE",
    `${id} has the outputs ${names.join(", ") || "(none)"}, none of which is a known embedding`,
    { hint: "set `outputs.dense` in the model's manifest entry" },
  );
}

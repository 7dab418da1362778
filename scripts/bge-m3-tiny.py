"""Makes a random-weight ONNX model of BGE-M3's architecture (XLM-RoBERTa with three heads).

  python scripts/bge-m3-tiny.py fixtures/models/bge-m3-tiny          the test fixture, with expected.json
  python scripts/bge-m3-tiny.py FOLDER --full [--half]               BGE-M3's real size, for timing; no expected.json

Needs numpy, onnx, onnxruntime and tokenizers. The numbers of expected.json come from the numpy forward pass and the text
reductions below, which share no code with the graph or with ragctl; the graph is only checked against them.
Reductions: FlagEmbedding, research/BGE_M3/modeling.py and inference/embedder/encoder_only/m3.py.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from tiny_encoder import Graph, Numpy, matrix, random_weights, vector

TINY = dict(layers=2, dim=32, heads=4, inner=64, positions=258)
FULL = dict(layers=24, dim=1024, heads=16, inner=4096, positions=8194)
EPS = 1e-5
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
CORPUS = [
    "What is BGE M3?",
    "Defination of BM25",
    "BGE M3 is an embedding model supporting dense retrieval, lexical matching and multi-vector interaction.",
    "BM25 is a bag-of-words retrieval function that ranks a set of documents based on the query terms appearing in each document",
]
TEXTS = [*CORPUS, "", "the the the document the document", "Was kostet ein Vektor? 42 €"]


def make_tokenizer(folder: Path):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    trainer = trainers.UnigramTrainer(vocab_size=160, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False)
    alphabet = ["abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .,?!-"]
    tokenizer.train_from_iterator(CORPUS * 4 + alphabet, trainer)
    tokenizer.add_special_tokens(["<mask>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer


def make_weights(size, vocabulary, seed=25):
    random = np.random.default_rng(seed)
    dim = size["dim"]
    weights = random_weights(size, vocabulary, random)
    weights["sparse.w"], weights["sparse.b"] = matrix(random, dim, 1), np.zeros(1, np.float32)
    weights["colbert.w"], weights["colbert.b"] = matrix(random, dim, dim), vector(random, dim, 0)
    return weights


# ---- the graph -------------------------------------------------------------------------------------------------------


def make_graph(size, weights, vocabulary, half):
    graph = Graph(weights, half, EPS)
    node, constant, linear = graph.node, graph.constant, graph.linear
    one, two = constant("i1", 1, np.int64), constant("axis1", [1], np.int64)
    places = graph.running_positions(one)
    state = node("Add", [node("Gather", ["words", "input_ids"], "e.w"), node("Gather", ["places", places], "e.p")], "e.wp")
    state = graph.layers(size, graph.norm(node("Add", [state, "type"], "e"), "ln", "h0"))
    node("Identity", [state], "last_hidden_state")

    node("Gather", [state, constant("i0", 0, np.int64)], "dense_raw", axis=1)
    node("LpNormalization", ["dense_raw"], "dense_vecs", axis=-1, p=2)
    node("Squeeze", [linear(state, "sparse", "sparse.y"), constant("axis2", [2], np.int64)], "sparse_raw")
    node("Relu", ["sparse.y"], "sparse_vecs")
    linear(state, "colbert", "colbert_raw")
    ends = [constant("big", [2**31], np.int64), two]
    tail = node("Slice", ["colbert_raw", two, *ends], "colbert.tail")
    shown = node("Unsqueeze", [node("Slice", ["mask", two, *ends], "mask.tail"), "axis2"], "mask.wide")
    node("LpNormalization", [node("Mul", [tail, shown], "colbert.shown")], "colbert_vecs", axis=-1, p=2)

    outputs = dict(
        dense_vecs=["batch", size["dim"]], sparse_vecs=["batch", "tokens", 1], colbert_vecs=["batch", "later", size["dim"]],
        dense_raw=["batch", size["dim"]], sparse_raw=["batch", "tokens"], colbert_raw=["batch", "tokens", size["dim"]],
        last_hidden_state=["batch", "tokens", size["dim"]],
    )
    if size is TINY:
        # The whole-vocabulary layout: weight of every token id, 0 where it is not in the text.
        flat = node("Relu", ["sparse_raw"], "sparse.flat")
        rows = node("Slice", [node("Shape", ["input_ids"], "shape"), constant("z", [0], np.int64), two], "rows")
        shape = node("Concat", [rows, constant("vs", [vocabulary], np.int64)], "vshape", axis=0)
        empty = node("ConstantOfShape", [shape], "vempty", value=helper.make_tensor("v0", graph.kind, [1], [0]))
        node("ScatterElements", [empty, "input_ids", node("Mul", [flat, "mask"], "sparse.kept")], "sparse_vocabulary", axis=1, reduction="max")
        outputs["sparse_vocabulary"] = ["batch", vocabulary]
    else:
        outputs = {name: outputs[name] for name in ("dense_vecs", "sparse_vecs", "colbert_vecs")}

    return graph.model("bge-m3", ("input_ids", "attention_mask"), outputs)


# ---- the same in numpy, one text at a time -----------------------------------------------------------------------------


def forward(weights, size, ids):
    encoder = Numpy(weights, EPS)
    w, linear = encoder.weights, encoder.linear
    x = encoder.layers(size, encoder.norm(w["words"][ids] + w["places"][np.arange(len(ids)) + 2] + w["type"], "ln"))
    dense = x[0] / np.linalg.norm(x[0])
    sparse = {}
    for token, weight in zip(ids, np.maximum(linear(x, "sparse")[:, 0], 0)):
        if token > 3 and weight > 0:
            sparse[int(token)] = max(sparse.get(int(token), 0.0), float(weight))
    rows = linear(x[1:], "colbert")
    return dense, sparse, rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def expected(weights, tokenizer):
    texts, found = [], []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        dense, sparse, rows = forward(weights, TINY, ids)
        found.append((dense, sparse, rows))
        texts.append(dict(text=text, ids=ids, dense=np.round(dense, 6).tolist(),
                          sparse={str(token): round(weight, 6) for token, weight in sorted(sparse.items())},
                          multi=np.round(rows, 6).tolist()))
    pairs = []
    for query in (0, 1):
        for passage in (2, 3):
            (qd, qs, qm), (pd, ps, pm) = found[query], found[passage]
            dense, sparse = float(qd @ pd), sum(weight * ps.get(token, 0.0) for token, weight in qs.items())
            multi = float((qm @ pm.T).max(-1).sum() / len(qm))
            pairs.append(dict(query=query, passage=passage, dense=round(dense, 6), sparse=round(sparse, 6), multi=round(multi, 6),
                              all=round(0.4 * dense + 0.2 * sparse + 0.4 * multi, 6)))
    return dict(dimensions=TINY["dim"], maxTokens=TINY["positions"] - 2, texts=texts, pairs=pairs)


def check(folder, wanted):
    import onnxruntime

    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    for text in wanted["texts"]:
        ids = np.array([text["ids"]])
        dense, sparse, multi = session.run(["dense_vecs", "sparse_vecs", "colbert_vecs"], dict(input_ids=ids, attention_mask=np.ones_like(ids)))
        assert np.abs(dense[0] - text["dense"]).max() < 1e-5 and np.abs(multi[0] - text["multi"]).max() < 1e-5
        assert all(sparse[0, at, 0] <= text["sparse"].get(str(token), 0) + 1e-5 for at, token in enumerate(text["ids"]) if token > 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--full", action="store_true", help="BGE-M3's real size (2.3 GB, 1.1 GB with --half)")
    parser.add_argument("--half", action="store_true", help="16-bit floats")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(options.folder)
    size = FULL if options.full else TINY
    vocabulary = 250_002 if options.full else tokenizer.get_vocab_size()
    weights = make_weights(size, vocabulary)
    model = make_graph(size, weights, vocabulary, options.half)
    if options.full:
        onnx.save_model(model, options.folder / "model.onnx", save_as_external_data=True, location="model.onnx_data", size_threshold=1024)
        return
    onnx.checker.check_model(model)
    onnx.save_model(model, options.folder / "model.onnx")
    wanted = expected(weights, tokenizer)
    if not options.half:
        check(options.folder, wanted)
        (options.folder / "expected.json").write_text(json.dumps(wanted, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

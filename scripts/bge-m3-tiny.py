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
from onnx import TensorProto, helper, numpy_helper

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
    dim, inner = size["dim"], size["inner"]

    def matrix(*shape):
        return (random.standard_normal(shape, dtype=np.float32) * np.float32(0.8 / np.sqrt(shape[0]))).astype(np.float32)

    def vector(length, around):
        return (around + 0.1 * random.standard_normal(length, dtype=np.float32)).astype(np.float32)

    weights = {
        "words": random.standard_normal((vocabulary, dim), dtype=np.float32),
        "places": 0.3 * random.standard_normal((size["positions"], dim), dtype=np.float32),
        "type": vector(dim, 0),
        "ln.g": vector(dim, 1),
        "ln.b": vector(dim, 0),
    }
    for layer in range(size["layers"]):
        for part, shape in dict(q=(dim, dim), k=(dim, dim), v=(dim, dim), o=(dim, dim), up=(dim, inner), down=(inner, dim)).items():
            weights[f"{layer}.{part}.w"] = matrix(*shape)
            weights[f"{layer}.{part}.b"] = vector(shape[1], 0)
        for norm in ("ln1", "ln2"):
            weights[f"{layer}.{norm}.g"] = vector(dim, 1)
            weights[f"{layer}.{norm}.b"] = vector(dim, 0)
    weights["sparse.w"], weights["sparse.b"] = matrix(dim, 1), np.zeros(1, np.float32)
    weights["colbert.w"], weights["colbert.b"] = matrix(dim, dim), vector(dim, 0)
    return weights


# ---- the graph -------------------------------------------------------------------------------------------------------


def make_graph(size, weights, vocabulary, half):
    kind = TensorProto.FLOAT16 if half else TensorProto.FLOAT
    real = np.float16 if half else np.float32
    nodes, initializers = [], []
    for name, value in weights.items():
        initializers.append(numpy_helper.from_array(value.astype(real), name))

    def constant(name, value, dtype):
        initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def linear(value, name, output):
        return node("Add", [node("MatMul", [value, f"{name}.w"], output + ".m"), f"{name}.b"], output)

    def norm(value, name, output):
        return node("LayerNormalization", [value, f"{name}.g", f"{name}.b"], output, axis=-1, epsilon=EPS)

    heads, width = size["heads"], size["dim"] // size["heads"]
    one, two = constant("i1", 1, np.int64), constant("axis1", [1], np.int64)
    split = constant("split", [0, 0, heads, width], np.int64)
    join = constant("join", [0, 0, size["dim"]], np.int64)

    # Positions count the real tokens from pad + 1, as XLM-RoBERTa does.
    running = node("CumSum", ["attention_mask", one], "running")
    places = node("Add", [node("Mul", [running, "attention_mask"], "real"), one], "position_ids")
    state = node("Add", [node("Gather", ["words", "input_ids"], "e.w"), node("Gather", ["places", places], "e.p")], "e.wp")
    state = norm(node("Add", [state, "type"], "e"), "ln", "h0")

    mask = node("Cast", ["attention_mask"], "mask", to=kind)
    away = node("Mul", [node("Sub", [constant("f1", 1, real), mask], "off"), constant("low", -1e4, real)], "away")
    away = node("Unsqueeze", [away, constant("axis12", [1, 2], np.int64)], "bias")
    for layer in range(size["layers"]):
        at = f"{layer}."

        def part(name, order):
            wide = linear(state, at + name, at + name + ".y")
            return node("Transpose", [node("Reshape", [wide, split], at + name + ".s")], at + name + ".t", perm=order)

        q, k, v = part("q", [0, 2, 1, 3]), part("k", [0, 2, 3, 1]), part("v", [0, 2, 1, 3])
        scores = node("Mul", [node("MatMul", [q, k], at + "qk"), constant(at + "scale", width**-0.5, real)], at + "scores")
        seen = node("Softmax", [node("Add", [scores, away], at + "masked")], at + "attention", axis=-1)
        mixed = node("Transpose", [node("MatMul", [seen, v], at + "av")], at + "av.t", perm=[0, 2, 1, 3])
        mixed = linear(node("Reshape", [mixed, join], at + "av.j"), at + "o", at + "o.y")
        state = norm(node("Add", [state, mixed], at + "r1"), at + "ln1", at + "h1")
        up = linear(state, at + "up", at + "up.y")
        bent = node("Erf", [node("Mul", [up, constant(at + "rt", 0.5**0.5, real)], at + "g1")], at + "g2")
        bent = node("Mul", [node("Mul", [up, constant(at + "hf", 0.5, real)], at + "g3"), node("Add", [bent, "f1"], at + "g4")], at + "gelu")
        state = norm(node("Add", [state, linear(bent, at + "down", at + "down.y")], at + "r2"), at + "ln2", at + "h2")
    node("Identity", [state], "last_hidden_state")

    node("Gather", [state, constant("i0", 0, np.int64)], "dense_raw", axis=1)
    node("LpNormalization", ["dense_raw"], "dense_vecs", axis=-1, p=2)
    node("Squeeze", [linear(state, "sparse", "sparse.y"), constant("axis2", [2], np.int64)], "sparse_raw")
    node("Relu", ["sparse.y"], "sparse_vecs")
    linear(state, "colbert", "colbert_raw")
    ends = [constant("big", [2**31], np.int64), two]
    tail = node("Slice", ["colbert_raw", two, *ends], "colbert.tail")
    shown = node("Unsqueeze", [node("Slice", [mask, two, *ends], "mask.tail"), "axis2"], "mask.wide")
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
        empty = node("ConstantOfShape", [shape], "vempty", value=helper.make_tensor("v0", kind, [1], [0]))
        node("ScatterElements", [empty, "input_ids", node("Mul", [flat, mask], "sparse.kept")], "sparse_vocabulary", axis=1, reduction="max")
        outputs["sparse_vocabulary"] = ["batch", vocabulary]
    else:
        outputs = {name: outputs[name] for name in ("dense_vecs", "sparse_vecs", "colbert_vecs")}

    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
    values = [helper.make_tensor_value_info(name, kind, shape) for name, shape in outputs.items()]
    graph = helper.make_graph(nodes, "bge-m3", inputs, values, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


# ---- the same in numpy, one text at a time -----------------------------------------------------------------------------


def forward(weights, size, ids):
    from math import erf

    w = {name: value.astype(np.float64) for name, value in weights.items()}

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPS) * w[name + ".g"] + w[name + ".b"]

    def linear(x, name):
        return x @ w[name + ".w"] + w[name + ".b"]

    x = norm(w["words"][ids] + w["places"][np.arange(len(ids)) + 2] + w["type"], "ln")
    width = size["dim"] // size["heads"]
    for layer in range(size["layers"]):
        q, k, v = (linear(x, f"{layer}.{part}") for part in "qkv")
        mixed = np.zeros_like(x)
        for head in range(size["heads"]):
            cut = slice(head * width, (head + 1) * width)
            scores = np.exp(q[:, cut] @ k[:, cut].T / np.sqrt(width))
            mixed[:, cut] = scores / scores.sum(-1, keepdims=True) @ v[:, cut]
        x = norm(x + linear(mixed, f"{layer}.o"), f"{layer}.ln1")
        up = linear(x, f"{layer}.up")
        x = norm(x + linear(up * 0.5 * (1 + np.vectorize(erf)(up / np.sqrt(2))), f"{layer}.down"), f"{layer}.ln2")
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

"""Makes tiny sequence classifiers of the architectures that rerankers and entailment models have, with golden scores.

  python scripts/classifiers-tiny.py fixtures/models

reranker-tiny        BertForSequenceClassification, one label; the weights are set so that the score rises with the share of the
                     question's tokens that stand in the passage. Also as model_quantized.onnx, dynamic int8.
entailment-tiny      the same with three labels: `entailment` where nearly every token of the sentence stands in the premise.
reranker-xlmr-tiny   XLMRobertaForSequenceClassification, one label, random weights; no token types, positions from pad + 1.

Needs numpy, onnx, onnxruntime and tokenizers. The numbers of expected.json come from Python tokenizers and a numpy forward pass,
which share no code with the graph or with ragctl; the graph is only checked against them.
"""

import argparse
import json
import string
from pathlib import Path

import numpy as np
import onnx

from tiny_encoder import Graph, Numpy, matrix, random_weights, vector

SIZE = dict(layers=2, dim=32, heads=1, inner=16, positions=130)
BERT_EPS, ROBERTA_EPS = 1e-12, 1e-5
WORDS = """a an and annual are as at bolt bolts by carry company day days employee every feed for four from holiday in is it leave
may month next not of oil on one or over pump replace replaced seal six taken ten that the three to torque two week weeks will with
year years""".split()
# Dimensions beside the 24 of a token's code: its segment, the segments of its equals, the start token, what that gathers.
CODE, SEGMENT, EQUALS, START, GATHERED = 24, 24, 25, 26, 27
QUESTIONS = ["annual leave", "How many days of annual leave may I carry over?", "torque of the seal bolts", ""]
PASSAGES = [
    "Three days of annual leave may be carried over to the next year.",
    "The torque of the seal bolts is 14 Nm.",
    "Replace the oil of the feed pump every six months.",
    "Überstunden: 東京, 42 €?",
]
SENTENCES = ["Three days of annual leave may be carried over.", "The torque of the seal bolts is 14 Nm.", "Six weeks of leave may be taken."]
RERANK = [(question, passage) for question in QUESTIONS for passage in PASSAGES]
ENTAIL = [(passage, sentence) for passage in PASSAGES for sentence in SENTENCES]


def bert_tokenizer():
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    characters = string.ascii_lowercase + string.digits
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.punctuation, *characters]
    vocabulary = [*pieces, *(f"##{character}" for character in characters), *(word for word in WORDS if len(word) > 1)]
    tokenizer = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def roberta_tokenizer():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    characters = string.ascii_letters + string.digits + ".,?!-:"
    pieces = [*(("▁" + word, -3.0) for word in WORDS), ("▁", -4.0), *((character, -6.0) for character in characters)]
    tokenizer = Tokenizer(models.Unigram([("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces], unk_id=3))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def overlap_weights(vocabulary, starts, counted, labels):
    """
    Layer 0: a token attends to its equals, whose segments it averages. Layer 1: the start token averages that over the segment
    `counted`. The head reads it: 0 where every token has an equal in the other segment, 1 where none has.
    """
    random = np.random.default_rng(7)
    dim = SIZE["dim"]
    weights = {name: 0.02 * value for name, value in random_weights(SIZE, vocabulary, random).items()}
    weights.update({name: 1 + value - value.mean() for name, value in weights.items() if name.endswith(".g")})
    weights["words"][:, :CODE] += np.sign(random.standard_normal((vocabulary, CODE)))
    weights["words"][starts, START] = 4
    del weights["type"]
    weights["types"] = np.zeros((2, dim), np.float32)
    weights["types"][:, SEGMENT] = [2, -2]
    sign = 1 if counted == 0 else -1
    for at in range(CODE):
        weights["0.q.w"][at, at] = weights["0.k.w"][at, at] = 2
    weights["0.v.w"][SEGMENT, 0] = weights["0.o.w"][0, EQUALS] = 1
    weights["1.q.w"][START, 0] = 1
    weights["1.k.w"][SEGMENT, 0] = 4 * sign
    weights["1.k.w"][START, 0] = -4
    weights["1.v.w"][EQUALS, 0] = sign
    weights["1.o.w"][0, GATHERED] = 1
    weights["pool.w"], weights["pool.b"] = np.zeros((dim, dim), np.float32), np.zeros(dim, np.float32)
    weights["pool.w"][GATHERED, 0] = 1
    weights["head.w"], weights["head.b"] = np.zeros((dim, labels), np.float32), np.zeros(labels, np.float32)
    return {name: value.astype(np.float32) for name, value in weights.items()}


def random_classifier(vocabulary, labels):
    random = np.random.default_rng(11)
    dim = SIZE["dim"]
    weights = random_weights(SIZE, vocabulary, random)
    weights["pool.w"], weights["pool.b"] = matrix(random, dim, dim), vector(random, dim, 0)
    weights["head.w"], weights["head.b"] = 4 * matrix(random, dim, labels), vector(random, labels, 0)
    return weights


def make_graph(weights, labels, is_bert):
    graph = Graph(weights, False, BERT_EPS if is_bert else ROBERTA_EPS)
    node, constant = graph.node, graph.constant
    one, first = constant("i1", 1, np.int64), constant("axis1", [1], np.int64)
    words = node("Gather", ["words", "input_ids"], "e.w")
    if is_bert:
        ones = node("CumSum", [node("Add", [node("Mul", ["input_ids", constant("i0", 0, np.int64)], "none"), one], "ones"), one], "count")
        places = node("Sub", [ones, one], "position_ids")
        kinds = node("Gather", ["types", "token_type_ids"], "e.t")
    else:
        places, kinds = graph.running_positions(one), "type"
    state = node("Add", [words, node("Gather", ["places", places], "e.p")], "e.wp")
    state = graph.layers(SIZE, graph.norm(node("Add", [state, kinds], "e"), "ln", "h0"))
    start = node("Squeeze", [node("Slice", [state, constant("from", [0], np.int64), first, first], "start.row"), first], "start")
    graph.linear(node("Tanh", [graph.linear(start, "pool", "pool.y")], "pooled"), "head", "logits")
    inputs = ("input_ids", "attention_mask", *(["token_type_ids"] if is_bert else []))
    return graph.model("classifier", inputs, dict(logits=["batch", labels]))


# A head that gives the first pooled number as it is.
IDENTITY = {"head.w": np.eye(SIZE["dim"], 1), "head.b": np.zeros(1)}


def forward(weights, ids, types, is_bert):
    encoder = Numpy(weights, BERT_EPS if is_bert else ROBERTA_EPS)
    w = encoder.weights
    places = np.arange(len(ids)) + (0 if is_bert else 2)
    kinds = w["types"][types] if is_bert else w["type"]
    x = encoder.layers(SIZE, encoder.norm(w["words"][ids] + w["places"][places] + kinds, "ln"))
    return encoder.linear(np.tanh(encoder.linear(x[0], "pool")), "head")


def gathered(weights, tokenizer, pairs):
    """The range of what the start token gathers, which sets the head."""
    encoded = [tokenizer.encode(*pair) for pair in pairs]
    values = [forward({**weights, **IDENTITY}, each.ids, each.type_ids, True)[0] for each in encoded]
    return min(values), max(values)


def write(folder, weights, tokenizer, labels, pairs, is_bert):
    import onnxruntime

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = dict(
        architectures=["BertForSequenceClassification" if is_bert else "XLMRobertaForSequenceClassification"],
        model_type="bert" if is_bert else "xlm-roberta",
        hidden_size=SIZE["dim"],
        num_hidden_layers=SIZE["layers"],
        num_attention_heads=SIZE["heads"],
        max_position_embeddings=SIZE["positions"],
        pad_token_id=0 if is_bert else 1,
        type_vocab_size=2 if is_bert else 1,
        vocab_size=tokenizer.get_vocab_size(),
        id2label={str(at): label for at, label in enumerate(labels)},
    )
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    model = make_graph(weights, len(labels), is_bert)
    onnx.checker.check_model(model)
    onnx.save_model(model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    expected = []
    for first, second in pairs:
        encoded = tokenizer.encode(first, second)
        ids, types = encoded.ids, encoded.type_ids
        logits = forward(weights, ids, types, is_bert)
        feeds = dict(input_ids=np.array([ids]), attention_mask=np.ones((1, len(ids)), np.int64), token_type_ids=np.array([types]))
        wanted = {given.name for given in session.get_inputs()}
        (own,) = session.run(["logits"], {name: value for name, value in feeds.items() if name in wanted})
        assert np.abs(own[0] - logits).max() < 1e-4, (own, logits)
        expected.append(dict(first=first, second=second, ids=ids, types=types, logits=np.round(logits, 6).tolist()))
    (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, separators=(",", ":")) + "\n")


def quantize(folder):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(folder / "model.onnx", folder / "model_quantized.onnx", weight_type=QuantType.QInt8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder

    tokenizer = bert_tokenizer()
    vocabulary = tokenizer.get_vocab_size()
    weights = overlap_weights(vocabulary, 2, 0, 1)
    least, most = gathered(weights, tokenizer, RERANK)
    weights["head.w"][0, 0], weights["head.b"][0] = -12 / (most - least), 6 * (most + least) / (most - least)
    write(folder / "reranker-tiny", weights, tokenizer, ["LABEL_0"], RERANK, True)
    quantize(folder / "reranker-tiny")

    weights = overlap_weights(vocabulary, 2, 1, 3)
    least, most = gathered(weights, tokenizer, ENTAIL)
    slope = 16 / (most - least)
    weights["head.w"][0, :2] = [-slope, slope]
    weights["head.b"][:] = [slope * least + 4, -slope * least - 4, -6]
    write(folder / "entailment-tiny", weights, tokenizer, ["entailment", "neutral", "contradiction"], ENTAIL, True)

    tokenizer = roberta_tokenizer()
    weights = random_classifier(tokenizer.get_vocab_size(), 1)
    write(folder / "reranker-xlmr-tiny", weights, tokenizer, ["LABEL_0"], RERANK, False)


if __name__ == "__main__":
    main()

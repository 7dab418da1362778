"""A small BERT-like encoder, as weights, as an ONNX graph and in numpy: what the scripts that make tiny models share.

The numpy forward pass shares no code with the graph. Post-layer-norm, GELU by the error function, as BERT and XLM-RoBERTa have.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def random_weights(size, vocabulary, random):
    """Embeddings and layers; `vector` and `matrix` draw what a script adds for its heads."""
    dim, inner = size["dim"], size["inner"]
    weights = {
        "words": random.standard_normal((vocabulary, dim), dtype=np.float32),
        "places": 0.3 * random.standard_normal((size["positions"], dim), dtype=np.float32),
        "type": vector(random, dim, 0),
        "ln.g": vector(random, dim, 1),
        "ln.b": vector(random, dim, 0),
    }
    for layer in range(size["layers"]):
        for part, shape in dict(q=(dim, dim), k=(dim, dim), v=(dim, dim), o=(dim, dim), up=(dim, inner), down=(inner, dim)).items():
            weights[f"{layer}.{part}.w"] = matrix(random, *shape)
            weights[f"{layer}.{part}.b"] = vector(random, shape[1], 0)
        for norm in ("ln1", "ln2"):
            weights[f"{layer}.{norm}.g"] = vector(random, dim, 1)
            weights[f"{layer}.{norm}.b"] = vector(random, dim, 0)
    return weights


def matrix(random, *shape):
    return (random.standard_normal(shape, dtype=np.float32) * np.float32(0.8 / np.sqrt(shape[0]))).astype(np.float32)


def vector(random, length, around):
    return (around + 0.1 * random.standard_normal(length, dtype=np.float32)).astype(np.float32)


class Graph:
    """Nodes and constants of an ONNX graph under construction."""

    def __init__(self, weights, half, eps):
        self.kind = TensorProto.FLOAT16 if half else TensorProto.FLOAT
        self.real = np.float16 if half else np.float32
        self.eps = eps
        self.nodes, self.initializers = [], []
        for name, value in weights.items():
            self.constant(name, value, self.real)

    def constant(self, name, value, dtype):
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def linear(self, value, name, output):
        return self.node("Add", [self.node("MatMul", [value, f"{name}.w"], output + ".m"), f"{name}.b"], output)

    def norm(self, value, name, output):
        return self.node("LayerNormalization", [value, f"{name}.g", f"{name}.b"], output, axis=-1, epsilon=self.eps)

    def running_positions(self, one):
        """Positions that count the real tokens from pad + 1, as XLM-RoBERTa does."""
        running = self.node("CumSum", ["attention_mask", one], "running")
        return self.node("Add", [self.node("Mul", [running, "attention_mask"], "real"), one], "position_ids")

    def layers(self, size, state):
        """States after every layer; reads `attention_mask` and leaves it as floats in `mask`."""
        node, constant, linear, norm, real = self.node, self.constant, self.linear, self.norm, self.real
        heads, width = size["heads"], size["dim"] // size["heads"]
        split = constant("split", [0, 0, heads, width], np.int64)
        join = constant("join", [0, 0, size["dim"]], np.int64)
        mask = node("Cast", ["attention_mask"], "mask", to=self.kind)
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
        return state

    def model(self, name, inputs, outputs):
        """The model with int64 inputs [batch, tokens]; `outputs` maps names to shapes."""
        given = [helper.make_tensor_value_info(each, TensorProto.INT64, ["batch", "tokens"]) for each in inputs]
        values = [helper.make_tensor_value_info(each, self.kind, shape) for each, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, name, given, values, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


class Numpy:
    """The same layers on one text at a time, in double precision."""

    def __init__(self, weights, eps):
        self.weights = {name: value.astype(np.float64) for name, value in weights.items()}
        self.eps = eps

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + self.eps) * self.weights[name + ".g"] + self.weights[name + ".b"]

    def linear(self, x, name):
        return x @ self.weights[name + ".w"] + self.weights[name + ".b"]

    def layers(self, size, x):
        from math import erf

        width = size["dim"] // size["heads"]
        for layer in range(size["layers"]):
            q, k, v = (self.linear(x, f"{layer}.{part}") for part in "qkv")
            mixed = np.zeros_like(x)
            for head in range(size["heads"]):
                cut = slice(head * width, (head + 1) * width)
                scores = np.exp(q[:, cut] @ k[:, cut].T / np.sqrt(width))
                mixed[:, cut] = scores / scores.sum(-1, keepdims=True) @ v[:, cut]
            x = self.norm(x + self.linear(mixed, f"{layer}.o"), f"{layer}.ln1")
            up = self.linear(x, f"{layer}.up")
            x = self.norm(x + self.linear(up * 0.5 * (1 + np.vectorize(erf)(up / np.sqrt(2))), f"{layer}.down"), f"{layer}.ln2")
        return x

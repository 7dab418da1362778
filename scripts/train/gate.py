#!/usr/bin/env python3
"""Whether a trained cross-encoder beats what is there: page-hit when it orders the first 20, evidence, near misses.

  gate.py MODEL.onnx TOKENIZER.json [--hits HITS.jsonl QUESTIONS.jsonl…] [--evidence RECORD.json] [--sentences FILE.jsonl…]

HITS is what `ragctl search --batch --top-k 20 --format jsonl` prints; RECORD what scripts/eval/evidence.ts --record
keeps; a sentence is {"text","cited":[passage],"right","support"} with the judge's verdict in `support`. The weight of
the model is fitted on four folds of documents and applied to the fifth; intervals are bootstraps over documents.
MODEL may be the int8 one that onnxruntime.quantization.quantize_dynamic makes (per_channel). Needs onnxruntime, numpy,
tokenizers.
"""
import argparse, json, os, random, time, zlib
import numpy as np, onnxruntime as ort
from tokenizers import Tokenizer

def scorer(model, tokenizer):
    options = ort.SessionOptions(); options.intra_op_num_threads = 2
    session = ort.InferenceSession(model, options); tok = Tokenizer.from_file(tokenizer); tok.no_truncation(); tok.no_padding()
    spent = []
    def one(a, b):
        ids = tok.encode(a, b); n = min(256, len(ids.ids)); feed = {}
        for name, values in (("input_ids", ids.ids), ("token_type_ids", ids.type_ids), ("attention_mask", ids.attention_mask)): feed[name] = np.array([values[:n]], np.int64)
        began = time.time(); out = session.run(None, feed)[0][0]; spent.append((time.time() - began, n)); return out
    def score(a, b):
        """Logits of both heads, the higher of two windows where the passage is long."""
        parts = [b] if len(b) <= 1100 else [b[:1100], b[-1100:]]
        return np.max([one(a, part) for part in parts], axis=0)
    return score, spent

fold = lambda text: zlib.crc32(text.encode()) % 5

def interval(values, groups, rng=random.Random(1)):
    by = {}
    for value, group in zip(values, groups): by.setdefault(group, []).append(value)
    keys = sorted(by); means = []
    for _ in range(1000):
        drawn = [v for k in rng.choices(keys, k=len(keys)) for v in by[k]]; means.append(sum(drawn) / len(drawn))
    means.sort(); return f"{np.mean(values):.3f} [{means[25]:.3f}, {means[974]:.3f}]"

def auc(scores, labels):
    order = np.argsort(scores, kind="stable"); rank = np.empty(len(scores)); rank[order] = np.arange(1, len(scores) + 1)
    right = np.asarray(labels, bool); n, m = right.sum(), (~right).sum()
    return (rank[right].sum() - n * (n + 1) / 2) / (n * m) if n and m else float("nan")

def ranking(score, hits, questions):
    asked = {q["id"]: q for path in questions for q in map(json.loads, open(path))}
    rows = []
    for line in map(json.loads, open(hits)):
        q = asked.get(line["id"])
        if not q or not q.get("answerable", True) or q.get("text_only_ok") is False: continue
        gold = {(os.path.basename(q["doc"]), p) for p in q["evidence_pages"]}; top = line["hits"][:20]
        evidence = np.array([any((os.path.basename(h["source_file"]), p) in gold for p in (h.get("pages") or [h.get("page_number")])) for h in top])
        rows.append((q["doc"], np.array([h["score"] for h in top]), np.array([score(line["query"], h["text"])[0] for h in top]), evidence))
    at = lambda w, row, k: int(row[3][np.argsort(-(row[1] + w * row[2]), kind="stable")[:k]].any())
    weights = (0, .02, .05, .1, .15, .2, .3, .5, 1, 5)
    for w in weights: print("weight", w, *(f"@{k} {np.mean([at(w, r, k) for r in rows]):.3f}" for k in (1, 3, 5, 10)))
    best = {f: max(weights, key=lambda w: sum(at(w, r, 1) + at(w, r, 5) for r in rows if fold(r[0]) != f)) for f in range(5)}
    for k in (1, 3, 5, 10):
        print(f"page-hit@{k} n {len(rows)}: now {interval([at(0, r, k) for r in rows], [r[0] for r in rows])}  folds {interval([at(best[fold(r[0])], r, k) for r in rows], [r[0] for r in rows])}"
              f"  gain {interval([at(best[fold(r[0])], r, k) - at(0, r, k) for r in rows], [r[0] for r in rows])}")

def logistic(x, y, w, steps=400):
    mean, spread = x.mean(0), x.std(0) + 1e-9; z = np.c_[(x - mean) / spread, np.ones(len(x))]; b = np.zeros(z.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-z @ b)); b += np.linalg.solve((z * (w * p * (1 - p) + 1e-6)[:, None]).T @ z + np.eye(len(b)), z.T @ (w * (y - p)) - b)
        if np.abs(z.T @ (w * (y - p)) - b).max() < 1e-6: break
    return lambda v: np.c_[(v - mean) / spread, np.ones(len(v))] @ b

def evidence(score, record):
    rows = json.load(open(record)); rows = [r for r in rows if r["fault"] != "none" or r["isFound"]]
    for r in rows: r["model"] = sorted((score(r["question"], h["chunk"]["text"])[0] for h in r["hits"]), reverse=True)[:3] if r["hits"] else [-9]
    x = np.array([list(r["signals"].values()) + [r["model"][0], np.mean(r["model"])] for r in rows]) if "signals" in rows[0] else np.array([[r["model"][0], np.mean(r["model"])] for r in rows])
    y = np.array([r["fault"] == "none" for r in rows]); print("model alone, best passage: AUC", round(auc(x[:, -2], y), 3), "n", len(y), "true", y.sum())
    if "signals" not in rows[0]: return
    for name, use in (("signals now", x[:, :-2]), ("signals and model", x)):
        out = np.zeros(len(y))
        for f in range(5):
            test = np.array([fold(r["document"]) == f for r in rows]); w = np.where(y, .5 / y[~test].mean(), .5 / (1 - y[~test].mean()))
            out[test] = logistic(use[~test], y[~test].astype(float), w[~test])(use[test])
        print(f"  {name}: AUC {auc(out, y):.3f}")

def sentences(score, path):
    rows = [json.loads(l) for l in open(path)]; right = np.array([bool(r["right"]) for r in rows])
    s = np.array([max(score(r["text"], c.split("\n", 1)[-1])[1] for c in r["cited"]) if r["cited"] else -9 for r in rows])
    now = np.array([r["support"] == "supported" for r in rows])
    print(f"{os.path.basename(path)} n {len(rows)} right {right.sum()}: AUC of the model {auc(s, right):.3f}; judge marks nothing on {now[right].sum()} right and {now[~right].sum()} wrong")
    keep = now[right].sum(); cut = np.sort(s[right])[::-1][keep - 1] if keep else np.inf
    print(f"  at {keep} right kept: wrong kept by the judge {now[~right].sum()}, by the model {(s[~right] >= cut).sum()} of {(~right).sum()}")

def main():
    p = argparse.ArgumentParser(); p.add_argument("model"); p.add_argument("tokenizer")
    p.add_argument("--hits", nargs="+"); p.add_argument("--evidence"); p.add_argument("--sentences", nargs="+", default=[])
    o = p.parse_args(); score, spent = scorer(o.model, o.tokenizer)
    for path in o.sentences: sentences(score, path)
    if o.hits: ranking(score, o.hits[0], o.hits[1:])
    if o.evidence: evidence(score, o.evidence)
    full = [t for t, n in spent if n == 256]; print(f"{1000 * np.median(full):.1f} ms for 256 tokens" if full else "no text of 256 tokens")

if __name__ == "__main__": main()

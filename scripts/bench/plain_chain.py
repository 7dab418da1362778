"""The plain chain that an ingest is measured against: PyMuPDF, 400 tokens with 50 shared, onnxruntime.

usage: plain_chain.py MODEL.onnx TOKENIZER.json FOLDER THREADS, with onnxruntime, tokenizers, numpy and pymupdf
Prints one JSON object: {"pages", "chunks", "tokens", "extract", "chunk", "encode"}, the last three in seconds.
"""

import glob
import json
import sys
import time

import numpy
import onnxruntime
import pymupdf
import tokenizers

CHUNK, SHARED, FIRST, LAST = 400, 50, 101, 102


def windows(ids):
    for start in range(0, max(1, len(ids) - SHARED), CHUNK - SHARED):
        if ids[start : start + CHUNK]:
            yield [FIRST, *ids[start : start + CHUNK], LAST]


def encode(session, rows):
    names = [each.name for each in session.get_inputs()]
    vectors = numpy.zeros((len(rows), session.get_outputs()[0].shape[-1]), numpy.float32)
    for at, row in enumerate(rows):
        # One text a run: the vector of an int8 model depends on the rest of its batch.
        ids = numpy.array([row], numpy.int64)
        given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        vectors[at] = session.run(None, {name: given[name] for name in names})[0][0, 0]
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def main():
    model, tokenizer_path, folder, threads = sys.argv[1:]
    pymupdf.TOOLS.mupdf_display_errors(False)
    tokenizer = tokenizers.Tokenizer.from_file(tokenizer_path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    times = [time.time()]
    pages = [page.get_text() for path in sorted(glob.glob(f"{folder}/*.pdf")) for page in pymupdf.open(path)]
    times.append(time.time())
    encoded = tokenizer.encode_batch(pages, add_special_tokens=False)
    rows = [row for page in encoded for row in windows(page.ids)]
    times.append(time.time())
    encode(session, rows)
    times.append(time.time())
    seconds = {name: times[at + 1] - times[at] for at, name in enumerate(["extract", "chunk", "encode"])}
    print(json.dumps({"pages": len(pages), "chunks": len(rows), "tokens": sum(map(len, rows)), **seconds}))


main()

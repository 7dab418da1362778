"""Reads a list of files with one peer tool and writes one Markdown file per input.

usage: parse_peers.py TOOL OUT_DIR < paths, one per line
Prints one JSON object per file: {"index", "seconds", "error"}.
"""

import contextlib
import io
import json
import pathlib
import sys
import time


def reader(tool):
    if tool == "markitdown":
        from markitdown import MarkItDown

        converter = MarkItDown()
        return lambda path: converter.convert(path).text_content
    if tool == "pymupdf4llm":
        import pymupdf4llm

        return lambda path: pymupdf4llm.to_markdown(path, show_progress=False)
    raise SystemExit(f"unknown tool {tool}")


def main():
    tool, out = sys.argv[1], pathlib.Path(sys.argv[2])
    # Libraries print; stdout is the result.
    stdout, sink = sys.stdout, io.StringIO()
    with contextlib.redirect_stdout(sink):
        read = reader(tool)
        for index, line in enumerate(sys.stdin):
            start, error = time.time(), None
            try:
                (out / f"{index}.md").write_text(read(line.rstrip("\n")), encoding="utf-8")
            except Exception as problem:
                error = f"{type(problem).__name__}: {problem}"[:200]
            print(json.dumps({"index": index, "seconds": round(time.time() - start, 3), "error": error}), file=stdout, flush=True)


main()

#!/usr/bin/env python3
"""Error, processor time and memory of OCR engines on the same images, page by page in turns.

  ocr.py DATA WORK ENGINE…      DATA/corpus with pdf/, pdf-b/, vi_notes/, DATA/questions; WORK keeps images and results
  ocr.py --table WORK           the tables again

ENGINE is `ragctl[:FOLDER[:LANGUAGES]]`, `tesseract[:FOLDER]` (the command) or `rapid[:KEY=VALUE,…]` (parameters of
RapidOCR), each followed by `@DPI` if pages are not to be rendered at 200. Everything runs in one thread, unless WORKERS
is set; then pages/s is by the wall clock. The truth is the text layer of pages drawn again as images; pages that are only
images count by the words of the answers that are on them. Errors: `order` is the edit distance over the length of the
truth, `letters` the same without spaces; `free` pairs equal, then the nearest words: another reading order costs nothing.
Needs rapidocr-onnxruntime, rapidfuzz, scipy, pillow; poppler and tesseract as commands; Node.js 24 as `node`.
"""
import json, os, random, re, resource, subprocess, sys, time, unicodedata
from collections import Counter
from pathlib import Path
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment
ROOT = Path(__file__).resolve().parents[2]
WORKERS = int(os.environ.get("WORKERS", "1"))
ONLY = os.environ.get("ONLY", r"[a-z]{1,20}")
PAGES = {
    "prose": "STEPBACK 1809.01202 7c3f6204 2310.09158 PG_2020 8e7c4cb5",
    "filings": "AMAZON_2017 BESTBUY_2023 MICROSOFT_2016 3M_2018 BOEING_2022 ADOBE_2022",
    "brochures": "GPL-Graduate 0e94b4197 owners-manual NUS-Business Macbook_air honor_watch",
}
def run(*command): return subprocess.run(command, capture_output=True, text=True, check=True).stdout
words = lambda text: re.findall(r"\S*\w\S*", unicodedata.normalize("NFKC", text))
numbers = lambda text: re.findall(r"\d(?:[\d.,]{0,20}\d)?", unicodedata.normalize("NFKC", text))
def items(data):
    """Everything that is read: a group, a name, what to draw, and its truth or its answers."""
    files = sorted((data / "corpus").glob("pdf*/*.pdf")); chance = random.Random(1)
    for group, names in PAGES.items():
        for at, name in enumerate(names.split()):
            file = next(f for f in files if f.name.startswith(name)); texts = run("pdftotext", str(file), "-").split("\f")[:-1]
            enough = [n for n, text in enumerate(texts, 1) if len(words(text)) >= 80 and (group != "filings" or len(numbers(text)) >= 90)]
            page = chance.choice(enough); item = dict(group=group, name=f"{name}-{page}", pdf=str(file), page=page, truth=texts[page - 1])
            yield item
            if at == 0: yield from (dict(item, group=spoil, name=f"{item['name']}-{spoil}", spoil=spoil) for spoil in ("jpeg", "skewed", "noise", "low"))
    scan = (ROOT / "scripts/fixtures/scan.ts").read_text()
    yield dict(group="fixture", name="fixture", pdf=str(next((ROOT / "fixtures/documents").rglob("*scan*.pdf"))), page=1, truth="\n".join(re.findall(r'\["(.{1,80}?)", \d+, \d+\]', scan)))
    notes = sorted((data / "corpus/vi_notes").glob("*.md"), key=lambda f: -f.stat().st_size)
    for note in notes[:3]: yield dict(group="vietnamese", name=note.stem[:7], truth=unicodedata.normalize("NFC", note.read_text())[:1800])
    seen = {}
    for line in "".join(f.read_text() for f in sorted((data / "questions").glob("pdfqa.dev*.jsonl"))).splitlines():
        q = json.loads(line)
        if not (q.get("needs_ocr") and q["answerable"]): continue
        for page in q["evidence_pages"][:1]:
            kept = re.findall(r"[^\W_]{3,40}|\d{2,20}", str(q["answer"]).lower())
            if kept: seen.setdefault((q["doc"], page), set()).update(kept)
    for (doc, page), answers in sorted(seen.items())[::5]:
        yield dict(group="scans", name=f"{doc[:9]}-{page}", pdf=str(next(f for f in files if f.name == doc)), page=page, answers=sorted(answers))
def draw(item, dpi, folder):
    """The item as a grey image file at `dpi`; one that is spoiled is spoiled at that resolution."""
    path = folder / f"{item['name']}@{dpi}.pgm"
    if path.exists(): return path
    if "pdf" in item:
        run("pdftoppm", "-r", str(dpi), "-gray", "-f", str(item["page"]), "-l", str(item["page"]), "-singlefile", item["pdf"], str(path.with_suffix("")))
        image = Image.open(path)
    else:
        image = Image.new("L", (int(8.27 * dpi), int(11.69 * dpi)), 255); font = ImageFont.truetype("DejaVuSans.ttf", int(11 * dpi / 72))
        wrapped = "\n".join("\n".join(re.findall(r".{1,75}(?:\s|$)|\S{76,}", line)) for line in item["truth"].splitlines())
        ImageDraw.Draw(image).multiline_text((dpi * .8, dpi * .8), wrapped, 0, font, spacing=dpi / 20)
    spoil = item.get("spoil")
    if spoil == "jpeg": image.save(path.with_suffix(".jpg"), quality=30); image = Image.open(path.with_suffix(".jpg"))
    if spoil == "skewed": image = image.rotate(1.5, Image.BICUBIC, fillcolor=255)
    if spoil == "noise": image = Image.fromarray(np.clip(np.asarray(image, float) + np.random.default_rng(1).normal(0, 40, image.size[::-1]), 0, 255).astype(np.uint8))
    if spoil == "low": image = image.resize([int(n * 150 / dpi) for n in image.size], Image.BOX if dpi > 200 else Image.BILINEAR).resize(image.size, Image.BICUBIC)
    image.convert("L").save(path); return path
RAGCTL = """
import { readFile } from "node:fs/promises"; import { createInterface } from "node:readline";
import { openOcrEngine } from "ROOT/src/drivers/parsers/ocr/engine.ts";
const [folder, languages, workers] = process.argv.slice(1);
const engine = openOcrEngine({ languages: languages.split("+"), folder, pageTimeoutMs: 120000, workers: Number(workers) });
const read = async (path) => {
  const bytes = await readFile(path); const [head, width, height] = /^P5\\s(\\d+) (\\d+)\\s255\\s/.exec(bytes.subarray(0, 40).toString("latin1"));
  const page = await engine.recognize({ width: Number(width), height: Number(height), data: new Uint8Array(bytes.subarray(head.length)) });
  return page.lines.map(({ words }) => words.map(({ text }) => text).join(" ")).join("\\n");
};
for await (const line of createInterface({ input: process.stdin })) {
  const texts = await Promise.all(JSON.parse(line).map(read)); const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ texts, cpu: (user + system) / 1e6, mb: process.resourceUsage().maxRSS / 1024 }));
}
process.exit();
"""
def serve_rapid(parameters):
    """Reads images named on stdin; the child of `open_engine`."""
    from rapidocr_onnxruntime import RapidOCR
    value = lambda text: json.loads(text) if re.fullmatch(r"\d+|true|false", text) else text
    given = {key: value(text) for key, text in (part.split("=") for part in parameters.split(",") if part)}
    engine = RapidOCR(intra_op_num_threads=WORKERS, inter_op_num_threads=1, **given)
    import cv2; cv2.setNumThreads(WORKERS)
    for line in sys.stdin:
        texts = ["\n".join(found[1] for found in engine(path)[0] or []) for path in json.loads(line)]
        used = resource.getrusage(resource.RUSAGE_SELF); print(json.dumps(dict(texts=texts, cpu=used.ru_utime + used.ru_stime, mb=used.ru_maxrss / 1024)), flush=True)
def open_engine(spec):
    kind, _, rest = spec.partition(":")
    if kind == "tesseract":
        def command(paths):
            before = resource.getrusage(resource.RUSAGE_CHILDREN); env = dict(os.environ, OMP_THREAD_LIMIT="1", **({"TESSDATA_PREFIX": rest} if rest else {}))
            started = [subprocess.Popen(["tesseract", path, "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) for path in paths]
            texts = [child.communicate()[0] for child in started]; after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return dict(texts=texts, spent=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, mb=0)
        return command
    folder, _, languages = rest.partition(":")
    start = [sys.executable, __file__, "--rapid", rest] if kind == "rapid" else ["node", "--input-type=module", "-e", RAGCTL.replace("ROOT", str(ROOT)), folder, languages or "eng", str(WORKERS)]
    child = subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True); before = 0
    def ask(paths):
        nonlocal before
        child.stdin.write(json.dumps(paths) + "\n"); child.stdin.flush(); read = json.loads(child.stdout.readline())
        read["spent"] = read["cpu"] - before; before = read["cpu"]; return read
    return ask
def errors(item, text):
    if "answers" in item: return dict(answers=sum(word in text.lower() for word in item["answers"]) / len(item["answers"]))
    truth, found = words(item["truth"]), words(text); one, two = Counter(truth), Counter(found); same = (one & two).total()
    left, right = list((one - two).elements()), list((two - one).elements())
    free = sum(map(len, left)) + sum(map(len, right))
    if left and right:
        costs = cdist(left, right, scorer=Levenshtein.distance) - np.add.outer([len(w) for w in left], [len(w) for w in right]); free += costs[linear_sum_assignment(costs)].sum()
    letters = "".join(truth); digits = Counter(numbers(item["truth"]))
    return dict(order=Levenshtein.distance(" ".join(truth), " ".join(found)) / len(" ".join(truth)), letters=Levenshtein.distance(letters, "".join(found)) / len(letters), free=float(free / len(letters)), words=same / len(truth), numbers=(digits & Counter(numbers(text))).total() / max(1, digits.total()) if digits.total() >= 5 else None)
def tables(work):
    rows = [json.loads(line) for line in open(work / "results.jsonl")]; mean = lambda found: f"{np.mean(found):.3f}" if found else "–"
    for group in dict.fromkeys(["all", *(row["group"] for row in rows)]):
        print(f"\n{group}: {'engine':42} pages  order letters  free  words numbers answers  cpu s  pages/s  peak MB")
        for engine in dict.fromkeys(row["engine"] for row in rows):
            some = [row for row in rows if row["engine"] == engine and group in ("all", row["group"])]
            figures = [mean([row[key] for row in some if row.get(key) is not None]) for key in ("order", "letters", "free", "words", "numbers", "answers")]
            if some: print(f"{engine:50} {len(some):5}", *(f"{figure:>6}" for figure in figures), f"{np.mean([row['spent'] for row in some]):7.2f} {len(some) / sum(row['wall'] for row in some):7.2f} {max(row['mb'] for row in some):7.0f}")
def main(data, work, *specs):
    data, work = Path(data), Path(work); work.mkdir(parents=True, exist_ok=True); listed = [item for item in items(data) if re.fullmatch(ONLY, item["group"])]
    place = Counter(); turns = []  # the groups in turns, so that a run that is stopped has some of each
    for item in listed: turns.append((place[item["group"]], len(turns))); place[item["group"]] += 1
    (work / "results.jsonl").touch(); done = {json.loads(line)["name"] for line in open(work / "results.jsonl")}
    listed = [listed[at] for _, at in sorted(turns) if listed[at]["name"] not in done]
    engines = [(spec, open_engine(re.sub(r"@\d+$", "", spec)), int((re.findall(r"@(\d+)$", spec) or [200])[0])) for spec in specs]
    for spec, engine, dpi in engines: engine([str(draw(min(listed, key=lambda item: len(item.get("truth", ""))), dpi, work))] * WORKERS)
    with open(work / "results.jsonl", "a") as results:
        for at in range(0, len(listed), WORKERS):
            some = listed[at:at + WORKERS]; random.Random(at).shuffle(engines)
            for spec, engine, dpi in engines:
                paths = [str(draw(item, dpi, work)) for item in some]; began = time.perf_counter(); read = engine(paths); wall = (time.perf_counter() - began) / len(some)
                for item, text in zip(some, read["texts"]): print(json.dumps(dict(engine=spec, group=item["group"], name=item["name"], spent=read["spent"] / len(some), wall=wall, mb=read["mb"], text=text, **errors(item, text)), ensure_ascii=False), file=results, flush=True)
    tables(work)
if sys.argv[1] == "--rapid": serve_rapid(sys.argv[2])
elif sys.argv[1] == "--table": tables(Path(sys.argv[2]))
else: main(*sys.argv[1:])

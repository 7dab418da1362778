#!/usr/bin/env python3
"""Makes training pairs of public data for a small cross-encoder with two heads.

  pairs.py SOURCES OUT.jsonl        SOURCES holds checkouts of these public repositories, by name:
    MedQuAD (abachaa/MedQuAD, CC BY 4.0)             questions on health, one answer each
    PolicyQA (wasiahmad/PolicyQA, MIT)               questions on privacy policies, a passage each
    QED (google-research-datasets/QED, CC BY-SA 3.0) questions on Wikipedia, a paragraph each
    WikiTableQuestions (ppasupat, CC BY-SA 4.0)      questions on tables
    TabFact (wenhuchen/Table-Fact-Checking, CC BY 4.0) statements on tables, true and false
    TAT-QA (NExTplusplus/TAT-QA, CC BY 4.0)          questions on filings; its test set, as its dev set measures

A line: {"head": "answers"|"supports", "a": question or sentence, "b": passage, "label": 0|1, "group": document,
"source": name}. Negatives of `answers` are passages of the same document or the same kind of table; those of
`supports` are what was labelled false, and true sentences with another value, negation or row. Seeded: the same
sources give the same lines.
"""
import csv, glob, json, os, random, re, sys
import xml.etree.ElementTree as xml
from collections import defaultdict

rng = random.Random(20261128)
longest = 1100  # characters of a passage: about 256 tokens
number = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")

def cut(text, around=""):
    """A stretch of at most `longest` characters, at word ends, which holds `around` where it can."""
    text = re.sub(r"\s+", " ", text).strip()
    if len(text) <= longest: return text
    at = max(0, text.find(around[:60])) if around else 0
    start = max(0, min(at - rng.randrange(longest // 2), len(text) - longest))
    return text[start:start + longest].split(" ", 1)[-1].rsplit(" ", 1)[0]

def render(rows):
    """A table as passages show it: cells between bars, one row a line."""
    return "\n".join(" | ".join(cell.strip() for cell in row) for row in rows)

def pair(head, a, b, label, group, source):
    return {"head": head, "a": a.strip(), "b": b, "label": int(label), "group": group, "source": source}

def altered_number(sentence, passage):
    """The sentence with one number replaced by another of its passage, or by one near it; None without a number."""
    found = list(number.finditer(sentence))
    if not found: return None
    old = rng.choice(found)
    others = [n for n in number.findall(passage) if n != old[0] and n not in sentence]
    if others and rng.random() < .7: new = rng.choice(others)
    else:
        digits = list(old[0]); at = rng.choice([i for i, d in enumerate(digits) if d.isdigit()])
        digits[at] = rng.choice([d for d in "123456789" if d != digits[at]]); new = "".join(digits)
    return sentence[:old.start()] + new + sentence[old.end():]

negations = ((" is ", " is not "), (" are ", " are not "), (" may ", " may not "), (" can ", " cannot "), (" will ", " will not "),
             (" was ", " was not "), (" must ", " need not "), (" increased ", " decreased "), (" more ", " less "), (" before ", " after "), (" higher ", " lower "))

def altered_direction(sentence):
    """The sentence negated or turned around once; None where it has nothing to turn."""
    usable = [(one, two) for one, two in negations + tuple((b, a) for a, b in negations) if one in sentence]
    if not usable: return None
    one, two = rng.choice(usable)
    return sentence.replace(one, two, 1)

def altered_name(sentence, passage):
    """The sentence with one capitalised name of its middle replaced by another of its passage."""
    names = re.findall(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*", sentence)
    others = [n for n in re.findall(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*", passage) if n not in sentence]
    return sentence.replace(rng.choice(names), rng.choice(others), 1) if names and others else None

def made(passage, group, source, most=2):
    """True sentences of a passage, some shortened to a clause, and the same made false."""
    sentences = [s for s in re.split(r"(?<=[.!?]) (?=[A-Z])", passage) if 40 < len(s) < 260]
    for sentence in rng.sample(sentences, min(most, len(sentences))):
        yield pair("supports", sentence, passage, 1, group, source)
        ways = [altered_number(sentence, passage), altered_direction(sentence), altered_name(sentence, passage)]
        for wrong in [w for w in ways if w and w != sentence][:2]: yield pair("supports", wrong, passage, 0, group, source)

def medquad(root):
    for path in sorted(glob.glob(f"{root}/*/*.xml")):
        try: tree = xml.parse(path).getroot()
        except xml.ParseError: continue
        asked = [(q.findtext("Question") or "", q.findtext("Answer") or "") for q in tree.iter("QAPair")]
        asked = [(q, cut(a)) for q, a in asked if len(a) > 80]
        for at, (question, answer) in enumerate(asked):
            yield pair("answers", question, answer, 1, path, "MedQuAD")
            others = [a for other, (_, a) in enumerate(asked) if other != at and a != answer]
            for wrong in rng.sample(others, min(2, len(others))): yield pair("answers", question, wrong, 0, path, "MedQuAD")
            if rng.random() < .5: yield from made(answer, path, "MedQuAD", 1)

def policyqa(root):
    for path in ("dev", "test", "train"):
        if not os.path.exists(f"{root}/data/{path}.json"): continue
        for document in json.load(open(f"{root}/data/{path}.json"))["data"]:
            contexts = [p["context"] for p in document["paragraphs"]]
            for p in document["paragraphs"]:
                own = {q["question"] for q in p["qas"]}
                for question in sorted(own)[:2]:
                    yield pair("answers", question, cut(p["context"]), 1, document["title"], "PolicyQA")
                    free = [c for o, c in zip(document["paragraphs"], contexts) if question not in {q["question"] for q in o["qas"]}]
                    for wrong in rng.sample(free, min(1, len(free))): yield pair("answers", question, cut(wrong), 0, document["title"], "PolicyQA")
                yield from made(cut(p["context"]), document["title"], "PolicyQA", 1)

def qed(root):
    lines = [json.loads(line) for line in open(f"{root}/qed-dev.jsonlines")]
    for at, one in enumerate(lines):
        yield pair("answers", one["question_text"] + "?", cut(one["paragraph_text"]), 1, one["title_text"], "QED")
        yield pair("answers", one["question_text"] + "?", cut(lines[at - 1]["paragraph_text"]), 0, one["title_text"], "QED")
        yield from made(cut(one["paragraph_text"]), one["title_text"], "QED")

def wikitables(root):
    examples = re.findall(r'utterance "((?:[^"\\]|\\.)*)"\) \(context \(graph tables\.TableKnowledgeGraph ([^)]+)\)\) \(targetValue \(list (.*)\)\)\)',
                          open(f"{root}/data/training.examples", encoding="utf8").read())
    tables, byHeader = {}, defaultdict(list)
    for _, path, _ in examples:
        if path in tables: continue
        try: rows = list(csv.reader(open(f"{root}/{path}", encoding="utf8"), escapechar="\\"))
        except (OSError, csv.Error): continue
        if len(rows) > 2 and len(render(rows)) <= longest: tables[path] = rows; byHeader[tuple(sorted(rows[0])[:2])].append(path)
    for question, path, target in examples:
        if path not in tables: continue
        rows, question = tables[path], question.replace('\\"', '"')
        yield pair("answers", question, render(rows), 1, path, "WikiTableQuestions")
        alike = [p for p in byHeader[tuple(sorted(rows[0])[:2])] if p != path] or sorted(tables)
        yield pair("answers", question, render(tables[rng.choice(alike)]), 0, path, "WikiTableQuestions")
        values = re.findall(r'description "((?:[^"\\]|\\.)*)"', target)
        if len(values) != 1: continue
        column = next((i for row in rows[1:] for i, cell in enumerate(row) if cell.strip() == values[0]), None)
        wrong = sorted({row[column].strip() for row in rows[1:] if len(row) > column} - {values[0], ""}) if column is not None else []
        wrong = rng.choice(wrong) if wrong else altered_number(values[0], "")
        if not wrong: continue
        yield pair("supports", f"{question} {values[0]}", render(rows), 1, path, "WikiTableQuestions")
        yield pair("supports", f"{question} {wrong}", render(rows), 0, path, "WikiTableQuestions")

def tabfact(root):
    def table(name):
        path = f"{root}/data/all_csv/{name}"
        return [line.rstrip("\n").split("#") for line in open(path, encoding="utf8")] if os.path.exists(path) else []
    stated = [(name, a, b) for name, a, b in json.load(open(f"{root}/pairwise_data/all_positive_negative_pairs.json"))]
    for name, true, false in stated:
        text = render(table(name))
        if not 0 < len(text) <= longest: continue
        yield pair("supports", true, text, 1, name, "TabFact"); yield pair("supports", false, text, 0, name, "TabFact")
    for part in ("val", "test"):
        for name, (statements, labels, title) in sorted(json.load(open(f"{root}/tokenized_data/{part}_examples.json")).items()):
            text = render(table(name))
            if not 0 < len(text) <= longest: continue
            for statement, label in zip(statements, labels): yield pair("supports", statement, text, label, name, "TabFact")

def tatqa(root):
    documents = json.load(open(f"{root}/dataset_raw/tatqa_dataset_test_gold.json"))
    for at, document in enumerate(documents):
        group, table = document["table"]["uid"], cut(render(document["table"]["table"]))
        paragraphs = [cut(p["text"]) for p in document["paragraphs"]]
        for q in document["questions"]:
            used = {int(o) - 1 for o in q.get("rel_paragraphs", [])}
            right = [table] if "table" in q.get("answer_from", "") else [paragraphs[i] for i in used if i < len(paragraphs)]
            wrong = [p for i, p in enumerate(paragraphs) if i not in used] + [cut(render(documents[at - 1]["table"]["table"]))]
            for text in right[:1]: yield pair("answers", q["question"], text, 1, group, "TAT-QA")
            for text in rng.sample(wrong, 1): yield pair("answers", q["question"], text, 0, group, "TAT-QA")
        for text in paragraphs: yield from made(text, group, "TAT-QA")
        rows = [r for r in document["table"]["table"] if len(r) > 1 and number.search(r[-1])]
        for row in rng.sample(rows, min(4, len(rows))):
            column = rng.randrange(1, len(row)); head = document["table"]["table"][0]
            label = " ".join([row[0], "of", head[column] if column < len(head) else ""]).strip()
            values = [v for r in rows for i, v in enumerate(r) if number.search(v) and v != row[column] and (r is row or i == column)]
            if not number.search(row[column]) or not values: continue
            yield pair("supports", f"{label} was {row[column]}.", table, 1, group, "TAT-QA")
            yield pair("supports", f"{label} was {rng.choice(values)}.", table, 0, group, "TAT-QA")

readers = {"MedQuAD": medquad, "PolicyQA": policyqa, "QED": qed, "WikiTableQuestions": wikitables, "TabFact": tabfact, "TAT-QA": tatqa}

def main(sources, out):
    counts = defaultdict(int)
    lines = [line for name, read in readers.items() for line in read(os.path.join(sources, name))]
    rng.shuffle(lines)
    with open(out, "w", encoding="utf8") as file:
        for line in lines:
            counts[line["source"], line["head"], line["label"]] += 1
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    for key in sorted(counts): print(*key, counts[key])
    print("all", len(lines))

if __name__ == "__main__": main(*sys.argv[1:3])

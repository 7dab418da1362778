import assert from "node:assert/strict";
import { readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  answerer,
  assertFits,
  documents,
  errorOf,
  type Home,
  jsonLines,
  openHome,
  record,
  records,
  root,
  skipAnswerer,
  skipChain,
  states,
} from "./support.ts";

const torque = "What is the tightening torque of the casing cover bolts on the HP-200 pump?";
const sourceFiles = (result: Record<string, unknown>) =>
  records(result["hits"]).map((hit) => String(hit["source_file"]));

describe("the chain through the built program", { skip: skipChain }, () => {
  let home: Home;
  let report: Record<string, unknown>;
  let firstStderr: string;

  before(async () => {
    home = await openHome();
    const ended = await home.run(["ingest", documents, "--collection", "plant", "--format", "json"]);
    assert.equal(ended.status, 0, ended.stderr);
    report = record(JSON.parse(ended.stdout));
    firstStderr = ended.stderr;
  });
  after(() => home[Symbol.asyncDispose]());

  it("ingests every fixture, the scan by OCR, and prints nothing beside the result", async () => {
    assertFits("ingest", report);
    const counts = record(report["counts"]);
    assert.deepEqual([counts["added"], counts["failed"], counts["pages_needing_ocr"]], [13, 0, 0]);
    assert.equal(firstStderr, "");
    const hits = records(
      (await home.json(["search", "delivery note", "--document", "delivery_note_scan.pdf", "-c", "plant"]))[
        "hits"
      ],
    );
    assert.deepEqual([hits[0]?.["source_file"], hits[0]?.["page_number"]], ["delivery_note_scan.pdf", 1]);
  });

  it("narrows a search to pages, and to documents added since a day", async () => {
    const search = async (...flags: readonly string[]) =>
      records((await home.json(["search", torque, "-c", "plant", ...flags], [0, 3]))["hits"]);
    const pages = (await search("--page", "2-3")).map((hit) => Number(hit["page_number"]));
    assert.ok(pages.length > 0 && pages.every((page) => page === 2 || page === 3), pages.join(" "));
    assert.ok((await search("--since", "2020-01-01")).length > 0);
    assert.deepEqual(await search("--since", "2999-01-01"), []);
    const within = await search("--meta", "title=equipment manual");
    assert.ok(within.length > 0 && within.every((hit) => hit["source_file"] === "equipment_manual.pdf"));
    const [{ section } = {}] = within;
    const heading = String(section).split(" › ")[0] ?? "";
    const under = await search("--section", heading.toUpperCase());
    assert.ok(under.length > 0 && under.every((hit) => String(hit["section"]).includes(heading)), heading);
    assert.deepEqual(await search("--section", "no such heading"), []);
    for (const flags of [
      ["--page", "5-3"],
      ["--page", "0"],
      ["--since", "yesterday"],
      ["--meta", "author"],
    ])
      assert.equal((await home.run(["search", torque, ...flags])).status, 2);
  });

  it("changes nothing when the same folder is ingested again", async () => {
    const before = await home.json(["list"]);
    const again = await home.json(["ingest", documents, "-c", "plant"]);
    assert.equal(record(again["counts"])["unchanged"], 13);
    assert.equal(record(again["counts"])["chunks"], 0);
    assert.deepEqual(await home.json(["list"]), before);
  });

  it("finds the expected document among the first five for nine questions of ten", async () => {
    const questions = jsonLines(await readFile(join(root, "fixtures/questions.jsonl"), "utf8"));
    const ended = await home.run([
      "search",
      "--batch",
      join(root, "fixtures/questions.jsonl"),
      "--top-k",
      "5",
    ]);
    assert.equal(ended.status, 0, ended.stderr);
    assert.equal(ended.stderr, "");
    const results = jsonLines(ended.stdout);
    assert.deepEqual(
      results.map((result) => result["id"]),
      questions.map((question) => question["id"]),
    );
    const answerable = questions.flatMap((question, i) => {
      const { id, doc } = question;
      return doc === undefined ? [] : [{ id, expected: String(doc), found: sourceFiles(results[i] ?? {}) }];
    });
    assert.ok(answerable.length > 0);
    const missed = answerable.filter(({ expected, found }) => !found.includes(expected));
    assert.ok(
      missed.length <= answerable.length * 0.1,
      `missed ${missed.length} of ${answerable.length}: ${JSON.stringify(missed)}`,
    );
  });

  it("searches, with global flags before or after the command, in every format", async () => {
    const result = await home.json(["search", torque, "--top-k", "3"]);
    assertFits("search", result);
    assert.equal(sourceFiles(result)[0], "equipment_manual.pdf");
    const front = await home.run([
      "--format",
      "jsonl",
      "--home",
      home.path,
      "search",
      torque,
      "--top-k",
      "3",
    ]);
    assert.equal(front.stderr, "");
    const [line, ...more] = jsonLines(front.stdout);
    assert.deepEqual(more, []);
    assert.deepEqual(sourceFiles(line ?? {}), sourceFiles(result));
    const text = await home.run(["search", torque, "--top-k", "1"]);
    assert.match(text.stdout, /equipment_manual\.pdf/);
    const csv = await home.json(["search", "price of seals", "--type", "csv"]);
    const flagFirst = await home.json([
      "search",
      "-c",
      "plant",
      "--type",
      "csv",
      "--type",
      "xlsx",
      "price of seals",
    ]);
    assert.equal(flagFirst["query"], "price of seals");
    assert.deepEqual([...new Set(sourceFiles(csv))], ["supplier_prices.csv"]);
    for (const mode of ["dense", "lexical"])
      assertFits("search", await home.json(["search", torque, "--mode", mode]));
  });

  it("answers with citations, and refuses with status 5 what the documents do not say", async () => {
    const answer = await home.json(["ask", torque]);
    assertFits("ask", answer);
    assert.equal(answer["refused"], false);
    assert.ok(
      records(answer["citations"]).some((citation) => citation["source_file"] === "equipment_manual.pdf"),
    );
    const refused = await home.json(["ask", "Who won the chess championship in Reykjavik in 1972?"], [5]);
    assertFits("ask", refused);
    assert.equal(refused["refused"], true);
    const text = await home.run(["ask", torque]);
    assert.equal(text.status, 0);
    assert.match(text.stdout, /\[1\] .*page|p\. ?\d|equipment_manual/);
  });

  it("answers a batch from standard input line by line, ids kept, and records each in the log", async () => {
    const lines = [
      { id: 7, query: torque },
      { id: "b", question: "How many days of annual leave may I carry over?" },
    ];
    const ended = await home.run(
      ["ask", "--batch", "-"],
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
    assert.equal(ended.status, 0, ended.stderr);
    const answers = jsonLines(ended.stdout);
    assert.deepEqual(
      answers.map((answer) => [answer["id"], answer["query"]]),
      lines.map((line) => [line.id, line.query ?? line.question]),
    );
    for (const { id: _, ...answer } of answers) assertFits("ask", answer);
    const runs = records((await home.json(["logs"]))["runs"]);
    assert.deepEqual(
      answers.map((answer) => runs.some((run) => run["id"] === answer["run_id"])),
      [true, true],
    );
    const summaries = runs.map((run) => String(run["summary"]));
    for (const { query } of answers)
      assert.ok(
        summaries.some((summary) => summary.includes(String(query))),
        `${query} in ${summaries}`,
      );
  });

  it("names a bad line of a batch by its number in the output and on stderr, and answers the others", async () => {
    const input =
      '\uFEFF{"id":1,"query":"seal"}\r\nnot json\n{"id":3,"query":" "}\n\n{"id":4,"query":"pump"}\n';
    const { status, stdout, stderr } = await home.run(["search", "--batch", "-", "--format", "json"], input);
    assert.equal(status, 1, stderr);
    const lines = jsonLines(stdout);
    assert.deepEqual(
      lines.map(({ id, line }) => [id, line]),
      [
        [1, undefined],
        [null, 2],
        [3, 3],
        [4, undefined],
      ],
    );
    for (const { id: _, line, ...rest } of lines) assertFits(line === undefined ? "search" : "error", rest);
    assert.match(stderr, /line 2: -:2 is not JSON[\s\S]*line 3: -:3 lacks id or query/);
  });

  it("takes a question from standard input, and with -q prints the answer alone", async () => {
    const whole = await home.run(["ask", "-"], `${torque}\n`);
    assert.equal(whole.status, 0, whole.stderr);
    assert.match(whole.stdout, /\[1\] equipment_manual/);
    assert.doesNotMatch(whole.stdout, /extractive|retrieve \d/);
    assert.match(whole.stderr, /extractive: [\s\S]*took \d/);
    const bare = await home.run(["ask", "-q"], torque);
    assert.deepEqual([bare.status, bare.stderr], [0, ""]);
    assert.ok(whole.stdout.startsWith(bare.stdout.trimEnd()));
    assert.doesNotMatch(bare.stdout, /equipment_manual/);
    const none = await home.run(["ask"], " ");
    assert.deepEqual([none.status, /no question given/.test(none.stderr)], [2, true]);
  });

  it("lists, shows and logs in shapes that fit their schemas", async () => {
    const list = await home.json(["list", "-c", "plant"]);
    assertFits("list", list);
    const [first] = records(list["documents"]);
    const show = await home.json(["show", String(first?.["id"]).slice(0, 6)]);
    assertFits("show", show);
    assert.deepEqual(
      records(show["chunks"]).map((chunk) => chunk["ordinal"]),
      records(show["chunks"]).map((_, i) => i),
    );
    assertFits("collections", await home.json(["collections"]));
    const logs = await home.json(["logs", "--limit", "3"]);
    assertFits("logs", logs);
    const [run] = records(logs["runs"]);
    const one = await home.json(["logs", String(run?.["id"])]);
    assertFits("run", one);
    assert.equal(one["id"], run?.["id"]);
    assertFits("models", await home.json(["models", "list"]));
    const jsonl = await home.run(["list", "--format", "jsonl"]);
    assert.equal(jsonLines(jsonl.stdout).length, 13);
  });

  it("seeds agents once and shows them", async () => {
    const { added } = await home.json(["agents", "seed"]);
    assert.ok(Object.values(record(added)).some((count) => Number(count) > 0));
    const again = record((await home.json(["agents", "seed"]))["added"]);
    assert.ok(Object.values(again).every((count) => count === 0));
    const list = await home.json(["agents", "list"]);
    assertFits("agents", list);
    const [agent] = records(list["agents"]);
    assertFits("agents", await home.json(["agents", "show", String(agent?.["name"])]));
    assert.equal((await home.run(["agents", "show", "Nobody At All"])).status, 3);
  });

  it("prints settings with their origin and completion scripts a shell accepts", async () => {
    const config = await home.json([
      "--set",
      "retrieve.topK=8",
      "config",
      "show",
      "--effective",
      "--set",
      "mmr.topK=3",
    ]);
    const values = Object.fromEntries(records(config["settings"]).map((row) => [row["key"], row["value"]]));
    assert.deepEqual([values["retrieve.topK"], values["mmr.topK"]], [8, 3]);
    for (const shell of ["bash", "zsh", "fish"]) {
      const { status, stdout, stderr } = await home.run(["completion", shell]);
      assert.deepEqual([status, stderr], [0, ""]);
      assert.match(stdout, /ingest/);
    }
  });

  it("ends with status 2 for a wrong command line and suggests what was meant", async () => {
    for (const [parameters, meant] of [
      [["serch", "x"], /search/],
      [["search", "x", "--topk", "3"], /--top-k/],
      [["search", "x", "--top-k", "none"], /whole number/],
      [["search", "x", "--set", "retrieve.topk=3"], /retrieve\.topK/],
      [["search", "x", "--format", "yaml"], /json/],
      [["search"], /question/],
      [["ingest", documents, "-c", "No Good"], /lowercase/],
    ] as const) {
      const { status, stdout, stderr } = await home.run(parameters);
      assert.deepEqual([status, stdout], [2, ""], `${parameters.join(" ")}: ${stderr}`);
      assert.match(stderr, meant);
    }
    assert.equal((await home.run(["--help"])).status, 0);
    assert.match((await home.run(["--version"])).stdout, /^\d+\.\d+\.\d+/);
  });

  it("ends with status 3 for what is not there, and names what is meant", async () => {
    for (const parameters of [
      ["show", "nothing.pdf"],
      ["forget", "nothing.pdf"],
      ["search", "x", "-c", "plnt"],
      ["ingest", "/no/such/file"],
      ["logs", "zzzz"],
    ]) {
      assert.equal((await home.run(parameters)).status, 3, parameters.join(" "));
    }
    const typo = await home.run(["search", "x", "-c", "plnt", "--format", "json"]);
    const error = errorOf(typo);
    assert.equal(error["code"], "NOT_FOUND");
    assert.match(`${error["message"]} ${error["hint"]}`, /plant/);
  });

  it("is quiet when its reader closes early", async () => {
    const started = home.start(["config", "show", "--effective", "--format", "json"]);
    started.child.stdout?.destroy();
    const { status, stderr } = await started.ended;
    assert.deepEqual([status, stderr], [0, ""]);
  });

  it("finds an edited file's new text and no longer the old, and nothing of a forgotten one", async () => {
    const folder = await home.folder("notes", {
      "a.md": "# Boiler\n\nThe zanzibar valve opens at 41 bar.\n",
      "b.md": "# Fan\n\nThe quokka fan turns left.\n",
    });
    await home.json(["ingest", folder, "-c", "notes"]);
    await writeFile(join(folder, "a.md"), "# Boiler\n\nThe madagascar valve opens at 52 bar.\n");
    const report = await home.json(["ingest", folder, "-c", "notes"]);
    assert.deepEqual(states(report), { "a.md": "updated", "b.md": "unchanged" });
    const texts = async (query: string) =>
      records((await home.json(["search", query, "-c", "notes"], [0, 3]))["hits"])
        .map((hit) => String(hit["text"]))
        .join("\n");
    assert.match(await texts("madagascar valve"), /52 bar/);
    assert.doesNotMatch(await texts("zanzibar valve opens"), /zanzibar/);
    const versions = records((await home.json(["list", "-c", "notes"]))["documents"]).map((document) => [
      document["name"],
      document["version"],
    ]);
    assert.deepEqual(versions, [
      ["a.md", 2],
      ["b.md", 1],
    ]);
    assert.equal((await home.run(["forget", "b.md"])).status, 2);
    assertFits("list", await home.json(["forget", "b.md", "--yes"]));
    assert.doesNotMatch(await texts("quokka fan turns"), /quokka/);
    await unlink(join(folder, "a.md"));
    assert.equal((await home.run(["forget", "--collection", "notes"])).status, 2);
    await home.json(["forget", "--collection", "notes", "--yes"]);
    assert.equal((await home.run(["search", "madagascar", "-c", "notes"])).status, 3);
    const names = records((await home.json(["collections"]))["collections"]).map(
      (collection) => collection["name"],
    );
    assert.ok(!names.includes("notes"));
  });

  it("reports the resident process and stops it", async () => {
    await home.json(["search", "seal"]);
    const status = await home.json(["status"]);
    assertFits("status", status);
    assert.equal(status["running"], true);
    assert.equal((await home.json(["stop"]))["stopped"], true);
    const none = await home.json(["status"], [3]);
    assertFits("status", none);
    assert.equal((await home.json(["stop"]))["stopped"], false);
  });
});

describe("a home without models", { skip: skipChain }, () => {
  it("says with status 7 what is missing and how to get it", async () => {
    await using home = await openHome("", []);
    const folder = await home.folder("in", { "a.txt": "some text" });
    const ended = await home.run(["ingest", folder, "--format", "json"]);
    assert.equal(ended.status, 7);
    assert.equal(ended.stdout, "");
    assert.match(String(errorOf(ended)["hint"]), /ragctl (setup|models pull)/);
    assert.equal((await home.run(["search", "x"])).status, 3);
  });
});

describe("a home with a language model", { skip: skipAnswerer }, () => {
  it("answers in text and JSON with the model's name kept out of stdout noise", async () => {
    const settings = `answer:\n  model: ${answerer}\n  maxTokens: 16\n  contextTokens: 128\n`;
    await using home = await openHome(settings, ["bge-small-en-v1.5-int8", "milvus-lite-2.5.1", answerer]);
    await home.json(["ingest", join(documents, "policy_handbook.pdf")]);
    const ended = await home.run([
      "ask",
      "How many days of annual leave may I carry over into the next year?",
      "--format",
      "json",
    ]);
    assert.ok(ended.status === 0 || ended.status === 5, ended.stderr);
    assert.equal(ended.stderr, "");
    assertFits("ask", JSON.parse(ended.stdout));
  });
});

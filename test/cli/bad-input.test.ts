import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { encryptedPdf, pdf, zip } from "../drivers/parsers/make.ts";
import { skipTmpfs } from "../helpers/tmpfs.ts";
import {
  documents,
  type Ended,
  errorOf,
  type Home,
  openHome,
  record,
  records,
  skipChain,
  states,
  until,
} from "./support.ts";

const page = (text: string) => pdf([[{ x: 72, y: 100, text }]]);
const isRoot = process.getuid?.() === 0;

/** How many hits of `query` come from the file `name`. */
async function hitsOf(home: Home, query: string, name: string): Promise<number> {
  const result = await home.json(["search", query, "--top-k", "20"], [0, 3]);
  return records(result["hits"]).filter((hit) => hit["source_file"] === name).length;
}

describe("bad input", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
  });
  after(() => home[Symbol.asyncDispose]());

  it("says that it made a home where none was, once", async () => {
    const typo = join(home.path, "typo");
    for (const said of [/^created a new home: .*typo\nerror COLLECTION_EMPTY/, /^error COLLECTION_EMPTY/]) {
      const ended = await home.run(["search", "pump", "--home", typo, "--no-resident"]);
      assert.deepEqual([ended.status, ended.stdout], [3, ""]);
      assert.match(ended.stderr, said);
    }
  });

  it("names each bad file's fault, ingests the good ones, and loses and doubles nothing on the next run", async () => {
    const good = await page("The flamingo gasket is replaced every 300 hours.");
    const folder = await home.folder("mixed", {
      "good.pdf": good,
      "good.txt": "The walrus coupling is checked on Mondays.\n",
      "latin1.txt": Buffer.from(
        "Die Pumpe läuft über den Gehäusedeckel, Prüfdruck für Ölkühler.\n",
        "latin1",
      ),
      "empty.txt": "",
      "blank.txt": " \n\n \n",
      "wrong-extension.docx": good,
      "truncated.pdf": good.subarray(0, Math.floor(good.length / 3)),
      "encrypted.pdf": encryptedPdf(),
      "scan.pdf": await pdf([[], [], []]),
      "no-pages.pdf":
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R/Size 3>>\n%%EOF\n",
      "garbage.bin": Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 31) & 255),
      "garbage.pdf": Uint8Array.from({ length: 5000 }, (_, i) => (i * 104_729 + (i >> 2) * 17) & 255),
      "bomb.docx": zip({
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": Buffer.alloc(70_000_000, 32),
      }),
      "huge.txt": "x",
    });
    await truncate(join(folder, "huge.txt"), 300_000_000);
    await home.folder("outside", { "secret.txt": "The pangolin password is hunter2.\n" });
    await symlink(join(home.base, "outside", "secret.txt"), join(folder, "link.txt"));
    await symlink("loop", join(folder, "loop"));
    await mkdir(join(folder, "inner"));
    await symlink("..", join(folder, "inner", "up"));
    execFileSync("mkfifo", [join(folder, "pipe.txt")]);

    const report = await home.json(["ingest", folder], [1]);
    const found = states(report);
    const expected: Record<string, string> = {
      "good.pdf": "added",
      "good.txt": "added",
      "latin1.txt": "added",
      "empty.txt": "failed SOURCE_EMPTY",
      "blank.txt": "failed SOURCE_EMPTY",
      "wrong-extension.docx": "added",
      "truncated.pdf": "failed SOURCE_DAMAGED",
      "encrypted.pdf": "failed SOURCE_ENCRYPTED",
      "scan.pdf": "failed SOURCE_NEEDS_OCR",
      "no-pages.pdf": "failed SOURCE_EMPTY",
      "garbage.bin": "skipped SOURCE_UNSUPPORTED",
      "garbage.pdf": "failed SOURCE_MISMATCHED",
      "bomb.docx": "failed SOURCE_TOO_LARGE",
      "huge.txt": "failed SOURCE_TOO_LARGE",
      "link.txt": "failed SOURCE_OUTSIDE",
      loop: "failed SOURCE_OUTSIDE",
      "pipe.txt": "failed SOURCE_SPECIAL",
    };
    assert.deepEqual(found, expected);
    assert.equal(record(report["counts"])["pages_needing_ocr"], 3);
    for (const file of records(report["files"]).filter((file) => file["code"] !== ""))
      assert.ok(String(file["reason"]).length > 20);
    assert.equal(await hitsOf(home, "pangolin password", "secret.txt"), 0);
    assert.equal(await hitsOf(home, "Gehäusedeckel", "latin1.txt"), 1);

    const again = await home.json(["ingest", folder], [1]);
    assert.equal(record(again["counts"])["unchanged"], 4);
    await writeFile(join(folder, "truncated.pdf"), await page("The mended ocelot bearing."));
    await writeFile(join(folder, "empty.txt"), "The formerly empty narwhal flange.\n");
    const mended = states(await home.json(["ingest", folder], [1]));
    assert.deepEqual(
      [mended["truncated.pdf"], mended["empty.txt"], mended["good.pdf"]],
      ["added", "added", "unchanged"],
    );
    assert.equal(await hitsOf(home, "ocelot bearing", "truncated.pdf"), 1);
    assert.equal(await hitsOf(home, "flamingo gasket", "good.pdf"), 1);
  });

  it("names a damaged file at every sync, and reads it once", async () => {
    const whole = await page("The heron valve.");
    const folder = await home.folder("damaged", { "cut.pdf": whole.slice(0, 300), "good.pdf": whole });
    const sync = (...more: readonly string[]) => home.json(["sync", folder, "-c", "damaged", ...more], [1]);
    const old = new Date(Date.now() - 60_000);
    await utimes(join(folder, "cut.pdf"), old, old);
    const phasesOf = (report: Record<string, unknown>) => records(report["phases"]).map(({ phase }) => phase);
    const first = await sync();
    assert.equal(states(first)["cut.pdf"], "failed SOURCE_DAMAGED");
    assert.ok(phasesOf(first).includes("parse"));
    const again = await sync();
    assert.equal(states(again)["cut.pdf"], "failed SOURCE_DAMAGED");
    assert.match(String(records(again["files"])[0]?.["reason"]), /failed before and unchanged/);
    assert.ok(!phasesOf(again).includes("parse"));
    const { stdout } = await home.run(["sync", folder, "-c", "damaged"]);
    assert.match(stdout, /^failed +cut\.pdf: SOURCE_DAMAGED .*failed before and unchanged/m);
    assert.ok(phasesOf(await sync("--verify")).includes("parse"));
  });

  it("prints a name with line breaks in one line, so that it forges none; JSON has it as it is", async () => {
    const name = "x\nadded     payroll.md: 9 chunks\tand\rmore.md";
    const shown = "x�added     payroll.md: 9 chunks�and�more.md";
    const folder = await home.folder("forged", {
      [name]: "The ibex lever is pulled once a week.\n",
      "empty\nadded     b.md": "",
    });
    const where = ["--collection", "forged"];
    const { stdout: report } = await home.run(["ingest", folder, ...where]);
    assert.ok(report.includes(`added     ${shown}: `), report);
    assert.ok(report.includes("failed    empty�added     b.md: SOURCE_EMPTY empty�added     b.md is"));
    for (const command of [
      ["search", "ibex lever", ...where],
      ["list", ...where],
      ["show", join(folder, name)],
      ["history", join(folder, name)],
      ["sync", folder, ...where, "--verify"],
      ["show", "none\nadded     c.md"],
      ["forget", join(folder, name), "--yes"],
    ]) {
      const { stdout, stderr } = await home.run(command);
      assert.doesNotMatch(`${stdout}${stderr}`, /^added|\r/m, command[0]);
    }
    const again = await home.json(["ingest", folder, ...where], [1]);
    assert.ok(name in states(again));
  });

  it("keeps the old version visible while the new one cannot be read", async () => {
    const folder = await home.folder("broken-update", {
      "pump.pdf": await page("The axolotl pump has three stages."),
    });
    await home.json(["ingest", folder]);
    await writeFile(join(folder, "pump.pdf"), "%PDF-1.4 nothing more");
    assert.match(states(await home.json(["ingest", folder], [1]))["pump.pdf"] ?? "", /^failed SOURCE_/);
    assert.equal(await hitsOf(home, "axolotl pump", "pump.pdf"), 1);
  });

  it("ends with status 3 for a missing path and still ingests the one beside it", async () => {
    const folder = await home.folder("beside", { "here.txt": "The capybara switch is on the left.\n" });
    const report = await home.json(
      ["ingest", join(folder, "gone.txt"), join(folder, "here.txt"), join(folder, "*.pdf")],
      [3],
    );
    assert.deepEqual(Object.values(states(report)).sort(), [
      "added",
      "failed SOURCE_MISSING",
      "failed SOURCE_MISSING",
    ]);
  });

  it("says that permission is denied", { skip: isRoot ? "root may read everything" : false }, async () => {
    const folder = await home.folder("locked", { "no.txt": "unreadable", "yes.txt": "readable text" });
    await chmod(join(folder, "no.txt"), 0);
    assert.deepEqual(states(await home.json(["ingest", folder], [1])), {
      "no.txt": "failed SOURCE_UNREADABLE",
      "yes.txt": "added",
    });
  });

  it("reports files that vanish or change during the run, and stores no half of them", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `f${String(i).padStart(2, "0")}.txt`,
        `Note ${i} about valve ${i * 17}.\n`.repeat(60),
      ]),
    );
    const folder = await home.folder("moving", files);
    const started = home.start(["ingest", folder, "-c", "moving", "--format", "jsonl"]);
    await new Promise<void>((resolve) => started.child.stdout?.once("data", () => resolve()));
    await rm(join(folder, "f38.txt"));
    await writeFile(join(folder, "f39.txt"), "The changed iguana text.\n");
    const { status } = await started.ended;
    assert.ok(status === 0 || status === 1 || status === 3);
    const report = await home.json(["ingest", folder, "-c", "moving"]);
    assert.equal(record(report["counts"])["failed"], 0);
    const listed = records((await home.json(["list", "-c", "moving"]))["documents"]).map(
      (document) => document["name"],
    );
    assert.equal(new Set(listed).size, listed.length);
    assert.ok(listed.includes("f39.txt"));
    const hits = records((await home.json(["search", "changed iguana", "-c", "moving"]))["hits"]);
    assert.match(String(hits[0]?.["text"]), /changed iguana/);
  });

  it("goes on after Ctrl-C where it stopped", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `c${i}.txt`,
        `Paragraph ${i} on compressors and tapirs. `.repeat(80),
      ]),
    );
    const folder = await home.folder("interrupted", files);
    const started = home.start(["ingest", folder, "-c", "stopped", "--format", "jsonl"]);
    await until(() => readdir(join(home.path, "models")).then(() => true));
    await new Promise((resolve) => setTimeout(resolve, 900));
    started.child.kill("SIGINT");
    const ended = await started.ended;
    assert.equal(ended.status, 130, ended.stderr);
    const report = await home.json(["ingest", folder, "-c", "stopped"]);
    const counts = record(report["counts"]);
    assert.equal(Number(counts["added"]) + Number(counts["unchanged"]), 30);
    assert.equal(records((await home.json(["list", "-c", "stopped"]))["documents"]).length, 30);
  });
});

describe("a damaged home", { skip: skipChain }, () => {
  it("names a home that is a link to nowhere", async () => {
    await using home = await openHome();
    const link = join(home.base, "link");
    await symlink("/nowhere/home", link);
    const ended = await home.run(["list", "--home", link, "--format", "json"]);
    const { code, message } = errorOf(ended);
    assert.deepEqual(
      [ended.status, code, message],
      [
        2,
        "CONFIG_INVALID",
        `cannot create the home ${link}: ${link} links to /nowhere/home, which does not exist`,
      ],
    );
  });

  it("names a corrupted registry and leaves it alone", async () => {
    await using home = await openHome();
    await writeFile(
      join(home.path, "registry.sqlite"),
      "this is not a database, it is a letter ".repeat(200),
    );
    const ended = await home.run(["list", "--format", "json"]);
    assert.equal(ended.status, 1);
    const error = errorOf(ended);
    assert.equal(error["code"], "REGISTRY_CORRUPT");
    assert.ok(String(error["hint"]).length > 10);
  });

  it("names a model file that is no model", async () => {
    await using home = await openHome("", ["milvus-lite-2.5.1"]);
    const folder = join(home.path, "models/bge-small-en-v1.5-int8");
    await mkdir(folder);
    for (const name of ["model.onnx", "tokenizer.json"]) await writeFile(join(folder, name), "not a model");
    const ended: Ended = await home.run(["ingest", join(documents, "shift_log.txt"), "--format", "json"]);
    assert.ok(ended.status === 1 || ended.status === 7, ended.stderr);
    assert.match(String(errorOf(ended)["code"]), /MODEL_UNREADABLE|MODEL_MISSING|HASH_MISMATCH/);
  });

  it("says that the disk is full and goes on when it no longer is", { skip: skipTmpfs() }, async () => {
    await using home = await openHome("milvus:\n  idleMs: 1000\n");
    const disk = join(home.base, "disk");
    await mkdir(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "none", disk]);
    try {
      await symlink(join(home.path, "models"), join(disk, "models"));
      await writeFile(join(disk, "filler"), Buffer.alloc(2_600_000));
      const parameters = ["ingest", documents, "--home", disk, "--format", "json"];
      const full = await home.run(parameters);
      assert.equal(full.status, 1, full.stdout);
      assert.equal(errorOf(full)["code"], "DISK_FULL", full.stderr);
      execFileSync("mount", ["-o", "remount,size=200m", disk]);
      await rm(join(disk, "filler"));
      const counts = record(record(JSON.parse((await home.run(parameters)).stdout))["counts"]);
      assert.equal(Number(counts["added"]) + Number(counts["unchanged"]), 13);
      const list = await home.json(["list", "--home", disk]);
      assert.equal(records(list["documents"]).length, 13);
    } finally {
      await home.run(["stop", "--home", disk]);
      execFileSync("umount", ["-l", disk]);
    }
  });
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { encryptedPdf } from "../../drivers/parsers/make.ts";
import { binary, documents, errorOf, type Home, openHome, records, skipChain, start } from "../support.ts";

const question = "What is the tightening torque of the casing cover bolts?";

describe("a question about one file", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
  });
  after(() => home[Symbol.asyncDispose]());
  const ask = (file: string, ...flags: readonly string[]) =>
    home.json(["ask", "--pdf", file, "--question", question, ...flags], [0, 5]);

  it("removes what it made, after an answer, an error and Ctrl-C, and keeps the record of the answer", async () => {
    const file = join(documents, "equipment_manual.pdf");
    const left = async () => [
      records((await home.json(["collections"]))["collections"]).length,
      records((await home.json(["list"]))["documents"]).length,
    ];
    const answer = await ask(file);
    assert.ok(records(answer["citations"]).length > 0);
    assert.deepEqual(await left(), [0, 0]);
    const logged = await home.json(["logs", String(answer["run_id"])]);
    assert.deepEqual([logged["question"], logged["answer"]], [question, answer["answer"]]);
    const again = await home.run(["replay", String(answer["run_id"])]);
    assert.match(again.stderr, /file_[0-9a-f]{32} no longer exists/);
    const failed = await home.run(["ask", "--pdf", file, "--agent", "nobody", question]);
    assert.notEqual(failed.status, 0);
    assert.deepEqual(await left(), [0, 0]);
    const batch = ["ask", "--pdf", file, "--batch", "-"];
    const { child, ended } = start(home.path, home.base, [process.execPath, binary, ...batch], null);
    const isRead = new Promise((resolve) =>
      child.stderr?.on("data", (text: string) => text.startsWith("read ") && resolve(undefined)),
    );
    await Promise.race([isRead, ended]);
    assert.deepEqual(await left(), [1, 1]);
    child.kill("SIGINT");
    assert.equal((await ended).status, 130);
    assert.deepEqual(await left(), [0, 0]);
  });

  it("answers two questions about one file at the same time", async () => {
    const file = join(documents, "equipment_manual.pdf");
    const answers = await Promise.all([ask(file), ask(file)]);
    for (const answer of answers) assert.ok(records(answer["citations"]).length > 0);
  });

  it("reads it once where it is kept", async () => {
    const file = join(documents, "equipment_manual.pdf");
    const answer = await ask(file, "--keep");
    assert.deepEqual(
      [...new Set(records(answer["citations"]).map((citation) => citation["source_file"]))],
      ["equipment_manual.pdf"],
    );
    // Its run is the answer's, not that of reading the file.
    const logged = await home.json(["logs", String(answer["run_id"])]);
    assert.deepEqual([logged["kind"], logged["question"]], ["ask", question]);
    const listed = await home.json(["list"]);
    await ask(file);
    assert.deepEqual(await home.json(["list"]), listed);
    const [collection] = records((await home.json(["collections"]))["collections"]);
    assert.match(String(collection?.["name"]), /^file_[0-9a-f]{32}$/);
  });

  it("cuts it in chunks of the size that is asked for, which means nothing without a file", async () => {
    const notes = await home.folder("cut", {
      "log.md": `# Log\n\n${"The pump of the station was greased by the crew.\n\n".repeat(60)}`,
    });
    const chunks = async (...flags: readonly string[]): Promise<unknown> => {
      await ask(join(notes, "log.md"), "--keep", ...flags);
      const { documents: listed } = await home.json(["list"]);
      return records(listed).find(({ name }) => name === "log.md")?.["chunks"];
    };
    const whole = await chunks();
    const cut = await chunks("--chunk-size", "100");
    assert.ok(Number(cut) > Number(whole), `${cut} chunks of 100 tokens, ${whole} of the usual size`);
    const { status, stderr } = await home.run(["ask", question, "--chunk-size", "100"]);
    assert.deepEqual([status, /apply only to a file that is asked with --pdf/.test(stderr)], [2, true]);
  });

  it("keeps it from other principals", async () => {
    const notes = await home.folder("secret", { "vault.md": "# Vault\n\nThe vault opens with code 4711.\n" });
    const file = join(notes, "vault.md");
    const asked = ["ask", "--pdf", file, "--question", "Which code opens the vault?", "--keep"];
    await home.json(asked);
    await home.json(["principals", "add", "ada"]);
    const names = async (...flags: readonly string[]) =>
      records((await home.json(["list", ...flags]))["documents"]).map((document) => document["name"]);
    assert.ok((await names()).includes("vault.md"));
    assert.ok(!(await names("--as", "ada")).includes("vault.md"));
    const found = await home.run(["search", "code of the vault", "--as", "ada"]);
    assert.doesNotMatch(found.stdout, /4711/);
    // Nor is she told what is in a file, or whether it is there.
    const refused = async (path: string): Promise<string> => {
      const told = await home.run([...asked.with(2, path), "--as", "ada", "--format", "json"]);
      assert.equal(told.status, 4);
      return told.stderr.replaceAll(path, "FILE");
    };
    assert.equal(await refused(file), await refused(join(notes, "none.md")));
    // What an earlier version kept in public is said to be so, and moved on demand.
    const { collections } = await home.json(["collections"]);
    const kept = records(collections).find(({ documents: count }) => count === 1);
    assert.equal(kept?.["instance"], "private");
    for (const { name } of records(collections))
      await home.json(["collections", "migrate", String(name), "--instance", "public"]);
    assert.match(
      (await home.run(asked)).stderr,
      /is public.*collections migrate file_\w+ --instance private/,
    );
  });

  it("means the file of its own collection where another collection holds it too", async () => {
    const file = join(documents, "equipment_manual.pdf");
    await home.json(["ingest", file, "-c", "manuals"]);
    const answer = await ask(file, "--keep");
    assert.ok(records(answer["citations"]).length > 0);
    const name = ["--document", "equipment_manual.pdf"];
    const found = await home.json(["search", question, "-c", "manuals", ...name]);
    assert.deepEqual([...new Set(records(found["hits"]).map((hit) => hit["collection"]))], ["manuals"]);
    const unclear = await home.run(["search", question, ...name, "--format", "json"]);
    assert.match(String(errorOf(unclear)["message"]), /matches 2 documents/);
  });

  it("keeps to that file where others are known, and takes other formats", async () => {
    const notes = await home.folder("notes", { "bolts.md": "# Bolts\n\nThe casing cover bolts are blue.\n" });
    const answer = await ask(join(notes, "bolts.md"), "--top-k", "3");
    for (const citation of records(answer["citations"])) assert.equal(citation["source_file"], "bolts.md");
  });

  it("names a file that is not there, and a question that was given twice", async () => {
    const missing = await home.run(["ask", "--pdf", "none.pdf", "--question", question, "--format", "json"]);
    assert.equal(missing.status, 3);
    const { code: absent, message: why } = errorOf(missing);
    assert.equal(absent, "SOURCE_MISSING");
    assert.match(String(why), /none\.pdf: no such file$/);
    const locked = await home.folder("locked", { "user.pdf": encryptedPdf() });
    const refusal = async (path: string): Promise<Record<string, unknown>> =>
      errorOf(await home.run(["ask", "--pdf", path, "--question", question, "--format", "json"]));
    const { code, message, hint } = await refusal(join(locked, "user.pdf"));
    assert.deepEqual(
      [code, message, hint],
      [
        "SOURCE_ENCRYPTED",
        "user.pdf is password-protected",
        "save a copy without a password and ingest the copy",
      ],
    );
    const folder = await refusal(locked);
    assert.deepEqual(
      [folder["code"], folder["message"], folder["hint"]],
      [
        "USAGE_INVALID",
        `${locked} is a folder`,
        "pass --pdf a single file, or ingest the folder first: `ragctl ingest FOLDER --collection NAME`, then ask with --collection NAME",
      ],
    );
    const twice = await home.run(["ask", "what?", "--question", question, "--format", "json"]);
    assert.equal(twice.status, 2);
    const both = await home.run([
      "ask",
      "--pdf",
      join(documents, "equipment_manual.pdf"),
      "-c",
      "x",
      question,
    ]);
    assert.equal(both.status, 2);
  });
});

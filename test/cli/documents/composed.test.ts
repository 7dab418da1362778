import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Home, openHome, record, records, skipChain } from "../support.ts";

const name = "Bảo trì động cơ.md";
const text = `# ${name}\n\nĐộng cơ phải được kiểm tra mỗi ba tháng bởi kỹ thuật viên Nguyễn.\n`;
const decomposed = (composed: string): string => composed.normalize("NFD");

describe("a document in decomposed Unicode, by its name and its text", { skip: skipChain }, () => {
  let home: Home;
  let folder: string;
  before(async () => {
    home = await openHome();
    folder = await home.folder(decomposed("tài liệu"), {
      [decomposed(name)]: decomposed(text),
      "pump.md": "# Pump\n\nThe pump runs at 125 bar.\n",
      "rows.csv": decomposed("tên;số\nđộng cơ;12\nmáy bơm;7\n"),
    });
    await home.json(["ingest", folder, "-c", "manuals"]);
  });
  after(() => home[Symbol.asyncDispose]());

  const hits = async (...words: readonly string[]) =>
    records((await home.json(["search", ...words]))["hits"]);

  for (const mode of ["hybrid", "dense", "lexical"])
    it(`is found in mode ${mode} however the question is typed`, async () => {
      const question = "kiểm tra động cơ";
      const found = await hits(question, "--mode", mode);
      assert.equal(found[0]?.["source_file"], name);
      assert.deepEqual(found, await hits(decomposed(question), "--mode", mode), "typed decomposed");
    });

  it("is named, shown, filtered and asked about in either form", async () => {
    const listed = records((await home.json(["list"]))["documents"]).map((each) => each["name"]);
    assert.deepEqual(listed.toSorted(), [name, "pump.md", "rows.csv"].toSorted());
    for (const form of [name, decomposed(name), join(folder, decomposed(name)), join(folder, name)]) {
      const shown = await home.json(["show", form]);
      assert.equal(record(shown["document"])["name"], name);
      assert.match(String(records(shown["chunks"])[0]?.["text"]), /kỹ thuật viên Nguyễn/);
      assert.equal((await hits("kiểm tra", "--document", form))[0]?.["source_file"], name);
    }
    assert.equal((await hits("ba tháng", "--section", decomposed("Bảo trì")))[0]?.["source_file"], name);
    const answer = await home.json(["ask", decomposed("Động cơ phải được kiểm tra bởi ai?")]);
    assert.match(String(answer["response"]), /Nguyễn/);
  });

  it("is opened under the bytes of its path, and left out by a pattern in either form", async () => {
    assert.deepEqual(
      (await readdir(folder)).toSorted(),
      [decomposed(name), "pump.md", "rows.csv"].toSorted(),
    );
    const again = await home.json(["ingest", folder, "-c", "manuals"]);
    assert.deepEqual(
      records(again["files"]).map((file) => file["state"]),
      ["unchanged", "unchanged", "unchanged"],
    );
    for (const pattern of [name, decomposed(name), "**/*động*"]) {
      const { files } = await home.json(["sync", folder, "-c", "others", "--exclude", pattern]);
      const taken = records(files).map((file) => file["name"]);
      assert.ok(!taken.includes(name), `${pattern}: ${taken.join(", ")}`);
    }
  });
});

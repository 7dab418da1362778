import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Home, openHome, records, skipChain } from "../support.ts";

describe("who can read a new collection", { skip: skipChain }, () => {
  let home: Home;
  let folder: string;
  before(async () => {
    home = await openHome();
    folder = await home.folder("plans", { "plan.md": "# Plan\n\nThe pump is moved in May.\n" });
  });
  after(() => home[Symbol.asyncDispose]());

  const notesOf = async (...words: readonly string[]): Promise<string> => {
    const { status, stderr } = await home.run(words);
    assert.equal(status, 0, stderr);
    return stderr;
  };
  const instances = async (...as: readonly string[]) =>
    new Map(
      records((await home.json(["collections", "list", ...as]))["collections"]).map((each) => [
        each["name"],
        each["instance"],
      ]),
    );

  it("is not mentioned where only the owner uses the home, and a synced folder is the owner's alone", async () => {
    assert.doesNotMatch(await notesOf("sync", folder, "-c", "plans"), /can read/);
    assert.match(await notesOf("principals", "add", "ada"), /^ada can read no collection yet; /m);
    assert.deepEqual(await instances("--as", "ada"), new Map());
    assert.deepEqual(await instances(), new Map([["plans", "private"]]));
  });

  it("is said when a collection is made in a home that others use", async () => {
    assert.match(
      await notesOf("sync", folder, "-c", "manuals"),
      /only you can read the new collection manuals; to share it: ragctl permissions grant read manuals --principal NAME/,
    );
    assert.doesNotMatch(await notesOf("sync", folder, "-c", "manuals", "--verify"), /can read/);
    assert.match(
      await notesOf("ingest", folder, "-c", "notes"),
      /everybody who uses this home can read the new collection notes; .* migrate notes --instance private/,
    );
    assert.match(await notesOf("principals", "add", "ben"), /^ben can read notes; /m);
    await notesOf("permissions", "deny", "read", "*", "--principal", "ben");
    assert.match(
      await notesOf("sync", folder, "-c", "open", "--instance", "public"),
      /you, ada can read the new collection open/,
    );
  });

  it("follows the registry for the collections that a seed makes public", async () => {
    await notesOf("agents", "seed");
    await notesOf("sync", folder, "-c", "company_policies");
    assert.equal((await instances("--as", "ada")).get("company_policies"), "public");
  });
});

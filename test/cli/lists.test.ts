import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Home, jsonLines, openHome, records, skipChain } from "./support.ts";

/** Every command that prints a list, with the member of its document that is the list. */
const lists: readonly (readonly [command: string, member: string])[] = [
  ["agents list", "agents"],
  ["tools list", "tools"],
  ["providers list", "providers"],
  ["principals list", "principals"],
  ["principals key list", "keys"],
  ["principals sign-ins", "sign_ins"],
  ["permissions list", "permissions"],
  ["permissions decisions", "decisions"],
  ["sources", "sources"],
  ["queue list", "jobs"],
  ["models list", "models"],
  ["collections", "collections"],
  ["list", "documents"],
  ["logs", "runs"],
  ["chat list", "rooms"],
  ["config show", "settings"],
];

describe("a list as JSON lines", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
    await home.json(["agents", "seed"]);
    await home.json(["principals", "key", "add", "owner"]);
    const folder = await home.folder("notes", { "gate.md": "# Gate\n\nThe gate closes at nine.\n" });
    await home.json(["sync", folder, "--collection", "notes"]);
    await home.json(["ingest", folder, "--background"]);
    await home.run(["chat", "--room", "gate"], "Hello\n");
  });
  after(() => home[Symbol.asyncDispose]());

  for (const [command, member] of lists)
    it(`ragctl ${command} prints one item a line`, async () => {
      const items = records((await home.json(command.split(" ")))[member]);
      const { status, stdout, stderr } = await home.run([...command.split(" "), "--format", "jsonl"]);
      assert.equal(status, 0, stderr);
      const names = (all: readonly object[]) => all.map((item) => Object.keys(item));
      assert.deepEqual(names(stdout === "" ? [] : jsonLines(stdout)), names(items));
      if (member !== "sign_ins") assert.notEqual(items.length, 0);
    });
});

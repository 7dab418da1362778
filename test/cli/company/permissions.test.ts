import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertFits, errorOf, type Home, openHome, record, records, skipChain } from "../support.ts";

describe("principals and permissions through the built program", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome("", []);
  });
  after(() => home[Symbol.asyncDispose]());

  const fails = async (parameters: readonly string[], status: number, words: RegExp): Promise<void> => {
    const ended = await home.run([...parameters, "--format", "json"]);
    assert.deepEqual([ended.status, ended.stdout], [status, ""], `${parameters.join(" ")}: ${ended.stderr}`);
    const { message, hint } = errorOf(ended);
    assert.match(`${message} ${hint}`, words);
  };

  it("adds, changes, disables and removes principals in shapes that fit their schema", async () => {
    const added = await home.json([
      "principals",
      "add",
      "ada",
      "--department",
      "hr",
      "--department",
      "finance",
    ]);
    assertFits("principals", added);
    assert.deepEqual(records(added["principals"])[0]?.["departments"], ["finance", "hr"]);
    await home.json(["principals", "set", "ADA", "--department", "hr"]);
    await home.json(["principals", "disable", "ada"]);
    await fails(["collections", "--as", "ada"], 4, /ada is disabled/);
    await home.json(["principals", "enable", "ada"]);
    const list = await home.json(["principals", "list"]);
    assertFits("principals", list);
    assert.deepEqual(
      records(list["principals"]).map(({ name, kind, departments }) => [name, kind, departments]),
      [
        ["owner", "owner", []],
        ["ada", "person", ["hr"]],
      ],
    );
    await home.json(["principals", "add", "gone"]);
    await home.json(["principals", "remove", "gone"]);
    await fails(["principals", "show", "gone"], 3, /there is no principal "gone"/);
    await fails(["principals", "show", "adda"], 3, /did you mean "ada"/);
    await fails(["principals", "add", "a\u0007b"], 2, /name: control/);
    await fails(["principals", "add", "b", "--department", '" or 1==1'], 2, /departments\.0/);
    await fails(["principals", "set", "ada"], 2, /nothing to set/);
    await fails(["principals", "remove", "owner"], 2, /owner of this home/);
  });

  it("writes rules, explains by them and takes them away again", async () => {
    const granted = await home.json([
      "permissions",
      "grant",
      "read",
      "hr_docs",
      "--department",
      "hr",
      "--instance",
      "private",
    ]);
    assertFits("permissions", granted);
    await home.json(["permissions", "deny", "write", "hr_docs", "--principal", "ada"]);
    const explain = async (level: string) => {
      const explained = await home.json(["permissions", "explain", "ada", level, "hr_docs"]);
      assertFits("explanation", explained);
      return [
        explained["effect"],
        explained["rule"],
        explained["permission"] === null ? null : record(explained["permission"])["effect"],
      ];
    };
    assert.deepEqual(await explain("read"), ["allow", "grant", "allow"]);
    assert.deepEqual(await explain("admin"), ["deny", "deny-beats-grant", "deny"]);
    const text = await home.run(["permissions", "explain", "ada", "admin", "hr_docs"]);
    assert.match(
      text.stdout,
      /^deny: ada, admin collection hr_docs \(private, does not exist yet\)\nrule: deny-beats-grant\n/,
    );
    const rules = records((await home.json(["permissions", "list", "hr_docs"]))["permissions"]);
    assert.equal(rules.length, 2);
    // What fits no filter says nothing of what there is.
    for (const [words, text] of [
      [["list", "nothing"], "no matching rules; `ragctl permissions list` shows all\n"],
      [["decisions", "--principal", "nobody"], "no matching decisions\n"],
    ] as const)
      assert.equal((await home.run(["permissions", ...words])).stdout, text);
    await home.json(["permissions", "revoke", "hr_docs", "--principal", "ada", "--denial"]);
    await home.json([
      "permissions",
      "revoke",
      String(rules.find((rule) => rule["effect"] === "allow")?.["id"]),
    ]);
    assert.deepEqual(await explain("read"), ["deny", "default-deny", null]);
    await fails(["permissions", "grant", "read", "hr_docs", "--department", "hr"], 2, /--instance/);
    assert.match(
      (await home.run(["permissions", "grant", "read", "ops_private_docs", "--department", "hr"])).stdout,
      /may read the collection ops_private_docs \(private\)/,
    );
    await fails(["permissions", "grant", "read", "hr_docs"], 2, /--department NAME or --principal NAME/);
    await fails(["permissions", "deny", "read", "hr_docs", "--principal", "adda"], 3, /did you mean "ada"/);
    await fails(
      ["permissions", "deny", "read", "x", "--department", "hr", "--kind", "tool"],
      3,
      /there is no tool "x"/,
    );
    await fails(["permissions", "revoke", "hr_docs", "--department", "hr"], 3, /no such rule/);
    const note = await home.run(["permissions", "deny", "read", "hr_docs", "--department", "hrr"]);
    assert.deepEqual([note.status, /did you mean hr\?/.test(note.stderr)], [0, true], note.stderr);
  });

  it("says that a grant to read keeps nobody out of a public collection, and how to make it private", async () => {
    await home.run(["principals", "add", "ida", "--department", "hr"]);
    const grant = (...flags: string[]) => home.run(["permissions", "grant", ...flags, "--department", "hr"]);
    const open = await grant("read", "people", "--instance", "public");
    assert.equal(open.status, 0, open.stderr);
    assert.match(open.stderr, /every principal can read people.*public/);
    assert.match(open.stderr, /--instance private/);
    for (const flags of [
      ["read", "personnel", "--instance", "private"],
      ["write", "people", "--instance", "public"],
    ])
      assert.doesNotMatch((await grant(...flags)).stderr, /every principal/, flags.join(" "));
    const { stdout } = await home.run(["ingest", "--help"]);
    assert.match(
      stdout.replace(/\s+/g, " "),
      /public: every principal can read it; private: only principals with a grant/,
    );
  });

  it("acts as whoever --as names, and lets the owner alone change the rules", async () => {
    await fails(
      ["collections", "--as", "adda"],
      3,
      /there is no principal "adda" the owner can list principals/,
    );
    assert.deepEqual(records((await home.json(["list", "--as", "ada"]))["documents"]), []);
    await fails(
      ["permissions", "grant", "admin", "*", "--principal", "ada", "--as", "ada"],
      4,
      /only the owner may/,
    );
    await fails(["principals", "list", "--as", "ada"], 4, /only the owner may/);
    await fails(["agents", "seed", "--as", "ada"], 4, /only the owner may/);
    await fails(["demo", "--as", "ada"], 4, /set up this machine/);
    await fails(
      ["ingest", home.base, "-c", "hr_docs", "--instance", "private", "--as", "ada"],
      3,
      /there is no collection "hr_docs"/,
    );
    const decided = await home.json(["permissions", "decisions", "--principal", "ada", "--denied"]);
    assertFits("decisions", decided);
    const [last] = records(decided["decisions"]);
    assert.deepEqual(
      [last?.["action"], last?.["resource"], last?.["rule"]],
      ["write", "hr_docs", "default-deny"],
    );
  });
});

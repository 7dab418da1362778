import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  assertFits,
  errorOf,
  type Home,
  jsonLines,
  openHome,
  record,
  records,
  skipChain,
} from "../support.ts";

describe("ragctl chat with piped input", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
    const folder = await home.folder("notes", {
      "crane.md":
        "# Crane\n\nThe crane of the north hall lifts 40 tonnes. It was last inspected on 4 May 2025 by Halden Lifting.\n",
    });
    const { status, stderr } = await home.run(["ingest", folder, "-c", "notes"]);
    assert.equal(status, 0, stderr);
  });
  after(() => home[Symbol.asyncDispose]());
  const chat = (input: string, ...more: readonly string[]) =>
    home.run(["chat", "--room", "workshop", ...more], input);

  it("says at the start where there are no documents to answer from, and how to add some", async () => {
    await using bare = await openHome();
    const { status, stderr } = await bare.run(["chat"], "");
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^no documents yet; add some with `ragctl ingest PATH`$/m);
  });

  it("answers, resolves a follow-up with the history, and remembers in the next process", async () => {
    const first = await chat(
      "How many tonnes does the crane of the north hall lift?\nAnd when was it last inspected?\n",
    );
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stderr, /created the private chat workshop/);
    assert.doesNotMatch(first.stderr, /no documents/);
    assert.match(first.stdout, /40 tonnes[\s\S]*\[1\] crane\.md[\s\S]*4 May 2025/);
    const next = await chat(
      "/history\nThe hook block was painted red by Ida.\nWho painted the hook block?\n/exit\nnever said\n",
    );
    assert.match(next.stdout, /^owner: How many tonnes/m);
    assert.match(next.stdout, /painted red by Ida[\s\S]*chat workshop/);
    const history = await home.run(["chat", "history", "workshop", "--format", "json"]);
    assertFits("chat-history", JSON.parse(history.stdout));
    assert.ok(!history.stdout.includes("never said"));
    const rooms = await home.run(["chat", "rooms", "--format", "json"]);
    assertFits("chat-rooms", JSON.parse(rooms.stdout));
    assert.deepEqual(
      records(record(JSON.parse(rooms.stdout))["rooms"]).map(({ name, messages }) => [name, messages]),
      [["workshop", 8]],
    );
  });

  it("prints one JSON document a message in either JSON format, with the answer or why there is none", async () => {
    for (const format of ["json", "jsonl"]) {
      const { status, stdout, stderr } = await chat(
        "Thanks, all.\n/rooms\nHow many tonnes does the crane of the north hall lift?\n",
        ...["--decide", "--format", format],
      );
      assert.equal(status, 0, stderr);
      // What slash commands say is for people.
      assert.match(stderr, /(?:^|\n)workshop \(\d+\)\n/);
      const turns = jsonLines(stdout);
      for (const turn of turns) assertFits("chat", turn);
      const [thanks, asked, ...more] = turns;
      assert.deepEqual(more, []);
      assert.deepEqual([thanks?.["room"], thanks?.["answer"]], ["workshop", null]);
      assert.equal(record(thanks?.["message"])["content"], "Thanks, all.");
      assert.notEqual(thanks?.["reason"], "");
      assert.equal(asked?.["reason"], "");
      assertFits("ask", asked?.["answer"]);
      assert.match(String(record(asked?.["answer"])["response"]), /40 tonnes/);
    }
  });

  it("prints the trace as JSON lines before the document of their message", async () => {
    const { stdout } = await chat("Hello\n", "--trace", "--format", "jsonl");
    const events = jsonLines(stdout).map(({ event }) => event);
    assert.deepEqual([events[0], events.at(-1)], ["node-end", undefined]);
  });

  it("goes on after a message that fails, and ends with that error's status", async () => {
    const { status, stdout, stderr } = await chat(
      `${"x".repeat(9000)}\n/agent Nobody\nHow many tonnes does the crane lift?\n`,
    );
    assert.equal(status, 3);
    assert.match(stderr, /9000 characters[\s\S]*no agent "Nobody"/);
    assert.match(stdout, /40 tonnes/);
  });

  it("prints an error document for a message that fails, and none for a command", async () => {
    const { status, stdout, stderr } = await chat(
      `${"x".repeat(9000)}\n/agent Nobody\nHow many tonnes does the crane lift?\n`,
      ...["--format", "json"],
    );
    assert.equal(status, 3);
    assert.match(stderr, /9000 characters[\s\S]*Nobody/);
    const [failed, answered, ...more] = jsonLines(stdout);
    assertFits("error", failed);
    assert.equal(record(failed?.["error"])["code"], "USAGE_INVALID");
    assertFits("chat", answered);
    assert.deepEqual(more, []);
  });

  it("refuses an unknown agent or collection before it answers, makes a room or keeps a message, and an unknown command", async () => {
    for (const [kind, ...words] of [
      ["agent", "chat", "--room", "never", "--agent"],
      ["agent", "ask", "-", "--agent"],
      ["collection", "ask", "-", "--collection"],
    ] as const) {
      const { status, stdout, stderr } = await home.run([...words, "Nobody"], "Hello\n");
      assert.deepEqual([status, stdout], [3, ""]);
      assert.match(stderr, new RegExp(`^error NOT_FOUND: there is no ${kind} "Nobody"\n`));
    }
    assert.equal((await home.run(["chat", "history", "never"])).status, 3);
    const { status, stdout, stderr } = await chat("/cha workshop\n");
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^error USAGE_INVALID: unknown command \/cha; did you mean \/chat\?\n/m);
  });

  it("keeps a private room to its maker, word for word as if it were not there", async () => {
    for (const name of ["ada", "bob"]) assert.equal((await home.run(["principals", "add", name])).status, 0);
    const opened = await home.run(["chat", "--as", "ada"], "The safe opens with 4711.\n");
    assert.equal(opened.status, 0, opened.stderr);
    assert.match(
      opened.stderr,
      /created the private chat ada\/desk: only principals with a grant can read it/,
    );
    const outcome = async (room: string, ...command: readonly string[]) => {
      const ended = await home.run(["chat", ...command, room, "--as", "bob", "--format", "json"]);
      const { code, message, hint } = errorOf(ended);
      return [ended.status, code, String(message).replace(room, "…"), hint];
    };
    for (const command of ["history", "remove"])
      assert.deepEqual(await outcome("ada/desk", command), await outcome("ada/attic", command));
    const others = await home.run(
      ["chat", "--as", "bob"],
      "/room desk\n/room ada/desk\n/room hall --public\n",
    );
    assert.match(
      others.stderr,
      /private chat bob\/desk:[\s\S]*cannot create a chat[\s\S]*public chat bob\/hall: everyone can read it/,
    );
    const limit = await home.run(["chat", "history", "workshop", "--limit", "many"]);
    assert.deepEqual([limit.status, /whole number/.test(limit.stderr)], [2, true]);
    const removed = await home.run(["chat", "remove", "desk", "--as", "ada", "--format", "json"]);
    assert.deepEqual([removed.status, JSON.parse(removed.stdout)["room"]], [0, "desk"]);
    assert.equal((await home.run(["chat", "history", "desk"])).status, 3);
  });

  it("searches what its flags name, and says that a document is not there before the message is kept", async () => {
    const asked = "What was inspected on 4 May 2025?\n";
    const answered = await chat(
      asked,
      "--collection",
      "notes",
      "--document",
      "crane.md",
      "--type",
      "markdown",
      "--top-k",
      "1",
    );
    assert.match(answered.stdout, /\[1\] crane\.md/, answered.stderr);
    const messages = async () =>
      records(record(JSON.parse((await home.run(["chat", "list", "--json"])).stdout))["rooms"]);
    const before = await messages();
    for (const [flag, value] of [
      ["--collection", "nowhere"],
      ["--document", "nothing.md"],
    ] as const) {
      const { status, stderr } = await chat(asked, flag, value);
      assert.deepEqual([status, stderr.includes(value)], [3, true], stderr);
    }
    assert.deepEqual(await messages(), before);
  });

  it("keeps the run of a principal named by its id under its name", async () => {
    assert.equal((await home.run(["principals", "add", "cyril"])).status, 0);
    const { stdout } = await home.run(["principals", "list", "--json"]);
    const known = records(record(JSON.parse(stdout))["principals"]).find(({ name }) => name === "cyril");
    const id = String(known?.["id"]);
    await home.run(["ask", "What did Ida paint?", "--as", id]);
    const logs = await home.run(["logs", "--as", "CYRIL", "--json"]);
    assert.match(logs.stdout, /What did Ida paint/, logs.stderr);
    const nobody = await home.run(["list", "--as", "cyrill"]);
    assert.deepEqual(
      [
        nobody.status,
        /there is no principal "cyrill"/.test(nobody.stderr),
        /cyril\b|bob/.test(nobody.stderr),
      ],
      [3, true, false],
      nobody.stderr,
    );
  });
});

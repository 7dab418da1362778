import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertFits, builtCommand, type Ended, errorOf, record, records, start } from "../support.ts";

/** The registry's commands need no model and no build: they run from the sources. */
describe("the registry's commands", () => {
  let base = "";
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "ragctl-registry-cli-"));
    await json("seed", ["agents", "seed"]);
  });
  after(() => rm(base, { recursive: true, force: true }));

  const run = (parameters: readonly string[], input = ""): Promise<Ended> =>
    start(join(base, "home"), base, [...builtCommand, ...parameters], input).ended;
  /** Runs with --format json; the result must fit the schema. */
  async function json(
    schema: string,
    parameters: readonly string[],
    input = "",
  ): Promise<Record<string, unknown>> {
    const { status, stdout, stderr } = await run([...parameters, "--format", "json"], input);
    assert.equal(status, 0, stderr);
    const value = record(JSON.parse(stdout));
    assertFits(schema, value);
    return value;
  }
  async function fails(
    parameters: readonly string[],
    status: number,
    message: RegExp,
    input = "",
  ): Promise<void> {
    const ended = await run([...parameters, "--format", "json"], input);
    assert.equal(ended.status, status, ended.stderr);
    const { message: said, hint } = errorOf(ended);
    assert.match(`${said}\n${hint}`, message);
  }

  it("adds, changes, disables and removes an agent", async () => {
    await json("agents", [
      "agents",
      "add",
      "Legal",
      "--department",
      "legal",
      "--topic",
      "contracts",
      "--tool",
      "RAG Search",
      "--tool",
      "Calculator",
    ]);
    await json("agents", [
      "agents",
      "set",
      "legal",
      "--example",
      "Who signs a contract?",
      "--description",
      "Contracts.",
    ]);
    await json("agents", ["agents", "give", "Legal", "Web Search", "--priority", "50", "--disable"]);
    await json("agents", ["agents", "take", "Legal", "Calculator"]);
    const [agent] = records((await json("agents", ["agents", "show", "Legal"]))["agents"]);
    assert.deepEqual(
      [agent?.["capabilities"], agent?.["examples"], agent?.["tools"], agent?.["enabled"]],
      [["contracts"], ["Who signs a contract?"], ["RAG Search"], true],
    );
    await json("removed", ["agents", "remove", "Legal"]);
  });

  it("says what was meant, and refuses what is wrong by its field", async () => {
    await fails(["agents", "show", "HR Asistant"], 3, /did you mean "HR Assistant"/);
    await fails(["agents", "give", "HR Assistant", "Calculatr"], 3, /did you mean "Calculator"/);
    await fails(["agents", "add", "bad\u0007name", "--department", "hr"], 2, /name: control or invisible/);
    await fails(
      ["agents", "set", "HR Assistant", "--provider-config", "{"],
      2,
      /--provider-config is not valid JSON[\s\S]*such as \{"name": "value"\}/,
    );
    await fails(["collections", "describe", "x"], 2, /`ragctl collections describe --help` lists/);
    await fails(
      ["tools", "set", "Calculator", "--option", "precision_digit=8"],
      2,
      /did you mean "precision_digits"/,
    );
    await fails(["providers", "add", "lm/ollama"], 2, /unknown component "lm"; did you mean "llm"/);
    await fails(["collections", "lits"], 2, /unknown command "lits"/);
    assert.equal((await run(["agents", "set", "HR Assistant", "--topik", "x"])).status, 2);
  });

  it("sets configurations whole, from a file and member by member", async () => {
    const config = async (parameters: readonly string[], input = "") =>
      records((await json("tools", ["tools", "set", "RAG Search", ...parameters], input))["tools"])[0]?.[
        "config"
      ];
    assert.deepEqual(await config(["--config", '{"top_k": 5}']), { top_k: 5 });
    assert.deepEqual(await config(["--option", "mmr_lambda=0.4", "--option", "top_k=null"]), {
      mmr_lambda: 0.4,
    });
    assert.deepEqual(await config(["--config-file", "-"], '{"top_k": 7}'), { top_k: 7 });
    await json("tools", [
      "tools",
      "add",
      "Notes",
      "--type",
      "rag",
      "--disabled",
      "--permissions",
      '{"requires_grant": true}',
    ]);
    await json("providers", [
      "providers",
      "add",
      "llm/ollama",
      "--option",
      "base_url=http://127.0.0.1:11434",
      "--option",
      "model=m",
    ]);
    const list = records((await json("providers", ["providers", "list"]))["providers"]);
    assert.equal(list.find(({ name }) => name === "llm/local")?.["enabled"], false);
  });

  it("plans a collection as its name says: describing hr_private_docs does not make it public", async () => {
    const described = await json("collection", [
      "collections",
      "describe",
      "law_private_docs",
      "--description",
      "x",
    ]);
    const { instance, department } = records([described["collection"] ?? described])[0] ?? {};
    assert.deepEqual([instance, department], ["private", "law"]);
    await json("removed", ["collections", "remove", "law_private_docs", "--yes"]);
  });

  it("describes collections before anything is in them", async () => {
    await json("collection", [
      "collections",
      "describe",
      "legal_docs",
      "--department",
      "legal",
      "--instance",
      "private",
    ]);
    const list = await json("collections", ["collections"]);
    assert.ok(
      records(list["planned"]).some(
        ({ name, department }) => name === "legal_docs" && department === "legal",
      ),
    );
    const shown = await json("collection", ["collections", "show", "hr_private_docs"]);
    assert.ok(records(shown["grants"]).some(({ subject, level }) => subject === "hr" && level === "write"));
    await json("removed", ["collections", "remove", "legal_docs", "--yes"]);
  });

  it("exports, compares and imports", async () => {
    const file = join(base, "registry.yaml");
    await json("registry", ["registry", "export", file]);
    await fails(["registry", "export", file], 2, /already exists/);
    assert.deepEqual((await json("changes", ["registry", "diff", file]))["changes"], []);
    await writeFile(
      file,
      (await readFile(file, "utf8")).replace("precision_digits: 12", "precision_digits: 20"),
    );
    const dry = await json("changes", ["registry", "import", file, "--dry-run"]);
    assert.deepEqual([dry["applied"], record(dry["counts"])["change"]], [false, 1]);
    assert.equal((await json("changes", ["registry", "import", file]))["applied"], true);
    await fails(
      ["registry", "import", "-"],
      2,
      /standard input is not valid: agents\[0\]\.tools\[0\] \(line 2\)/,
      "version: 1\nagents: [{ name: A, department: a, tools: [Nothing At All] }]",
    );
  });

  it("lets nobody but the owner change or export anything", async () => {
    for (const parameters of [
      ["agents", "remove", "HR Assistant"],
      ["providers", "list"],
      ["registry", "export"],
    ])
      await fails([...parameters, "--as", "hr_manager"], 4, /hr_manager may not/);
    const seen = records((await json("agents", ["agents", "list", "--as", "hr_manager"]))["agents"]);
    assert.deepEqual(seen.map(({ name }) => name).sort(), ["General Assistant", "HR Assistant"]);
    await fails(
      ["agents", "show", "Finance Analyst", "--as", "hr_manager"],
      3,
      /there is no agent "Finance Analyst"/,
    );
    await fails(
      ["collections", "show", "finance_private_docs", "--as", "hr_manager"],
      3,
      /there is no collection/,
    );
  });
});

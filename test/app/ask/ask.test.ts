import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Answer } from "../../../src/core/answers/answer.ts";
import type { AskRequest } from "../../../src/core/app.ts";
import { documents } from "../../cli/support.ts";
import { testHome } from "../../contracts/store.ts";
import { processorMs } from "../../helpers/processor-time.ts";
import { openScene, type Scene, skipScene } from "../scene.ts";
import { said } from "../world.ts";

const band = "What is the salary band of a crane driver?";
const budget = "What is the salary budget of the crane crew?";
const nodesOf = ({ trace }: Answer): string => trace.map(({ node }) => node).join(" ");
/** As JSON without durations: their digits can be those of a secret. */
const withoutDurations = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === "durationMs" ? undefined : part));
const whole = "orchestrate reflect intent route permit select_tools execute assemble judge finish";

/** A loopback port that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return address.port;
}

describe("the seeded company, as it is seeded", { skip: skipScene }, () => {
  it("computes from ingested spreadsheets, with every agent, and leaves prose to the search", async () => {
    await using scene = await openScene();
    const files = ["equipment_data.xlsx", "supplier_prices.csv"];
    await scene.ingest(
      "documents",
      "public",
      files.map((name) => join(documents, name)),
    );
    const { response, tools, citations } = await scene.ask("what is the average pressure", "owner");
    assert.deepEqual(
      tools.map(({ call, status, message }) => [call.tool, call.reason, status, message]),
      [["Database Query", "it asks for a total", "ok", "1 of 1 rows by SQL of a template"]],
    );
    assert.match(response, /182\.7/);
    assert.equal(citations[0]?.sourceFile, "equipment_data.xlsx");
    assert.deepEqual((await scene.ask("What does the note say about seals?", "owner")).tools, []);
    for (const agent of await scene.app.registry.agents.list(scene.as("owner")))
      assert.ok(
        agent.tools.some(({ name, enabled }) => name === "Database Query" && enabled),
        agent.name,
      );
  });
});

describe("asking as the people of a company, without a language model", { skip: skipScene }, () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene();
    await scene.ingest("hr_private_docs", "private", {
      "pay.md":
        "# Crane drivers\n\nThe salary band of a crane driver is C4. The band is reviewed every March by the personnel office.\n",
    });
    await scene.ingest("finance_private_docs", "private", {
      "budget.md": "# Crane crew\n\nThe salary budget of the crane crew is 812000 euro for the year.\n",
      "sales.csv":
        "Product,Month,Revenue\nWidget B,January,12500\nWidget B,February,17300\nWidget B,March,18800\nWidget A,January,9100\n",
    });
    await scene.ingest("engineering_private_docs", "private", [join(documents, "equipment_data.xlsx")]);
  });
  after(() => scene[Symbol.asyncDispose]());

  it("answers HR from HR's documents, Finance from all, and Engineering from neither", async () => {
    const outcome = async (query: string, principal: string) => {
      const { verdict, citations, agent, response } = await scene.ask(query, principal);
      return [agent, verdict.status, citations[0]?.sourceFile, /C4|812000/.exec(response)?.[0]];
    };
    assert.deepEqual(await outcome(band, "hr_manager"), ["HR Assistant", "extractive", "pay.md", "C4"]);
    assert.deepEqual(await outcome(band, "finance_analyst"), [
      "Finance Analyst",
      "extractive",
      "pay.md",
      "C4",
    ]);
    assert.deepEqual(await outcome(budget, "finance_analyst"), [
      "Finance Analyst",
      "extractive",
      "budget.md",
      "812000",
    ]);
    for (const query of [band, budget])
      assert.deepEqual(await outcome(query, "engineer"), [
        "Engineering Assistant",
        "refused",
        undefined,
        undefined,
      ]);
    assert.ok(!(await scene.ask(budget, "hr_manager")).response.includes("812000"));
    assert.equal((await said(() => scene.ask(band, "employee"))).code, "COLLECTION_EMPTY");
  });

  it("traces every node, and names in the trace nothing that may not be read", async () => {
    const answer = await scene.ask(band, "engineer");
    // A refusal is tried again by other words.
    assert.ok(
      nodesOf(answer).startsWith(
        "orchestrate reflect intent route permit select_tools execute assemble judge",
      ),
      nodesOf(answer),
    );
    assert.ok(answer.trace.every(({ decided, durationMs }) => decided !== "" && durationMs >= 0));
    assert.doesNotMatch(
      withoutDurations(answer),
      /hr_private|finance_private|pay\.md|budget\.md|\bC4\b|812000/,
    );
    assert.equal(nodesOf(await scene.ask(band, "hr_manager")), whole);
    assert.equal((await scene.app.runRecords(9, scene.as("engineer"))).length > 0, true);
    assert.doesNotMatch(
      withoutDurations(await scene.app.runRecords(99, scene.as("engineer"))),
      /\bC4\b|812000|hr_manager/,
    );
  });

  it("asks a spreadsheet by SQL from a template, and cites sheet and range", async () => {
    const { tools, citations, response, verdict } = await scene.ask("How many pumps are there?", "engineer");
    assert.deepEqual(
      tools.map(({ call, status, data }) => [call.type, status, data["sql"], data["rows"]]),
      [["database_query", "ok", "SELECT count(*) FROM pumps", [[10]]]],
    );
    assert.equal(verdict.status, "extractive");
    assert.match(response, /\b10\b/);
    assert.deepEqual(
      citations.map(({ sourceFile, section }) => [sourceFile, section]),
      [["equipment_data.xlsx", "Pumps!A2:I11"]],
    );
    // HR may not read the sheet, and its agent has no such tool.
    assert.deepEqual((await scene.ask("How many pumps are there?", "hr_manager")).tools, []);
  });

  it("asks no spreadsheet that a question is narrowed away from", async () => {
    const toolsOf = async (more: Partial<AskRequest>) =>
      (await scene.ask("How many pumps are there?", "owner", more)).tools.map(({ status }) => status);
    assert.deepEqual(await toolsOf({ documents: ["equipment_data.xlsx"] }), ["ok"]);
    assert.deepEqual(await toolsOf({ formats: ["pdf"] }), []);
    assert.deepEqual(await toolsOf({ pages: { from: 1, to: 1 } }), []);
    assert.deepEqual(await toolsOf({ documents: ["pay.md"] }), []);
  });

  it("computes a total over the rows of a sheet, and never reads it off one", async () => {
    const { tools, response } = await scene.ask("What is the total revenue of Widget B?", "finance_analyst");
    assert.deepEqual(
      tools.map(({ call, status }) => [call.type, call.reason, status]),
      [["database_query", "it asks for a total", "ok"]],
    );
    assert.match(response, /^Sum of Revenue in [^\n]* where Product is Widget B \(\d+ rows\): [^\n]*48,600/);
  });

  it("computes a total over a table of a document, whose own total row is not added again", async () => {
    await scene.ingest("safety_private_docs", "private", {
      "overtime.md":
        "# Overtime of the winders\n\n| Month | Overtime hours |\n|---|---|\n| January | 12 |\n| February | 30 |\n| Total | 42 |\n",
    });
    const { tools, response, citations } = await scene.ask(
      "What are the average overtime hours?",
      "safety_officer",
    );
    assert.deepEqual(
      tools.map(({ call, status, data }) => [call.type, status, data["rows"]]),
      [["database_query", "ok", [[21]]]],
      JSON.stringify(tools),
    );
    assert.match(response, /21/);
    assert.equal(citations[0]?.sourceFile, "overtime.md");
    for (const narrowed of [
      { contentTypes: ["paragraph"] },
      { pages: { from: 1, to: 1 } },
      { texts: [{ text: "headings" as const, contains: ["Overtime"] }] },
    ]) {
      const part = await scene.ask("What are the average overtime hours?", "safety_officer", narrowed);
      assert.deepEqual(part.tools, [], "a total is over all tables of a document, or there is none");
    }
  });

  const model = "smollm2-135m-instruct-q4_1";
  const skip = existsSync(join(testHome, "models", model)) ? false : `no ${model} in ${testHome}`;
  it("tells what a template found as it is, though a language model is there", { skip }, async () => {
    const linked = join(scene.home, "models", model);
    await symlink(join(testHome, "models", model), linked);
    try {
      await scene.reopen();
      const answer = await scene.ask("How many pumps are running?", "engineer");
      assert.equal(answer.model, null);
      assert.equal(answer.verdict.status, "extractive");
      const tags = ["P-101", "P-102", "P-103", "P-105", "P-106", "P-109"];
      assert.equal(
        answer.response,
        `${["Number of rows of Pumps where Status is running: 6", "Tag | Status", ...tags.map((tag) => `${tag} | running`)].join("\n")} [1]`,
      );
      assert.match(answer.citations[0]?.quotes[0] ?? "", /: 6$/);
      assert.deepEqual(
        answer.citations.map(({ sourceFile, section }) => [sourceFile, section.replace(/!.*/, "")]),
        [["equipment_data.xlsx", "Pumps"]],
      );
    } finally {
      await rm(linked);
      await scene.reopen();
    }
  });

  it("lets no model guess at a query over the tables of a document", { skip }, async () => {
    await using own = await openScene();
    await symlink(join(testHome, "models", model), join(own.home, "models", model));
    await own.reopen();
    await own.ingest("safety_private_docs", "private", {
      "balance.md":
        "# Balance of the winders\n\n| Millions | 2021 | 2020 |\n|---|---|---|\n| Current reserves | 29 | 24 |\n| Total reserves | 41 | 36 |\n",
    });
    const { tools } = await own.ask("What are the total reserves of the winders?", "owner");
    assert.deepEqual(tools, []);
    // With a year it is a row, which no model reads.
    const { response, model: writer } = await own.ask(
      "What are the total reserves of the winders in 2021?",
      "owner",
    );
    assert.match(response, /^Total reserves, 2021: 41 million\n/);
    assert.equal(writer, null);
  });

  it("computes without a search, also for whoever may read nothing", async () => {
    for (const principal of ["engineer", "employee"]) {
      const answer = await scene.ask("(3 + 4) * 12.5", principal);
      assert.match(answer.response, /87\.5/);
      assert.deepEqual([answer.tools.map(({ call }) => call.type), answer.model], [["calculator"], null]);
      assert.match(answer.trace.find(({ node }) => node === "execute")?.decided ?? "", /^no search/);
    }
  });

  it("leaves the run of a question that was stopped, and none of one that was turned away", async () => {
    const abort = new AbortController();
    const run = { ...scene.as("hr_manager"), signal: abort.signal };
    await assert.rejects(async () => {
      for await (const _ of scene.app.ask({ query: band, topK: 5, collections: [] }, run))
        abort.abort(new Error("stopped"));
    });
    const { state, error, answer, summary } = await scene.app.runRecord(run.id, scene.as("hr_manager"));
    assert.deepEqual(
      [state, error?.message, answer?.question, summary],
      ["cancelled", "stopped", band, `cancelled: ${band}`],
    );
    const empty = scene.as("hr_manager");
    await assert.rejects(Array.fromAsync(scene.app.ask({ query: "?!", topK: 5, collections: [] }, empty)));
    await assert.rejects(scene.app.runRecord(empty.id, scene.as("owner")), { code: "NOT_FOUND" });
  });

  it("keeps the answer with its citations, and phases that add up", async () => {
    const run = scene.as("hr_manager");
    await Array.fromAsync(scene.app.ask({ query: band, topK: 5, collections: [] }, run));
    const view = await scene.app.runRecord(run.id, run);
    assert.match(view.answer?.response ?? "", /C4/);
    assert.equal(view.answer?.citations[0]?.sourceFile, "pay.md");
    const sum = view.phases.reduce((total, { durationMs }) => total + durationMs, 0);
    assert.ok(sum <= view.durationMs * 1.05 + 5, `${sum} of ${view.durationMs}`);
    assert.equal(view.phases[0]?.phase, "open");
  });

  it("does not ask back about a document that is named", async () => {
    const query = "What is this document about?";
    assert.equal((await scene.ask(query, "hr_manager")).verdict.status, "clarify");
    const { verdict, citations } = await scene.ask(query, "hr_manager", { documents: ["pay.md"] });
    assert.deepEqual([verdict.status, citations[0]?.sourceFile], ["extractive", "pay.md"], verdict.reason);
  });

  it("answers what there is to search from the registry, with titles and counts, and only what may be read", async () => {
    const { response, verdict, citations } = await scene.ask(
      "Which documents are in this folder?",
      "hr_manager",
    );
    assert.deepEqual([verdict.status, citations], ["direct", []]);
    assert.equal(response, "1 document:\nhr_private_docs (1)\n- Crane drivers (pay.md)");
    const finance = await scene.ask("Có những tài liệu nào?", "finance_analyst");
    for (const name of ["pay.md", "budget.md", "sales.csv", "equipment_data.xlsx"])
      assert.ok(finance.response.includes(name), finance.response);
  });

  it("summarises the whole document that is named, section by section and without boilerplate", async () => {
    const sections = ["Winders", "Brakes", "Ropes", "Lamps", "Sheaves", "Cages"].map(
      (name) =>
        `## ${name}\n\nThe ${name.toLowerCase()} of the shaft hoist were inspected and found in good order this spring.\n\nA spare set is kept in the store behind the engine house of the shaft.\n`,
    );
    await scene.ingest("hr_private_docs", "private", {
      "hoist_review.md": `# Review of the shaft hoist\n\n${sections.join("\n")}\n## Disclaimer\n\nThis review of the shaft hoist is no guarantee of the shaft hoist whatsoever.\n`,
    });
    const { response, verdict, citations } = await scene.ask("Summarize hoist_review.md", "hr_manager");
    assert.equal(verdict.status, "extractive", verdict.reason);
    for (const name of ["winders", "brakes", "ropes", "lamps", "sheaves", "cages"])
      assert.ok(response.includes(`The ${name} of`), response);
    assert.doesNotMatch(response, /guarantee/);
    assert.ok(citations.every(({ sourceFile }) => sourceFile === "hoist_review.md"));
    const texts = [{ text: "headings" as const, contains: ["Ropes"] }];
    const narrow = await scene.ask("Summarize hoist_review.md", "hr_manager", { texts });
    assert.match(narrow.response, /The ropes of/);
    assert.doesNotMatch(narrow.response, /The winders of/, "a summary keeps to the section that is named");
    // Finance may read it too; engineering may not, and learns nothing of it.
    assert.doesNotMatch(JSON.stringify(await scene.ask("Summarize hoist_review.md", "engineer")), /winders/);
  });

  it("summarises and adds up the version that is asked for", async () => {
    const log = (state: string, hours: number): Record<string, string> => ({
      "shaft_log.md": `# Log of the shaft\n\n## Pumps\n\nThe pumps of the shaft were found ${state} by the fitter of the night shift.\n\n## Lost hours\n\n| Pump | Lost hours |\n|---|---|\n| East | ${hours} |\n| West | ${hours + 2} |\n`,
    });
    await scene.ingest("hr_private_docs", "private", log("dry", 10));
    await scene.ingest("hr_private_docs", "private", log("flooded", 40));
    const documents = ["shaft_log.md"];
    for (const [versions, state, mean] of [
      [1, /found dry/, 11],
      [2, /found flooded/, 41],
      ["latest", /found flooded/, 41],
    ] as const) {
      const summary = await scene.ask("Summarize shaft_log.md", "hr_manager", { documents, versions });
      assert.match(summary.response, state);
      const total = await scene.ask("What are the average lost hours?", "hr_manager", {
        documents,
        versions,
      });
      assert.deepEqual(
        total.tools.map(({ call, data }) => [call.type, data["rows"]]),
        [["database_query", [[mean]]]],
        JSON.stringify(total.tools),
      );
    }
  });

  it("greets without a search", async () => {
    const answer = await scene.ask("Hello!", "employee");
    assert.deepEqual(
      [answer.intent, answer.verdict.status, nodesOf(answer)],
      ["direct", "direct", "orchestrate reflect intent direct finish"],
    );
  });

  it("asks the agent that is named, suggests only agents that may be used, and passes over a disabled one", async () => {
    assert.equal(
      (await scene.ask(band, "finance_analyst", { agent: "finance analyst" })).agent,
      "Finance Analyst",
    );
    const slip = await said(() => scene.ask(band, "hr_manager", { agent: "HR Asistant" }));
    assert.match(slip.text, /there is no agent "HR Asistant"; did you mean "HR Assistant"/);
    const hidden = await said(() => scene.ask(band, "engineer", { agent: "HR Assistant" }));
    assert.deepEqual([hidden.code, /did you mean|available:.*HR/.test(hidden.text)], ["NOT_FOUND", false]);
    const owner = scene.as("owner");
    await scene.app.registry.agents.set("HR Assistant", { enabled: false }, owner);
    assert.equal(
      (await said(() => scene.ask(band, "hr_manager", { agent: "HR Assistant" }))).code,
      "NOT_FOUND",
    );
    assert.notEqual((await scene.ask(band, "hr_manager")).agent, "HR Assistant");
    await scene.app.registry.agents.set("HR Assistant", { enabled: true }, owner);
    assert.equal((await scene.ask(band, "hr_manager")).agent, "HR Assistant");
  });

  it("refuses an empty question and a document for a question at once", async () => {
    for (const query of ["", " \n", "?!", "\u200b\u202e", "why ".repeat(25_000)]) {
      const tookMs = await processorMs(async () => {
        assert.equal((await said(() => scene.ask(query, "hr_manager"))).code, "USAGE_INVALID");
      });
      assert.ok(tookMs < 2000, `${tookMs} ms`);
    }
  });

  it("takes text that looks like a filter as a name", async () => {
    const name = '" or 1==1 or department == "';
    for (const more of [{ department: name }, { formats: [name] }]) {
      const { verdict, citations } = await scene.ask(band, "engineer", more);
      assert.deepEqual([verdict.status, citations], ["refused", []], JSON.stringify(more));
    }
    for (const more of [{ collections: [name] }, { documents: [name] }]) {
      const { code, text } = await said(() => scene.ask(band, "engineer", more));
      assert.deepEqual([code, /hr_private/.test(text)], ["NOT_FOUND", false], JSON.stringify(more));
    }
    assert.equal((await said(() => scene.ask(band, name))).code, "NOT_FOUND");
  });

  it("says which address does not answer when the model is elsewhere, and works again without it", async () => {
    const owner = scene.as("owner");
    const address = `http://127.0.0.1:${await closedPort()}/v1`;
    await scene.app.registry.providers.add(
      {
        component: "llm",
        provider: "openai-compatible",
        config: { base_url: address, model: "m" },
        enabled: true,
      },
      owner,
    );
    const network = (await scene.app.doctor(owner)).find(({ name }) => name === "network");
    assert.equal(network?.message, `could call ${address} (provider llm/openai-compatible)`);
    const { code, text } = await said(() => scene.ask(band, "owner"));
    assert.deepEqual([code, text.includes(address)], ["PROVIDER_UNAVAILABLE", true], text);
    const other = await said(() => scene.ask(band, "hr_manager"));
    assert.deepEqual(
      [other.code, /127\.0\.0\.1|ECONNREFUSED/.test(other.text)],
      ["PROVIDER_UNAVAILABLE", false],
      other.text,
    );
    // What needs no model asks none.
    assert.equal((await scene.ask("Hello!", "hr_manager")).verdict.status, "direct");
    await scene.app.registry.providers.remove("llm/openai-compatible", owner);
    assert.equal((await scene.ask(band, "hr_manager")).verdict.status, "extractive");
    const none = (await scene.app.doctor(owner)).find(({ name }) => name === "network");
    assert.match(none?.message ?? "", /^none:/);
  });

  it("keeps a room's memory from process to process, and from those who may not read what it rests on", async () => {
    const { as } = scene;
    const talk = async (room: string, text: string, principal: string): Promise<Answer> => {
      const chat = await scene.app.chat();
      const events = await Array.fromAsync(
        chat.say({ room, text, decide: false, topK: 5, collections: [] }, as(principal)),
      );
      const end = events.find((event) => event.type === "answer-end");
      if (end?.type !== "answer-end") throw new TypeError("no answer");
      return end.answer;
    };
    const chat = await scene.app.chat();
    await chat.open("cranes", "public", as("hr_manager"));
    await chat.open("desk", "private", as("hr_manager"));
    await chat.open("hall", "private", as("engineer"));
    await Array.fromAsync(
      chat.say(
        {
          room: "desk",
          text: "The new crane driver Marta Olsen starts on 4 May.",
          decide: true,
          topK: 5,
          collections: [],
        },
        as("hr_manager"),
      ),
    );
    assert.match((await talk("cranes", band, "hr_manager")).response, /C4/);
    await scene.reopen();
    const again = await scene.app.chat();
    assert.deepEqual(
      (await again.history("cranes", 9, as("hr_manager"))).map(({ type }) => type),
      ["user", "assistant"],
    );
    const follow = await talk("cranes", "And when is it reviewed?", "hr_manager");
    assert.match(
      follow.trace.find(({ node }) => node === "reflect")?.decided ?? "",
      /^rewritten: .*crane driver/i,
    );
    assert.match(follow.response, /March/);
    // What HR said privately helps HR in its own rooms through an agent of nobody's department only where it
    // is granted.
    const recalled = await talk("desk", "When does the crane driver Marta Olsen start?", "hr_manager");
    assert.match(recalled.response, /4 May/);
    assert.ok(recalled.citations.some(({ sourceFile }) => sourceFile === "chat hr_manager/desk"));
    for (const query of [
      band,
      "When does the crane driver Marta Olsen start?",
      "When is the salary band of a crane driver reviewed?",
    ])
      assert.doesNotMatch((await talk("hall", query, "engineer")).response, /C4|4 May|March/);
    assert.doesNotMatch(
      JSON.stringify(await again.history("hr_manager/cranes", 9, as("engineer"))),
      /C4|March/,
    );
    assert.equal((await said(() => again.history("hr_manager/desk", 9, as("engineer")))).code, "NOT_FOUND");
    assert.equal(await again.remove("desk", as("hr_manager")), 3);
    await again.open("desk", "private", as("hr_manager"));
    assert.doesNotMatch(
      (await talk("desk", "When does the crane driver Marta Olsen start?", "hr_manager")).response,
      /4 May/,
    );
  });
});

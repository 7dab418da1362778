import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { PDFDocument, StandardFonts } from "pdf-lib";
import type { Page } from "playwright-core";
import type { z } from "../../src/core/schema.ts";
import type { askDocument } from "../../src/shapes/answer.ts";
import { documents } from "../cli/support.ts";
import { ask, lies, send, servedPage, skip } from "./page-stage.ts";

/** Key of a person who may read only what is public. */
const ada = { key: "" };

/** Documents, public and private. */
const { visit, enter, stage } = servedPage(async (home) => {
  const salaries = await home.folder("hr", {
    "salary_bands.md": "# Salary bands\n\nBand nine starts at 91 500 EUR a year.\n",
  });
  const notes = await home.folder("notes", {
    "hostile.md":
      "# Visitor rules\n\nVisitors wear <img src=x onerror=alert(1)> orange badges [link](https://example.com/) on the quay.\n",
  });
  await home.json(["agents", "seed"]);
  await home.json(["ingest", documents]);
  await home.json(["ingest", notes]);
  await home.json(["ingest", salaries, "--collection", "hr_private_docs"]);
  await home.json(["principals", "add", "ada"]);
  ada.key = String((await home.json(["principals", "key", "add", "ada"]))["key"]);
});

async function pdfOf(text: string): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (const line of ["Contents", text])
    pdf.addPage([420, 595]).drawText(line, { x: 50, y: 500, size: 12, font });
  return Buffer.from(await pdf.save());
}

test("a question is answered in a stream, and its citation opens the page with the words in the box", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  await ask(page, "What is the maximum working pressure of the HP-200S?");
  assert.match((await page.locator(".trace").textContent()) ?? "", /Search.*hits by/s);
  assert.match((await page.locator(".answer-body").textContent()) ?? "", /25 bar/);
  await page.locator(".answer-body .chip").first().click();
  const sheet = page.locator('.reader .page[data-page-number="2"]');
  await sheet.locator(".cited-line").first().waitFor({ state: "attached" });
  const box = await sheet.locator(".cited-box").boundingBox();
  for (const words of ["Maximum working pressure", "25 bar"])
    assert.ok(
      lies(await sheet.locator(".textLayer span", { hasText: words }).last().boundingBox(), box),
      words,
    );
  assert.ok(lies(await sheet.locator(".cited-line").first().boundingBox(), box));
  await page.keyboard.press("Escape");
  assert.ok(await page.locator(".reader").isHidden());
  assert.equal(
    await page.locator(".answer-body .chip:focus").count(),
    1,
    "the focus returns to the citation",
  );
  assert.deepEqual(faults, []);
});

test("a sheet shows the cited row, a text the cited passage, and neither runs what it says", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  await ask(page, "What is the unit price of part HP2-1225?");
  await page.locator(".source", { hasText: "supplier_prices.csv" }).click();
  assert.match(
    (await page.locator("tr.cited-row, tr.in-passage").first().textContent()) ?? "",
    /HP2-1220|HP2-1225/,
  );
  await ask(page, "What do visitors wear on the quay?");
  assert.match((await page.locator(".turn:last-child .answer-body").textContent()) ?? "", /orange badges/);
  await page.locator(".turn:last-child .chip").first().click();
  await page.locator(".reader mark.cited").first().waitFor();
  assert.match((await page.locator(".reader .in-passage").allTextContents()).join(" "), /orange badges/);
  assert.equal(await page.locator(".answer img, .answer-body a, .reader-prose img").count(), 0);
  assert.deepEqual(faults, []);
});

/**
 * An answer as a language model would give it, with one sentence of each verdict, and one that was removed.
 */
const judgedAnswer: z.output<typeof askDocument> = {
  schema_version: 1,
  query: "q",
  intent: "retrieval",
  agent: "Engineering Assistant",
  model: "a-model",
  response:
    "The casing holds **16 bar** [1]. The shaft is steel [1]. Nobody serviced it. <img src=x onerror=alert(1)>",
  citations: [
    {
      marker: 1,
      source_file: "manual.pdf",
      page_number: 2,
      pages: [2],
      section: "",
      cells: [],
      chunk_id: "a-1",
      quote: "16 bar",
      quotes: ["16 bar"],
    },
  ],
  verdict: {
    status: "unverified",
    reason: "",
    evidence: 1,
    threshold: 0.4,
    grounded: "prefer",
    removed: 1,
    sentences: [
      { text: "The casing holds 16 bar.", markers: [1], support: "supported", reason: "", rule: "number" },
      {
        text: "The shaft is steel.",
        markers: [1],
        support: "partial",
        reason: "the kind of steel is missing",
        rule: "word",
      },
      {
        text: "Nobody serviced it.",
        markers: [],
        support: "unsupported",
        reason: "cites no passage",
        rule: "citation",
      },
      {
        text: "It is blue.",
        markers: [1],
        support: "unsupported",
        reason: "blue is not in the passage",
        rule: "word",
      },
    ],
  },
  refused: false,
  exit_status: 6,
  tools: [],
  trace: [],
  unavailable: [],
  phases: [],
};

test("each sentence carries its verdict, also beside Markdown, and one that was removed is named", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  const events = [
    ["text-delta", { text: judgedAnswer.response }],
    ["answer-end", judgedAnswer],
  ] as const;
  const body = events
    .map(([name, data], index) => `id: ${index}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    .join("");
  await page.route("**/v1/ask", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await ask(page, "What does the casing hold?");
  const answer = page.locator(".answer-body");
  assert.deepEqual(
    await answer
      .locator(".mark")
      .evaluateAll((marks) => marks.map((mark) => mark.getAttribute("data-support"))),
    ["supported", "partial", "unsupported"],
  );
  assert.deepEqual(
    await answer
      .locator(".chip")
      .evaluateAll((chips) => chips.map((chip) => chip.getAttribute("data-support"))),
    ["supported", "partial"],
  );
  assert.match(
    (await answer.locator(".mark").nth(1).getAttribute("title")) ?? "",
    /kind of steel is missing/,
  );
  assert.equal(await answer.locator("strong").textContent(), "16 bar");
  await page.locator(".verdict summary").click();
  assert.equal(await page.locator(".judged del").textContent(), "It is blue.");
  assert.match(
    (await page.locator(".verdict summary").textContent()) ?? "",
    /1 of 4 sentences supported.*1 removed/,
  );
  assert.equal(await answer.locator("img").count(), 0);
  assert.deepEqual(faults, []);
});

test("a sentence carries its verdict as soon as it is shown, before the answer has ended", {
  skip,
}, async () => {
  const { page } = await visit();
  const { sentences } = judgedAnswer.verdict;
  const data = JSON.stringify({ text: judgedAnswer.response, sentences });
  const body = `id: 1\nevent: text-delta\ndata: ${data}\n\n`;
  await page.route("**/v1/ask", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await send(page, "What does the casing hold?");
  const marks = page.locator(".answer-body .mark");
  await marks.nth(2).waitFor();
  assert.deepEqual(await marks.evaluateAll((all) => all.map((mark) => mark.getAttribute("data-support"))), [
    "supported",
    "partial",
    "unsupported",
  ]);
  assert.equal(await page.locator(".verdict").count(), 0);
  assert.match((await page.locator(".answer .notice").textContent()) ?? "", /connection was lost/);
  await page.unroute("**/v1/ask");
  await page.route("**/v1/ask", (route) => route.abort("connectionreset"));
  await send(page, "And the shaft?");
  await page.locator(".turn:last-child .notice", { hasText: "connection was lost" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0, "the next question can be asked");
});

test("while an answer is written the page says so, with the time it usually takes and the passages found", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  const passage = { marker: 1, chunk_id: "a-1", source_file: "manual.pdf", collection: "general_knowledge" };
  const place = { page_number: 2, pages: [2], section: "Casing", cells: [] };
  const ready = {
    question: "q",
    usual_ms: 60_000,
    passages: [{ ...passage, ...place, text: "The casing holds 16 bar." }],
  };
  // The stream of a server that is writing: it begins and does not end.
  await page.addInitScript(`{
    const real = fetch;
    globalThis.fetch = (path, options) => path !== "/v1/ask" ? real(path, options) : Promise.resolve(new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(
        ${JSON.stringify(`id: 1\nevent: context-ready\ndata: ${JSON.stringify(ready)}\n\n`)})) }),
      { headers: { "content-type": "text/event-stream" } },
    ));
  }`);
  await page.reload();
  await send(page, "What does the casing hold?");
  await page.locator(".trace", { hasText: /Writing the answer.*2 s \(usually 60 s\)/ }).waitFor();
  const found = page.getByRole("region", { name: "Found so far" });
  assert.match((await found.textContent()) ?? "", /manual\.pdf.*page 2 · Casing.*holds 16 bar/);
  assert.deepEqual(faults, []);
});

test("what the page cannot show is called a fault of the page, not a lost connection", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  const events = [
    ["context-ready", {}],
    ["text-delta", { text: "The casing holds 16 bar [1]." }],
    ["answer-end", { ...judgedAnswer, verdict: null }],
  ] as const;
  const body = events
    .map(([name, data], index) => `id: ${index}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    .join("");
  await page.route("**/v1/ask", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await send(page, "What does the casing hold?");
  const notice = page.locator(".turn .notice");
  await notice.waitFor();
  assert.match((await notice.textContent()) ?? "", /Something went wrong in this page/);
  assert.doesNotMatch((await notice.textContent()) ?? "", /connection/);
  assert.ok(faults.length > 0, "the browser's console has it too");
});

/** Opens the panel that narrows a search, with the keyboard alone. */
async function openNarrow(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Filters/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("File type").waitFor();
}

/** The names in the list of sources of the last answer. */
const sourcesOf = (page: Page): Promise<string[]> =>
  page.locator(".turn:last-child .source-place > :first-child").allTextContents();

test("a question is narrowed by what is chosen under Filters, which the page says while it holds", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  const asked: Record<string, unknown>[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/ask")) asked.push(JSON.parse(request.postData() ?? "{}"));
  });
  await openNarrow(page);
  await page.getByLabel("File type").selectOption("csv");
  await page.getByLabel("Added since").fill("2026-01-01");
  await page.keyboard.press("Escape");
  assert.ok(await page.getByLabel("File type").isHidden());
  const toggle = page.getByRole("button", { name: /^Filters/ });
  assert.equal(await page.locator(".narrow-button:focus").count(), 1, "the focus returns to the button");
  assert.match((await toggle.textContent()) ?? "", /Filters: csv.*since 1 Jan 2026/);
  await ask(page, "What is the unit price of part HP2-1225?");
  assert.deepEqual(asked[0]?.["formats"], ["csv"]);
  assert.equal(asked[0]?.["since"], "2026-01-01");
  const sources = await sourcesOf(page);
  assert.ok(sources.length > 0 && sources.every((name) => /\.csv/.test(name)), sources.join());
  assert.match((await page.locator(".turn:last-child .narrowed").textContent()) ?? "", /csv/);
  await openNarrow(page);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("combobox", { name: "Document" }).fill("equipment_data.xlsx");
  await page.getByLabel("Pages or slides").fill("1-3");
  await page.getByLabel("Under heading").fill("valves");
  await page.getByLabel("Title contains").fill("equipment");
  await page.getByLabel("Parser").fill("xlsx");
  await page.getByLabel("Parser").press("Escape");
  await ask(page, "What is the set pressure of safety valve V-204?");
  const { formats, documents: named, pages, section, meta } = asked[1] ?? {};
  assert.deepEqual(
    { formats, named, pages, section, meta },
    {
      formats: undefined,
      named: ["equipment_data.xlsx"],
      pages: "1-3",
      section: "valves",
      meta: ["title=equipment", "method=xlsx"],
    },
  );
  assert.deepEqual(faults, []);
});

test("pages that are none are not sent: the panel opens at them, and the question stays", {
  skip,
}, async () => {
  const { page } = await visit();
  await openNarrow(page);
  await page.getByLabel("Pages or slides").fill("two");
  await page.getByLabel("Pages or slides").press("Escape");
  await send(page, "What is the set pressure of safety valve V-204?");
  const wrong = page.getByLabel("Pages or slides");
  await wrong.waitFor();
  assert.equal(await page.locator(".narrow-field input:focus").count(), 1);
  assert.equal(await page.locator(".turn").count(), 0);
  assert.match(await page.locator("#question").inputValue(), /V-204/);
  await wrong.fill("5-3");
  await page.keyboard.press("Enter");
  assert.match((await page.locator(".turn .notice").textContent()) ?? "", /must be a page or a page range/);
});

test("what is said in a room is narrowed too", { skip }, async () => {
  const { page } = await visit();
  await enter(page, "chats");
  await page.locator(".new-room summary").click();
  await page.getByLabel("Name of the chat").fill("pier");
  await page.keyboard.press("Enter");
  await page.locator(".messages").waitFor({ state: "attached" });
  await openNarrow(page);
  await page.getByRole("combobox", { name: "Document" }).fill("supplier_prices.csv");
  await page.getByRole("combobox", { name: "Document" }).press("Escape");
  await page.locator(".room #question").fill("What is the unit price of part HP2-1225?");
  await page.keyboard.press("Enter");
  await page.locator(".room .verdict").waitFor();
  const sources = await page.locator(".room .source-place > :first-child").allTextContents();
  assert.ok(sources.length > 0 && sources.every((name) => name.includes("supplier_prices.csv")));
});

/** Drops files onto an element, as a hand would. */
async function drop(page: Page, selector: string, files: Readonly<Record<string, string>>): Promise<void> {
  // As text: the compiler knows no browser.
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(Object.entries(files))}) transfer.items.add(new File([text], name));
    return transfer;
  })()`);
  for (const type of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent(selector, type, { dataTransfer });
}

test("files that are dropped are added each with its progress, and beside the place nothing happens", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  await enter(page, "documents");
  const long = `${"báo cáo kiểm tra an toàn cầu trục ".repeat(4).trim()}.md`;
  await drop(page, ".drop", {
    "dry_dock.md": "# Dry dock\n\nThe dry dock is pumped out in eleven hours.\n",
    [long]: "# Cầu trục\n\nCầu trục số bốn nâng được ba mươi hai tấn.\n",
    "empty.md": "",
    "backup.tar.unknown": "\u0000\u0001\u0002 no document \u0003",
  });
  await page.locator(".uploads li", { hasText: "Ready for questions" }).nth(1).waitFor();
  await page.locator(".uploads li[data-failed]", { hasText: "empty.md" }).waitFor();
  const refused = page.locator(".uploads li[data-failed]", { hasText: "backup.tar.unknown" });
  await refused.waitFor();
  assert.match((await refused.textContent()) ?? "", /Failed: .*unsupported format/);
  assert.equal(await page.locator(".uploads li").count(), 4);
  assert.equal(await page.evaluate(wider), false, "a long name is cut, not the page widened");
  const row = page.locator(".uploads li", { hasText: "báo cáo" });
  const [name, state] = [
    await row.locator("strong").boundingBox(),
    await row.getByRole("status").boundingBox(),
  ];
  assert.ok(
    name !== null && state !== null && state.y >= name.y + name.height - 1,
    "what became of it has its own line",
  );
  assert.ok(state.width > 200);
  await drop(page, ".drop", { "dry_dock.md": "# Dry dock\n\nThe dry dock is pumped out in eleven hours.\n" });
  await page.locator(".uploads li", { hasText: "Already added" }).waitFor();
  await drop(page, ".view h1", { "beside.md": "# Beside\n" });
  assert.equal(new URL(page.url()).hash, "#/documents");
  assert.equal(await page.locator(".uploads li").count(), 5);
  await page.getByRole("link", { name: "Ask" }).click();
  await ask(page, "How many hours does it take to pump out the dry dock?");
  assert.match((await page.locator(".turn:last-child .answer-body").textContent()) ?? "", /eleven hours/);
  const rejected = "Failed to load resource: the server responded with a status of 400 (Bad Request)";
  assert.deepEqual(faults, [rejected], "the empty file, and nothing else");
});

test("a view that cannot be shown says why", { skip }, async () => {
  const { page } = await visit();
  await page.goto(`${stage().origin}/#/documents/nothing-of-this-name`);
  assert.match((await page.getByRole("alert").textContent()) ?? "", /nothing-of-this-name/);
});

test("what is said while a room's connection is lost appears when it is back, and nothing typed is lost", {
  skip,
}, async () => {
  const [here, there] = [await visit(), await visit()];
  const line = { up: true, close: () => {} };
  await here.page.routeWebSocket(/\/socket$/, (socket) => {
    if (!line.up) return void socket.close();
    socket.connectToServer();
    line.close = () => void socket.close();
  });
  await enter(here.page, "chats");
  await here.page.locator(".new-room summary").click();
  await here.page.getByLabel("Name of the chat").fill("lock");
  await here.page.getByLabel("Everyone can read it").check();
  await here.page.keyboard.press("Enter");
  await here.page.locator(".messages").waitFor({ state: "attached" });
  await enter(there.page, "chats/lock");
  await there.page.locator(".messages").waitFor({ state: "attached" });
  line.up = false;
  line.close();
  await here.page.locator(".room .notice", { hasText: "Reconnecting" }).waitFor();
  const question = "What is the maximum working pressure of the HP-200S?";
  const box = there.page.locator(".room #question");
  await box.fill(question);
  await there.page.keyboard.press("Enter");
  await there.page.locator(".room .verdict").waitFor();
  await here.page.locator(".room #question").fill("Is anybody there?");
  await here.page.keyboard.press("Enter");
  assert.equal(await here.page.locator(".room #question").inputValue(), "Is anybody there?");
  line.up = true;
  await here.page.locator(".message.from-assistant", { hasText: "25 bar" }).waitFor();
  assert.equal(await here.page.locator(".message.from-user", { hasText: question }).count(), 1);
  await here.page.keyboard.press("Enter");
  await here.page.locator(".message.own", { hasText: "Is anybody there?" }).waitFor();
});

test("what is said before a room is connected is shown, and what is entered is sent, once it is", {
  skip,
}, async () => {
  const [here, there] = [await visit(), await visit()];
  const line = Promise.withResolvers<void>();
  await there.page.routeWebSocket(/\/socket$/, async (socket) => {
    await line.promise;
    socket.connectToServer();
  });
  await enter(here.page, "chats");
  await here.page.locator(".new-room summary").click();
  await here.page.getByLabel("Name of the chat").fill("dock");
  await here.page.keyboard.press("Enter");
  await enter(there.page, "chats/dock");
  await there.page.locator(".room #question").fill("Good evening.");
  await there.page.keyboard.press("Enter");
  await here.page.locator(".room #question").fill("Good morning.");
  await here.page.keyboard.press("Enter");
  await here.page.locator(".message.own", { hasText: "Good morning." }).waitFor();
  line.resolve();
  await there.page.locator(".message", { hasText: "Good morning." }).waitFor();
  await there.page.locator(".message", { hasText: "Good evening." }).waitFor();
  assert.equal(await there.page.locator(".room #question").inputValue(), "");
  assert.deepEqual([...here.faults, ...there.faults], []);
});

test("an uploaded PDF can be asked about, and a second one of its name is compared with it", {
  skip,
}, async () => {
  const { page, faults } = await visit();
  await enter(page, "documents");
  const upload = async (text: string): Promise<void> => {
    await page
      .locator("#files")
      .setInputFiles({ name: "tower_rules.pdf", mimeType: "application/pdf", buffer: await pdfOf(text) });
    await page.locator(".uploads li:last-child", { hasText: /Ready|Failed/ }).waitFor();
    assert.match((await page.locator(".uploads").textContent()) ?? "", /Ready for questions/);
  };
  await upload("The bell tower is inspected every seventeen weeks.");
  await page.getByRole("link", { name: "Ask" }).click();
  await ask(page, "How often is the bell tower inspected?");
  await page.locator(".answer-body .chip").first().click();
  await page
    .locator('.reader .page[data-page-number="2"] .cited-line')
    .first()
    .waitFor({ state: "attached" });
  await enter(page, "documents");
  await upload("The bell tower is inspected every nineteen weeks.");
  await page.locator(".documents a", { hasText: "tower_rules.pdf" }).click();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.locator(".diff").waitFor();
  assert.match((await page.locator(".diff-added").allTextContents()).join(""), /nineteen/);
  assert.match((await page.locator(".diff-removed").allTextContents()).join(""), /seventeen/);
  assert.deepEqual(faults, []);
});

test("whoever may not see a document is told nothing of it", { skip }, async () => {
  const { page, faults } = await visit({ key: ada.key });
  await ask(page, "Where does salary band nine start?");
  assert.doesNotMatch((await page.locator(".turn").textContent()) ?? "", /91 500|salary_bands/);
  assert.equal(await page.getByRole("link", { name: "Access" }).count(), 0);
  await page.goto(`${stage().origin}/#/access`);
  assert.equal(await page.locator(".matrix").count(), 0);
  await enter(page, "documents");
  await page.locator(".documents").waitFor();
  assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /salary_bands|hr_private_docs/);
  assert.deepEqual(faults, []);
  const owner = await visit();
  await ask(owner.page, "Where does salary band nine start?");
  assert.match((await owner.page.locator(".turn").textContent()) ?? "", /91 500/);
});

test("the owner sees why somebody may not read a collection, and changes it", { skip }, async () => {
  const { page } = await visit();
  await enter(page, "access");
  await page.getByRole("button", { name: "ada and finance_private_docs: denied" }).click();
  await page.locator(".why h2").waitFor();
  assert.match((await page.locator(".why").textContent()) ?? "", /default-deny/);
  await page.getByRole("button", { name: "Allow ada" }).click();
  await page.getByRole("button", { name: "ada and finance_private_docs: allowed" }).waitFor();
  await page.getByRole("button", { name: "Remove this rule" }).click();
  await page.getByRole("button", { name: "ada and finance_private_docs: denied" }).waitFor();
});

test("what is said in a room reaches those who are in it", { skip }, async () => {
  const [owner, other] = [await visit(), await visit({ key: ada.key })];
  await enter(owner.page, "chats");
  await owner.page.locator(".new-room summary").click();
  await owner.page.getByLabel("Name of the chat").fill("quay");
  await owner.page.getByLabel("Everyone can read it").check();
  await owner.page.keyboard.press("Enter");
  await owner.page.locator(".messages").waitFor({ state: "attached" });
  await enter(other.page, "chats/quay");
  await other.page.locator(".messages").waitFor({ state: "attached" });
  await owner.page.locator(".room #question").fill("What is the maximum working pressure of the HP-200S?");
  await owner.page.keyboard.press("Enter");
  await owner.page.locator(".room .verdict").waitFor();
  await other.page.locator(".message.from-assistant", { hasText: "25 bar" }).waitFor();
  assert.equal(await other.page.locator(".message.from-user").count(), 1);
  assert.equal(
    await owner.page.locator(".message.from-assistant").count(),
    1,
    "an answer that was seen is not shown again",
  );
  assert.deepEqual([...owner.faults, ...other.faults], []);
});

test("a key that is wrong is refused in words", { skip }, async () => {
  const { browser, origin } = stage();
  const page = await browser.newPage();
  await page.goto(origin);
  await page.getByLabel("Your key").fill("ragctl_wrong");
  await page.keyboard.press("Enter");
  assert.match((await page.getByRole("alert").textContent()) ?? "", /key is not valid/);
});

test("the page speaks Vietnamese to those who want it, and every text has both languages", {
  skip,
}, async () => {
  const { page } = await visit({ locale: "vi-VN" });
  assert.equal(await page.locator("html").getAttribute("lang"), "vi");
  await page.getByRole("link", { name: "Tài liệu" }).click();
  await page.getByRole("heading", { name: "Tài liệu" }).waitFor();
  const [english, vietnamese] = await Promise.all(
    ["en", "vi"].map(async (code) =>
      readFile(new URL(`../../src/server/page/text/${code}.js`, import.meta.url), "utf8"),
    ),
  );
  const keys = (text = "") => [...text.matchAll(/^ {2}"?([\w.-]+)"?:/gm)].map(([, key]) => key).sort();
  assert.deepEqual(keys(vietnamese), keys(english));
});

/** Whether something that should wrap is cut off or scrolls sideways. */
const wider =
  "[document.documentElement, ...document.querySelectorAll('main, .ask-scroll, .view, .reader')].some((element) => element.scrollWidth > element.clientWidth + 1)";

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

const windows = [
  { name: "light", colorScheme: "light" },
  { name: "dark", colorScheme: "dark" },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 800 } },
] as const;

for (const { name, ...options } of windows)
  test(`axe finds nothing serious in any view, and nothing is wider than its window (${name})`, {
    skip,
  }, async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const { page } = await visit(options);
    const found: string[] = [];
    const check = async (view: string): Promise<void> => {
      await page.evaluate(axe);
      const violations: readonly Violation[] = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
      );
      for (const { id, impact, nodes } of violations)
        if (impact === "serious" || impact === "critical")
          found.push(`${view}: ${id} ${nodes[0]?.html.slice(0, 160)}`);
      if (await page.evaluate(wider)) found.push(`${view}: wider than its window`);
    };
    await openNarrow(page);
    await page.getByLabel("Pages or slides").fill("1-20");
    await check("narrow");
    await page.keyboard.press("Escape");
    await ask(page, "What is the maximum working pressure of the HP-200S?");
    await page.locator(".trace summary").first().click();
    await page.locator(".verdict summary").click();
    await check("ask");
    await page.locator(".answer-body .chip").click();
    await page.locator(".cited-line").first().waitFor({ state: "attached" });
    await check("reader");
    for (const view of ["documents", "examine", "chats", "access", "runs", "state"]) {
      await enter(page, view);
      if (view === "access") await page.locator(".cell").nth(9).click();
      await page
        .locator(
          {
            documents: "table",
            examine: ".examine",
            chats: ".new-room",
            access: ".why h2",
            runs: "table",
            state: "section .tag",
          }[view] ?? "main",
        )
        .first()
        .waitFor();
      await check(view);
    }
    await enter(page, "runs");
    await page.locator(".runs a").first().click();
    await page.locator(".phases").waitFor();
    await check("run");
    assert.deepEqual(found, []);
  });

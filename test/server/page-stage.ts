import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, afterEach, before } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { type Home, openHome, skipChain } from "../cli/support.ts";
import { startServing } from "./serving.ts";

const program = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
/** Reason to skip tests of the page, or false. */
export const skip = program === undefined ? "Chromium is not installed: apt-get install chromium" : skipChain;

/** Nothing of the browser's own reaches out, and nothing needs a display. */
const quietly = ["gpu", "quic", "background-networking", "component-update", "sync"].map(
  (name) => `--disable-${name}`,
);

/** A loaded machine starts a browser and loads models slowly, ms. */
const patience = 60_000;

export interface Visit {
  readonly page: Page;
  /** What the page asked for elsewhere, and what it complained about. */
  readonly faults: readonly string[];
}

interface Stage {
  readonly home: Home;
  readonly browser: Browser;
  readonly link: string;
  readonly origin: string;
  end(): Promise<void>;
}

async function openStage(prepare: (home: Home) => Promise<void>): Promise<Stage> {
  const home = await openHome();
  await prepare(home);
  const { child, ended, link } = await startServing(home);
  const browser = await chromium.launch({
    executablePath: program ?? "",
    args: [...quietly, "--no-first-run"],
    timeout: patience,
  });
  return {
    home,
    browser,
    link,
    origin: new URL(link).origin,
    async end() {
      await browser.close();
      child.kill("SIGTERM");
      await ended;
      await home[Symbol.asyncDispose]();
    },
  };
}

async function openVisit(
  { browser, link, origin }: Stage,
  { key, ...options }: { readonly key?: string } & Parameters<Browser["newContext"]>[0],
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    locale: "en-GB",
    ...options,
  });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("request", (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      faults.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // Parsing hostile text makes the browser say that it ran none of it.
    if (message.type() === "error" && !/event handler|status of 40[134]/.test(message.text()))
      faults.push(message.text());
  });
  await page.goto(key === undefined ? link : origin);
  if (key !== undefined) {
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
  }
  await page.getByRole("navigation").waitFor();
  // Whoever was here before had a conversation, which would be shown.
  await page.goto(`${origin}/#/ask/new`);
  await page.locator(".welcome").waitFor();
  return { page, faults };
}

/** A home that `prepare` fills, served for the tests of a file, and a browser. */
export function servedPage(prepare: (home: Home) => Promise<void>) {
  const held: { stage?: Stage } = {};
  const stage = (): Stage => held.stage ?? assert.fail("the stage is not set");
  before(async () => {
    if (skip === false) held.stage = await openStage(prepare);
  });
  // Windows that stay open go on drawing.
  afterEach(() => Promise.all(held.stage?.browser.contexts().map((context) => context.close()) ?? []));
  after(() => held.stage?.end());
  return {
    stage,
    /** A window of its own; the owner signs in by the link, others give a key. */
    visit: (options: Parameters<typeof openVisit>[1] = {}): Promise<Visit> => openVisit(stage(), options),
    async enter(page: Page, view: string): Promise<void> {
      await page.goto(`${stage().origin}/#/${view}`);
      await page.locator(".view h1").first().waitFor();
    },
  };
}

/** Types a question and sends it. */
export async function send(page: Page, question: string): Promise<void> {
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
}

/** Asks, and waits for the judged answer: a page that shows none has failed, in the words that it shows. */
export async function ask(page: Page, question: string): Promise<void> {
  await send(page, question);
  const turn = page.locator(".turn:last-child");
  await turn.locator(".verdict, .notice").first().waitFor();
  assert.deepEqual(await turn.locator(".notice").allTextContents(), []);
}

type Place = Awaited<ReturnType<ReturnType<Page["locator"]>["boundingBox"]>>;

/** Whether one place lies within another, a pixel aside. */
export const lies = (inner: Place, outer: Place): boolean =>
  inner !== null &&
  outer !== null &&
  inner.x >= outer.x - 1 &&
  inner.y >= outer.y - 1 &&
  inner.x + inner.width <= outer.x + outer.width + 1 &&
  inner.y + inner.height <= outer.y + outer.height + 1;

/**
 * Makes the pictures of README.md and of docs/how-to/use-the-page.md in docs/images/ from documents in fixtures/:
 * a text verified in a terminal and an answer on the page, each in light and in dark colours. labels.json keeps
 * the page's texts that they show, for the test that notices when the page changes one.
 *
 *   npm run build && node scripts/docs/images.ts HOME
 *
 * HOME has the models of the profile `light`; nothing is written there. Needs Chromium.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { temporaryHome } from "../bench/support.ts";
import { terminalPicture, themes } from "./terminal.ts";

/** Texts of the page, whose modules are plain JavaScript. */
const { english }: { readonly english: Readonly<Record<string, string>> } = await import(
  new URL("../../src/server/page/text/en.js", import.meta.url).href
);
const question = "What is the tightening torque of the casing cover bolts on the HP-200 pump?";
const text =
  "Up to eight days of annual leave may be carried into the next year. Each parent may take 30 weeks of paid parental leave.";
const [models] = process.argv.slice(2);
const browserPath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
if (models === undefined) throw new Error("usage: node scripts/docs/images.ts HOME");
if (browserPath === undefined) throw new Error("Chromium is not installed: apt-get install chromium");

const root = fileURLToPath(new URL("../../", import.meta.url));
const images = `${root}docs/images/`;
/** The program itself: its launcher would be another process. */
const program = `${root}bin/command.js`;
await using home = await temporaryHome(models);
const env = { ...process.env, RAGCTL_HOME: home.path, NO_COLOR: "1" };
const ragctl = (...args: string[]): string =>
  spawnSync(process.execPath, [program, ...args], { env, encoding: "utf8" }).stdout;

const documents = ["policy_handbook.pdf", "equipment_manual.pdf"].map(
  (name) => `${root}fixtures/documents/${name}`,
);
ragctl("ingest", ...documents, "-c", "handbook");
const verdicts = ragctl("verify", text);
for (const theme of ["light", "dark"] as const)
  writeFileSync(
    `${images}terminal-${theme}.svg`,
    terminalPicture(`ragctl verify "${text}"`, verdicts, themes[theme]),
  );

const labels = new Set<string>();
const server = spawn(process.execPath, [program, "serve", "--port", "0"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
try {
  const link = await new Promise<string>((resolve, reject) => {
    server.stdout.on("data", (text: Buffer) => {
      const [address] = /http\S+/.exec(text.toString()) ?? [];
      if (address !== undefined) resolve(address);
    });
    void ended.then(() => reject(new Error("the server did not start")));
  });
  await using browser = await chromium.launch({ executablePath: browserPath, timeout: 60_000 });
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, locale: "en-GB" });
  page.setDefaultTimeout(600_000);
  await page.goto(link);
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator(".turn:last-child .verdict").first().waitFor();
  await page.locator(".answer-body .chip").first().click();
  await page.locator(".reader .cited-line").first().waitFor({ state: "attached" });
  // How long an answer takes says something about this machine only.
  await page.evaluate('document.querySelector(".trace-clock").remove()');
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await take(page, `page-${theme}`);
  }
  writeFileSync(`${images}labels.json`, `${JSON.stringify([...labels].toSorted(), null, 2)}\n`);
} finally {
  server.kill("SIGTERM");
  await ended;
}

/** Writes a picture of the page, and notes which of the page's own texts it shows. */
async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${images}${name}.png` });
  const shown = new Set((await page.locator("body").innerText()).split("\n").map((line) => line.trim()));
  for (const label of Object.values(english)) if (shown.has(label)) labels.add(label);
}

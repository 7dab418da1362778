import { parentPort } from "node:worker_threads";
import fc from "fast-check";
import { RagctlError } from "../../src/core/errors.ts";
import { type Subject, subjects } from "./subjects.ts";

/** Texts that made a pattern or a loop slow, each repeated to a long run. */
const units = [
  ..." \t\n|,;-.:#>*_~`'\"()[]{}<=!?/\\&$%+^0aA中🙂\u0301\u200b\u00a0\u3000",
  ...[
    " |",
    "\t|\t",
    "| ",
    ", ",
    "- ",
    "> ",
    "# ",
    "1. ",
    "a ",
    "A. ",
    "Mr. ",
    "1,",
    "1.",
    "00,",
    "a-",
    "(a",
    "[a](",
    "![",
    "<a ",
    "</a",
    "<!--",
    "&#",
    "&a;",
  ],
  ...[
    "<!DOCTYPE [",
    "]>",
    "```",
    "\\'",
    "''",
    "[1]",
    " [1]",
    "\n\n",
    " \n",
    "\r\n",
    "x\n",
    "1 of ",
    "in ",
    "there is ",
    "and ",
    "for a ",
    "was ",
    "ignore all ",
    "when ask ",
    "answer ",
    "có ",
    "không ",
  ],
];

/** Length of the longest text, in characters; the growth is told from a quarter of it to it. */
const longest = { document: 60_000, passage: 16_000, part: 6_000 };
/** A linear subject takes four times as long for four times the text, a quadratic one sixteen times. */
const most = 9;
/** Times below this, in milliseconds of this thread's processor, tell nothing. */
const leastMs = 25;

/**
 * The same texts every time: a change must not fail for what another change's texts would have found.
 * RAGCTL_TEST_SEED tries others.
 */
const seed = Number(process.env["RAGCTL_TEST_SEED"] ?? 20_261_121);

const edge = fc.constantFrom("", "a", "1", " ", "x: ", "a\n", "|", "(", "\n\nEnd.");
const texts = fc.record({
  unit: fc.constantFrom(...units),
  second: fc.constantFrom("", "", "", ...units),
  head: edge,
  tail: edge,
});
const examples = units.map((unit): [{ unit: string; second: string; head: string; tail: string }] => [
  { unit, second: "", head: "a", tail: "b" },
]);

async function costMs(run: Subject["run"], text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await run(text);
  } catch (error) {
    // A text may be refused, but it must not break anything.
    if (!(error instanceof RagctlError)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** "" where the time of a subject grows with the text, else a counterexample. */
async function counterexample({ run, size }: Subject): Promise<string> {
  const length = longest[size];
  const grown = fc.asyncProperty(texts, async ({ unit, second, head, tail }) => {
    const of = (characters: number) =>
      head + (unit + second).repeat(Math.ceil(characters / (unit + second).length)) + tail;
    let last = "";
    // What collects garbage may fall on either text: what grows too fast does so each time.
    for (let tries = 0; tries < 3; tries += 1) {
      const long = await costMs(run, of(length));
      if (long < leastMs * most) return;
      const short = await costMs(run, of(length / 4));
      if (long <= most * Math.max(short, leastMs)) return;
      last = `${length} characters take ${Math.round(long)} ms, a quarter of them ${Math.round(short)} ms`;
    }
    throw new Error(last);
  });
  await costMs(run, "warm");
  const numRuns = examples.length + 20;
  const outcome = await fc.check(grown, { examples, numRuns, endOnFailure: true, seed });
  return outcome.failed ? (fc.defaultReportMessage(outcome) ?? "failed") : "";
}

parentPort?.on("message", async (name: string) => {
  const subject = subjects[name];
  if (subject === undefined) throw new Error(`there is no subject ${name}`);
  parentPort?.postMessage(await counterexample(subject));
});

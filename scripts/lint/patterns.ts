// Checks that every regular expression in src/ takes linear time: node scripts/lint/patterns.ts [--list] With
// --list all of them are printed with their verdicts, otherwise only those that fail. Exit status 1 when one
// does.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { exceptions, standIns } from "./pattern-exceptions.ts";
import { type Pattern, patternsIn } from "./pattern-list.ts";

/**
 * Time for one pattern, milliseconds; generous, because a verdict must not depend on what else the machine
 * does.
 */
const patternMs = 120_000;

const linear = "linear";

const root = fileURLToPath(new URL("../..", import.meta.url));
const exceptionOf = ({ file, source }: Pattern) =>
  exceptions.find((one) => one.file === file && source.startsWith(one.start));
const keyOf = ({ source, flags }: Pattern): string => `/${source}/${flags}`;

const patterns = patternsIn(root, standIns);
const queue = [
  ...new Map(
    patterns.filter((one) => exceptionOf(one) === undefined).map((one) => [keyOf(one), one]),
  ).values(),
];
const verdicts = new Map<string, string>();
await Promise.all(Array.from({ length: availableParallelism() }, work));
process.exitCode = report() ? 0 : 1;

async function work(): Promise<void> {
  for (let pattern = queue.shift(); pattern !== undefined; pattern = queue.shift())
    verdicts.set(keyOf(pattern), await verdictOf(pattern));
}

/**
 * `linear`, else how it grows and a text that shows it. The limits count steps, not time: the same verdict on
 * every machine.
 */
async function verdictOf({ source, flags }: Pattern): Promise<string> {
  const steps = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null };
  const found = await check(source, flags, { timeout: patternMs, ...steps });
  if (found.status === "safe") return linear;
  if (found.status === "unknown") return `not decided: ${found.error.kind}`;
  return `${found.complexity.summary}, e.g. ${found.attack.pattern.slice(0, 200)}`;
}

/** Prints what is wrong, or with --list everything; whether nothing is wrong. */
function report(): boolean {
  const lines = patterns.map((pattern) => {
    const reason = exceptionOf(pattern)?.reason;
    const verdict = reason === undefined ? (verdicts.get(keyOf(pattern)) ?? "") : `excepted: ${reason}`;
    return {
      wrong: reason === undefined && verdict !== linear,
      text: `${pattern.file}:${pattern.line}  ${keyOf(pattern)}\n    ${verdict}\n`,
    };
  });
  const wrong = lines.filter((line) => line.wrong);
  const stale = exceptions.filter((one) => !patterns.some((pattern) => exceptionOf(pattern) === one));
  for (const { text } of process.argv.includes("--list") ? lines : wrong) process.stdout.write(text);
  for (const { file, start } of stale)
    process.stdout.write(`${file}  no pattern begins with ${start}: remove its exception\n`);
  const excepted = patterns.filter((one) => exceptionOf(one) !== undefined).length;
  process.stderr.write(
    `${patterns.length} regular expressions, ${wrong.length} not linear, ${excepted} excepted\n`,
  );
  return wrong.length === 0 && stale.length === 0;
}

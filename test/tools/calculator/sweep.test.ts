import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { evaluate, functions } from "../../../src/tools/calculator/evaluate.ts";

const extremes =
  "0 -1 1/3 2.5 300 301 1e8 -1e9 1e299 1e-299 (1e299+1/3) 123456789012345678901234567890 (1+1e-60) pi NaN -Infinity i".split(
    " ",
  );
const operators = ["+", "-", "*", "/", "^", "%", "to"];

/**
 * How each expression ended, by a number or a code; one that does not end within a minute is named. Ended
 * from outside, as nothing else can.
 */
async function outcomes(expressions: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const worker = new Worker(new URL("./sweep-worker.ts", import.meta.url), { workerData: expressions });
  let current = "";
  let deadline: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: { begun: string } | { ended: string }) => {
        clearTimeout(deadline);
        if ("ended" in message) return void found.set(current, message.ended);
        current = message.begun;
        deadline = setTimeout(() => reject(new Error(`${current} does not end`)), 60_000);
      });
      worker.on("error", reject);
      worker.on("exit", () => resolve());
    });
  } finally {
    clearTimeout(deadline);
    await worker.terminate();
  }
  return found;
}

test("every function and operation ends on extreme arguments, with a number or an error of the calculator", async () => {
  const calls = functions.flatMap((name) =>
    extremes.flatMap((one) => [
      `${name}(${one})`,
      ...extremes.map((two) => `${name}(${one}, ${two})`),
      `${name}(2.5 cm, ${one}, cm)`,
    ]),
  );
  const steps = operators.flatMap((sign) =>
    extremes.flatMap((one) => extremes.map((two) => `${one} ${sign} ${two}`)),
  );
  const expressions = [...calls, ...steps, ...extremes.map((one) => `(${one})!`)];
  const found = await outcomes(expressions);
  assert.equal(found.size, new Set(expressions).size);
  const strange = [...found].filter(
    ([, outcome]) => !/^(TOOL_INVALID|TOOL_REFUSED|-?[\d.]+(e[+-]\d+)?)$/.test(outcome),
  );
  assert.deepEqual(strange, []);
});

test("decimal places are a whole number from 0 to 300, for fractions as for decimals", () => {
  assert.equal(evaluate("round(2/3, 2)").value, "0.67");
  assert.equal(evaluate("floor(2/3, 2)").value, "0.66");
  assert.equal(evaluate("round(sqrt(2), 3)").value, "1.414");
  assert.equal(evaluate("ceil(sqrt(2), 2)").value, "1.42");
  for (const places of ["301", "1e8", "-1", "-1e8", "0.5", "1/3"])
    for (const name of ["round", "ceil", "floor"])
      assert.throws(
        () => evaluate(`${name}(1/3, ${places})`),
        { code: /TOOL_INVALID|TOOL_REFUSED/ },
        `${name} ${places}`,
      );
});

test("what is no number has no value, and is refused as such", () => {
  for (const expression of ["NaN", "Infinity", "-Infinity", "2 + NaN", "max(1, Infinity)"])
    assert.throws(() => evaluate(expression), { code: "TOOL_INVALID", message: /no number/ }, expression);
});

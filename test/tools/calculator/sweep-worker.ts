// Evaluates expressions one by one, so that whoever started this can tell which one does not end.
import { parentPort, workerData } from "node:worker_threads";
import { RagctlError } from "../../../src/core/errors.ts";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";

const outcome = (expression: string): string => {
  try {
    return evaluate(expression).number;
  } catch (error) {
    return error instanceof RagctlError ? error.code : `not ours: ${String(error)}`;
  }
};

for (const expression of workerData as readonly string[]) {
  parentPort?.postMessage({ begun: expression });
  parentPort?.postMessage({ ended: outcome(expression) });
}

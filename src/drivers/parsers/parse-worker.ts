import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { unreadable } from "./blocks.ts";
import type { ParseNotice, ParseReply, ParseRequest, ParseWorkerData } from "./messages.ts";
import type { ParserOptions } from "./ocr.ts";
import { openOcrPool } from "./ocr-pool.ts";
import { readBytes } from "./read-bytes.ts";
import { loadParser } from "./table.ts";

const { lowPriority } = workerData as ParseWorkerData; // given by the pool
// Linux keeps a nice value for each thread; elsewhere it is the process's, and the interface and the store would wait too.
if (lowPriority && process.platform === "linux") setPriority(10);

/** Bytes of this thread's heap and of the buffers it holds. */
function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const ocrPool = openOcrPool((ocrRunning) => parentPort?.postMessage({ ocrRunning } satisfies ParseNotice));

async function answer({ file, maxBytes, ocr }: ParseRequest): Promise<ParseReply> {
  try {
    const bytes = await readBytes(file, maxBytes);
    const options: ParserOptions = ocr === undefined ? {} : await ocrPool(ocr);
    const parser = await loadParser(file.format, options);
    const content = await parser.parse(bytes, { name: file.name });
    return { ok: true, content, method: parser.id, heldBytes: heldBytes() };
  } catch (thrown) {
    const memory = thrown instanceof RangeError && /allocation failed|invalid (array|string|typed array) length/i.test(thrown.message);
    const error =
      thrown instanceof RagctlError || memory ? asRagctlError(thrown) : unreadable(file.name, `a ${file.format} document`, thrown);
    return { ok: false, code: error.code, message: error.message, hint: error.hint, memory, heldBytes: heldBytes() };
  }
}

parentPort?.on("message", async (request: ParseRequest) => {
  parentPort?.postMessage(await answer(request));
});

import { openLlama } from "../../../src/drivers/runtime/llama.ts";

/** Prints how many threads the model of the given path would compute with where none are asked for. */
await using session = await openLlama({
  modelPath: process.argv[2] ?? "",
  contextTokens: 512,
  gpu: false,
  threads: 0,
});
process.stdout.write(String(session.sequence.context.idealThreads));

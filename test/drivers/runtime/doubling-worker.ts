import { serveThread } from "../../../src/drivers/runtime/serve-thread.ts";

/** A model that doubles numbers, and whose thread dies of a negative one. */
await serveThread(async () => ({
  facts: { provider: "cpu" },
  run: async (input: number) => {
    if (input < 0) process.exit(7);
    return input * 2;
  },
  memoryOf: () => [],
  async [Symbol.asyncDispose]() {},
}));

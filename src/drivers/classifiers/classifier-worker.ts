import { serveThread } from "../runtime/serve-thread.ts";
import type { EncodedPair } from "../runtime/tokenizer.ts";
import { type Classifier, type ClassifierSettings, openClassifier } from "./classifier.ts";

await serveThread<ClassifierSettings, Classifier["facts"], readonly EncodedPair[], readonly Float32Array[]>(
  async (settings) => {
    const classifier = await openClassifier(settings);
    return {
      facts: classifier.facts,
      run: (pairs) => classifier.classify(pairs),
      memoryOf: () => [],
      [Symbol.asyncDispose]: () => classifier[Symbol.asyncDispose](),
    };
  },
);

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Generated, LanguageModel } from "../../src/core/answers/answer.ts";
import type { Hit } from "../../src/core/retrieval.ts";
import { z } from "../../src/core/schema.ts";
import type { Models } from "../../src/models/models.ts";

/**
 * Answers of a model by key, kept in a file, so that judging can be measured again without generating again.
 */
export interface Recorder extends AsyncDisposable {
  /** The model for one case: says again what it said under this key, and generates what it never said. */
  model(key: string): Promise<LanguageModel | null>;
  /** Whether the file holds what the model said under this key. */
  knows(key: string): boolean;
  /** What a search found for one case, likewise. */
  found(key: string, search: () => Promise<Found>): Promise<Found>;
}

/** Hits of one question, with the best cosine where the search tells it. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly cosine?: number;
}

const recording = z.object({
  said: z.record(z.string(), z.string()),
  found: z.record(z.string(), z.custom<Found>()),
});

/**
 * Opens the model on first need; the name `none` gives null. One thread is faster than two on a machine that
 * does other work.
 */
export function openRecorder(
  models: () => Promise<Models>,
  name: string,
  path: string | undefined,
  threads: number,
): Recorder {
  const before =
    path !== undefined && existsSync(path)
      ? recording.parse(JSON.parse(readFileSync(path, "utf8")))
      : { said: {}, found: {} };
  const said = new Map<string, string>(Object.entries(before.said));
  const finds = new Map<string, Found>(Object.entries(before.found));
  const save = (): void => {
    if (path !== undefined)
      writeFileSync(
        path,
        JSON.stringify({ said: Object.fromEntries(said), found: Object.fromEntries(finds) }),
      );
  };
  const opened: Promise<LanguageModel>[] = [];
  const real = (): Promise<LanguageModel> => {
    if (opened.length === 0) opened.push(open());
    return opened[0] ?? open();
  };
  const open = async (): Promise<LanguageModel> => {
    const all = await models();
    const entry = all.entry(name);
    if (entry.task !== "generate") throw new Error(`${name} is a model for ${entry.task}`);
    const weights = entry.files.find((file) => file.name.endsWith(".gguf"));
    const { default: openLlama } = await import("../../src/drivers/llms/llama.ts");
    return openLlama({
      id: name,
      modelPath: await all.path(name, weights?.name),
      contextTokens: 4096,
      gpu: false,
      threads,
    });
  };
  const count = (text: string): number => Math.ceil(text.length / 4);
  const end: Generated = {
    type: "generation-end",
    reason: "stop",
    promptTokens: 0,
    reusedTokens: 0,
    outputTokens: 0,
    prefillMs: 0,
    decodeMs: 0,
  };
  return {
    async model(key) {
      if (name === "none") return null;
      return {
        id: name,
        contextTokens: 4096,
        provider: "recorded",
        count,
        async *generate(messages, options, signal) {
          const known = said.get(key);
          if (known !== undefined) {
            yield { type: "text-delta", text: known };
            yield end;
            return;
          }
          const model = await real();
          let text = "";
          for await (const event of model.generate(messages, options, signal)) {
            if (event.type === "text-delta") text += event.text;
            yield event;
          }
          said.set(key, text);
          save();
        },
        async [Symbol.asyncDispose]() {},
      };
    },
    knows: (key) => said.has(key),
    async found(key, search) {
      const known = finds.get(key);
      if (known !== undefined) return known;
      const { hits, cosine } = await search();
      const kept = cosine === undefined ? { hits } : { hits, cosine };
      finds.set(key, kept);
      save();
      return kept;
    },
    async [Symbol.asyncDispose]() {
      for (const model of opened) await (await model)[Symbol.asyncDispose]();
    },
  };
}

/** Every nth of a list, so that about `limit` of it are left, spread evenly. */
export function spread<T>(items: readonly T[], limit: number): T[] {
  if (limit >= items.length) return [...items];
  return Array.from(
    { length: limit },
    (_, index) => items[Math.floor((index * items.length) / limit)],
  ).flatMap((item) => item ?? []);
}

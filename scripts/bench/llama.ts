/**
 * What settings of llama.cpp are worth for an answer: tokens a second of reading its prompt and of writing,
 * each as a ratio to the default in turns with it.
 * Usage: node scripts/bench/llama.ts <model.gguf> <prompts.jsonl> [prompts = 6] [output tokens = 64] [names]
 * prompts.jsonl: {"messages":[{"role","text"}]} a line.
 * names: some of the settings below, separated by commas; the first is what the others are held against.
 */
import { readFileSync } from "node:fs";
import {
  InputLookupTokenPredictor,
  type LlamaContextOptions,
  resolveChatWrapper,
  type Token,
} from "node-llama-cpp";
import { z } from "../../src/core/schema.ts";
import { parseLines } from "../eval/questions.ts";
import { startLlama } from "../eval/tokens.ts";
import { median } from "./support.ts";

const [modelPath, promptsPath, promptCount = "6", outputTokens = "64", names = ""] = process.argv.slice(2);
if (modelPath === undefined || promptsPath === undefined) {
  process.stderr.write(
    "usage: node scripts/bench/llama.ts <model.gguf> <prompts.jsonl> [prompts] [tokens] [names]\n",
  );
  process.exit(2);
}

interface Setting {
  readonly context?: LlamaContextOptions;
  /** Tokens guessed at once from what the prompt says after the same words; none without it. */
  readonly lookup?: number;
}

const settings: Readonly<Record<string, Setting>> = {
  default: {},
  "no flash attention": { context: { flashAttention: false } },
  "batch 128": { context: { batchSize: 128 } },
  "batch 1024": { context: { batchSize: 1024 } },
  "one thread": { context: { threads: 1 } },
  "lookup of 3": { lookup: 3 },
  "lookup of 5": { lookup: 5 },
};
const used = names === "" ? Object.keys(settings) : names.split(",");

const message = z.object({ role: z.enum(["system", "user"]), text: z.string() });
const all = parseLines(readFileSync(promptsPath, "utf8"), z.object({ messages: z.array(message) }));
const prompts = all.filter((_, at) => at % Math.ceil(all.length / Number(promptCount)) === 0);

const llama = await startLlama();
const model = await llama.loadModel({ modelPath });
const wrapper = resolveChatWrapper(model);

interface Speed {
  /** Tokens a second. */
  readonly prefill: number;
  readonly decode: number;
  readonly tokens: number;
  readonly text: string;
}

async function measure(tokens: Token[], { context: options = {}, lookup }: Setting): Promise<Speed> {
  const context = await model.createContext({ contextSize: 4096, threads: 2, ...options });
  const tokenPredictor =
    lookup === undefined
      ? undefined
      : new InputLookupTokenPredictor({ patternLength: { min: 2 }, predictionLength: { max: lookup } });
  const sequence = context.getSequence(tokenPredictor === undefined ? {} : { tokenPredictor });
  tokenPredictor?.updateInputTokens(tokens);
  const written: Token[] = [];
  const started = performance.now();
  let first = started;
  for await (const token of sequence.evaluate(tokens, { temperature: 0 })) {
    if (written.length === 0) first = performance.now();
    written.push(token);
    if (written.length >= Number(outputTokens)) break;
  }
  const ended = performance.now();
  await context.dispose();
  return {
    prefill: (tokens.length / (first - started)) * 1000,
    decode: ((written.length - 1) / (ended - first)) * 1000,
    tokens: tokens.length,
    text: model.detokenize(written),
  };
}

const speeds = new Map<string, Speed[]>(used.map((name) => [name, []]));
for (const { messages } of prompts) {
  const chatHistory = [
    ...messages.map(({ role, text }) => ({ type: role, text })),
    { type: "model" as const, response: [] },
  ];
  const tokens = wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
  for (const name of used) speeds.get(name)?.push(await measure(tokens, settings[name] ?? {}));
}

const base = speeds.get(used[0] ?? "") ?? [];
process.stdout.write(
  `${prompts.length} prompts of ${median(base.map(({ tokens }) => tokens))} tokens (median)\nsetting             prefill tok/s  ratio  decode tok/s  ratio  same text\n`,
);
for (const [name, own] of speeds) {
  const ratio = (of: "prefill" | "decode"): string =>
    median(own.map((speed, at) => speed[of] / (base[at]?.[of] ?? Number.NaN))).toFixed(2);
  const same = own.filter(({ text }, at) => text === base[at]?.text).length;
  process.stdout.write(
    `${name.padEnd(18)}  ${median(own.map(({ prefill }) => prefill))
      .toFixed(1)
      .padStart(13)}  ${ratio("prefill").padStart(5)}  ${median(own.map(({ decode }) => decode))
      .toFixed(1)
      .padStart(12)}  ${ratio("decode").padStart(5)}  ${same}\n`,
  );
}

// Measures the choice of a tool, none included, on BFCL: among several functions, one function, or functions
// that do not fit.
//   node scripts/eval/tools.ts FOLDER --embedder FOLDER [--model FILE.gguf] [--limit N] [--sweep]
// FOLDER holds BFCL_v4_{multiple,simple_python,irrelevance}.json and possible_answer/. --embedder: a folder
// with model.onnx and tokenizer.json. Without --model: the nearest function by similarity when it reaches a
// threshold; --sweep prints every threshold.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "../../src/core/schema.ts";
import openEmbedder from "../../src/drivers/embedders/onnx.ts";
import { chooseTool } from "../../src/tools/choose.ts";
import { type SelectableTool, scoreTools } from "../../src/tools/select.ts";
import { shareOf } from "./shares.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: "string", default: "" },
    model: { type: "string" },
    limit: { type: "string", default: "1000000" },
    sweep: { type: "boolean", default: false },
  },
});
const folder = positionals[0] ?? "";
const lines = (name: string): unknown[] =>
  readFileSync(join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
const json = z.record(z.string(), z.unknown());
const example = z.object({
  id: z.string(),
  question: z.array(z.array(z.object({ role: z.string(), content: z.string() }))),
  function: z.array(z.object({ name: z.string(), description: z.string(), parameters: json })),
});
const types: Readonly<Record<string, string>> = {
  dict: "object",
  float: "number",
  tuple: "array",
  any: "string",
};
/** BFCL's types as JSON Schema's. */
const schemaOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(schemaOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "type" && typeof part === "string" ? (types[part] ?? part) : schemaOf(part),
    ]),
  );
};
const toolOf = ({
  name,
  description,
  parameters,
}: z.infer<typeof example>["function"][number]): SelectableTool => ({
  name,
  type: "generic",
  config: {},
  permissions: {},
  priority: 0,
  description: `${name.replaceAll(/[._]/g, " ")}: ${description}`,
  examples: [],
  parameters: json.parse(schemaOf(parameters)),
});

const embedder = await openEmbedder({
  id: "bge-small-en-v1.5-int8",
  architecture: "bert",
  precision: "int8",
  dimensions: 384,
  maxTokens: 512,
  pooling: "cls",
  queryPrefix: "Represent this sentence for searching relevant passages: ",
  passagePrefix: "",
  modelPath: join(values.embedder, "model.onnx"),
  tokenizerPath: join(values.embedder, "tokenizer.json"),
  modelSha256: "unpinned",
  device: "cpu",
  threads: 2,
});
const { signal } = new AbortController();
const embed = async (texts: readonly string[], purpose: "query" | "passage") =>
  (await embedder.embed(texts, { purpose }, signal)).map(({ dense }) => dense);
const model =
  values.model === undefined
    ? null
    : await (await import("../../src/drivers/llms/llama.ts")).default({
        id: "model",
        modelPath: values.model,
        contextTokens: 4096,
        gpu: false,
        threads: 0,
      });

const sets = {
  multiple: "BFCL_v4_multiple.json",
  simple: "BFCL_v4_simple_python.json",
  irrelevance: "BFCL_v4_irrelevance.json",
} as const;
const expected = new Map<string, Record<string, Record<string, unknown[]>>>();
for (const name of [sets.multiple, sets.simple]) {
  for (const line of lines(join("possible_answer", name))) {
    const { id, ground_truth } = z
      .object({
        id: z.string(),
        ground_truth: z.array(z.record(z.string(), z.record(z.string(), z.array(z.unknown())))),
      })
      .parse(line);
    const [truth] = ground_truth;
    if (truth !== undefined) expected.set(id, truth);
  }
}
interface Seen {
  readonly set: keyof typeof sets;
  readonly wanted: string;
  readonly best: string;
  readonly score: number;
  readonly chosen: string;
  readonly argumentsRight: boolean;
  readonly ms: number;
}
const seen: Seen[] = [];
for (const [set, name] of Object.entries(sets) as [keyof typeof sets, string][]) {
  const all = lines(name).map((line) => example.parse(line));
  const step = Math.max(1, Math.floor(all.length / Number(values.limit)));
  for (const item of all.filter((_, index) => index % step === 0).slice(0, Number(values.limit))) {
    const question = item.question[0]?.find(({ role }) => role === "user")?.content ?? "";
    const tools = item.function.map(toolOf);
    const truth = expected.get(item.id);
    const wanted = truth === undefined ? "none" : (Object.keys(truth)[0] ?? "none");
    const started = performance.now();
    const scored = await scoreTools(question, tools, { embed });
    const picked = model === null ? null : await chooseTool(question, tools, [], model, signal);
    const accepted = truth?.[wanted] ?? {};
    const fits = (value: unknown, options: readonly unknown[]): boolean =>
      options.some(
        (option) => JSON.stringify(option)?.toLowerCase() === JSON.stringify(value)?.toLowerCase(),
      );
    const given = picked?.arguments ?? {};
    const argumentsRight =
      picked?.tool === wanted &&
      Object.entries(accepted).every(([key, options]) =>
        key in given ? fits(given[key], options) : options.includes(""),
      ) &&
      Object.keys(given).every((key) => key in accepted);
    seen.push({
      set,
      wanted,
      best: scored[0]?.tool.name ?? "",
      score: scored[0]?.score ?? 0,
      chosen: picked?.tool ?? "none",
      argumentsRight,
      ms: performance.now() - started,
    });
  }
}
const print = (label: string, choice: (entry: Seen) => string): void => {
  const cells = Object.keys(sets).map(
    (set) =>
      `${set} ${shareOf(
        seen.filter((entry) => entry.set === set),
        (entry) => choice(entry) === entry.wanted,
      )}`,
  );
  process.stdout.write(
    `${label.padEnd(26)} ${cells.join("  ")}  all ${shareOf(seen, (entry) => choice(entry) === entry.wanted)}\n`,
  );
};
process.stdout.write(
  `n ${Object.keys(sets)
    .map((set) => `${set} ${seen.filter((entry) => entry.set === set).length}`)
    .join(", ")}\n`,
);
const cuts = values.sweep ? [0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85] : [0.55, 0.74];
for (const cut of cuts) print(`similarity ≥ ${cut}`, ({ best, score }) => (score >= cut ? best : "none"));
if (model !== null) {
  print("model", ({ chosen }) => chosen);
  for (const cut of cuts)
    print(`model, similarity ≥ ${cut}`, ({ chosen, score }) => (score >= cut ? chosen : "none"));
  const answered = seen.filter(({ wanted }) => wanted !== "none");
  process.stdout.write(
    `model, arguments right too ${shareOf(answered, ({ argumentsRight }) => argumentsRight)} of ${answered.length}\n`,
  );
}
const times = seen.map(({ ms }) => ms).toSorted((a, b) => a - b);
process.stdout.write(`time p50 ${(times[times.length >> 1] ?? 0).toFixed(0)} ms\n`);
await model?.[Symbol.asyncDispose]();
await embedder[Symbol.asyncDispose]();

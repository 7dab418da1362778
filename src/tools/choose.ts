import type { LanguageModel } from "../core/answers/answer.ts";
import type { JsonObject } from "../core/json.ts";
import { z } from "../core/schema.ts";
import { choiceGrammar, choiceSchema } from "./grammar.ts";

/** A tool as described to the model. */
export interface Choosable {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface ChosenTool {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const maxTokens = 160;
const written = z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });
const property = z.object({
  type: z.unknown(),
  description: z.string().catch(""),
  enum: z.array(z.unknown()).optional().catch(undefined),
});

function argumentsText(parameters: JsonObject): string {
  const branches = z.array(z.record(z.string(), z.unknown())).catch([]).parse(parameters["oneOf"]);
  if (branches.length > 0) return branches.map(argumentsText).join(" or ");
  const properties = z.record(z.string(), z.unknown()).catch({}).parse(parameters["properties"]);
  const texts = Object.entries(properties).map(([name, value]) => {
    const { type, description, enum: values } = property.catch({ type: "", description: "" }).parse(value);
    return `${name} (${values === undefined ? String(type) : values.join("|")}${description === "" ? "" : `: ${description.slice(0, 100)}`})`;
  });
  return texts.join(", ");
}

/**
 * Asks the model which tool answers the question, under a grammar that allows one of the given tools, with
 * arguments matching its schema, or none. Null for none, and for a reply in another format, which a model
 * without grammars may give.
 */
export async function chooseTool(
  question: string,
  tools: readonly Choosable[],
  history: readonly string[],
  model: LanguageModel,
  signal: AbortSignal,
): Promise<ChosenTool | null> {
  const list = tools
    .map(
      ({ name, description, parameters }) =>
        `- ${name}: ${description.slice(0, 300)} Arguments: ${argumentsText(parameters) || "none"}`,
    )
    .join("\n");
  const messages = [
    {
      role: "system" as const,
      text: `You choose a tool for a question. Answer with {"tool": name, "arguments": {...}} when one of the tools does exactly what is asked, with values of the question as arguments. When no tool fits the question, answer {"tool": "none"}.\n\nTools:\n${list}`,
    },
    {
      role: "user" as const,
      text: [
        ...history.slice(-2).map((turn) => `Before: ${turn.slice(0, 300)}`),
        `Question: ${question.slice(0, 2000)}`,
      ].join("\n"),
    },
  ];
  let text = "";
  for await (const event of model.generate(
    messages,
    { temperature: 0, maxTokens, grammar: choiceGrammar(tools), schema: choiceSchema(tools) },
    signal,
  )) {
    if (event.type === "text-delta") text += event.text;
  }
  return read(text, tools);
}

function read(text: string, tools: readonly Choosable[]): ChosenTool | null {
  try {
    const choice = written.parse(JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
    return tools.some(({ name }) => name === choice.tool) ? choice : null;
  } catch {
    // Truncated or malformed: nothing that can be called.
    return null;
  }
}

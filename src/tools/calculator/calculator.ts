import type { Tool } from "../../core/answers/tool.ts";
import { RagctlError } from "../../core/errors.ts";
import { toolConfigs } from "../../core/tool-config.ts";
import { readConfig } from "../config.ts";
import type { ToolRow } from "../drivers.ts";
import { arithmeticIn } from "./arithmetic.ts";
import { evaluate } from "./evaluate.ts";
import { groupThousands, plainNumbers } from "./numbers.ts";

/** Computes arithmetic with exact decimals, percentages and units. */
export default async function open(row: ToolRow): Promise<Tool> {
  const settings = readConfig(row, toolConfigs.calculator);
  return {
    type: "calculator",
    description:
      settings.description ??
      "Calculates a mathematical expression from numbers: sums, differences, products, quotients, powers, roots, percentages, averages and conversions between units of measurement.",
    examples: settings.examples ?? [
      "What is 17.5% of 2,340?",
      "What do 3 pumps at 4,250 each and 2 valves at 310 cost together?",
      "Convert 125 Nm to lbf ft",
      "How much is 12 times 37 minus 15?",
      "What is the average of 12, 15 and 21?",
    ],
    parameters: {
      type: "object",
      properties: {
        expression: {
          type: "string",
          maxLength: 500,
          description: "arithmetic with numbers and + - * / ^ % ( ) only, e.g. 3 * 4250 + 2 * 310",
        },
      },
      required: ["expression"],
      additionalProperties: false,
    },
    async call(call) {
      const { expression } = call.arguments;
      if (typeof expression !== "string") {
        throw new RagctlError("TOOL_INVALID", `the calculator needs the argument "expression" as text`, {
          hint: 'for example {"expression": "12 * 3"}',
        });
      }
      const plain = arithmeticIn(expression) ?? plainNumbers(expression) ?? expression;
      const result = evaluate(plain, settings.precision_digits);
      const equals = result.exact ? "=" : "≈";
      const shown = `${groupThousands(result.number)}${result.unit === "" ? "" : ` ${result.unit}`}`;
      const text = `${plain} ${equals} ${shown}`;
      return {
        message: text,
        findings: [{ text, source: "Calculator", section: plain, contentType: "paragraph" }],
        data: {
          expression: plain,
          value: result.value,
          number: result.number,
          unit: result.unit,
          exact: result.exact,
        },
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}

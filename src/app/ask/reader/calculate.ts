import { findingChunk } from "../../../core/answers/tool.ts";
import { z } from "../../../core/schema.ts";
import { type ReaderTool, readerTool } from "../../../pipeline/answer/tools/tool.ts";
import { evaluate } from "../../../tools/calculator/evaluate.ts";
import { groupThousands, plainNumbers } from "../../../tools/calculator/numbers.ts";

const input = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(500)
    .describe(
      "Arithmetic such as (96 - 37.5) / 37.5 * 100, with units if needed: 4 bar to psi; or ISO dates: 2021-04-12 - 10 days; 2021-04-12 - 2021-02-01 gives days.",
    ),
});

/** The value of an expression, and the expression as it was computed. @throws TOOL_INVALID, TOOL_REFUSED */
function computed(expression: string, precision: number) {
  const plain = plainNumbers(expression) ?? expression;
  const { number, unit, exact } = evaluate(plain, precision);
  const value = `${groupThousands(number)}${unit === "" ? "" : ` ${unit}`}`;
  return { plain, equals: exact ? "=" : "≈", value };
}

/** Significant digits of a result. */
const precision = 12;

/** The value of an expression; null if it has none. */
export function resultOf(expression: string): string | null {
  try {
    return computed(expression, precision).value;
  } catch {
    return null;
  }
}

/** The tool that calculates exactly. */
export function calculateTool(): ReaderTool {
  let ordinal = 0;
  return readerTool(
    "calculate",
    "Calculate an arithmetic expression exactly.",
    input,
    async ({ expression }) => {
      const { plain, equals, value } = computed(expression, precision);
      const text = `${plain} ${equals} ${value}`;
      const finding = { text, source: "Calculator", section: plain, contentType: "paragraph" } as const;
      const chunk = findingChunk(finding, "calculator", 100 + ordinal++);
      return { decided: `calculating ${text}`, hits: [{ chunk, score: 1, via: "fused" }] };
    },
  );
}

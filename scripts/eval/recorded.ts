// Labelled drafts for `scripts/eval/check.ts --drafts` from prompts that an endpoint recorded, and from what somebody wrote on
// them: so the check is measured on readers that are not on this machine.
//   node scripts/eval/recorded.ts PROMPTS.jsonl DRAFTS.jsonl [--reader small|able] > labelled.jsonl
// PROMPTS: {"question", "messages": [{"role", "content"}]}, as an endpoint of OpenAI's form is asked; the first of a
// question counts. DRAFTS: {"question", "draft", "right", "fault"}.
import { parseArgs } from "node:util";
import { z } from "zod";
import { readLines } from "./questions.ts";

const recorded = z.object({
  question: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
});
const written = z.object({
  question: z.string(),
  draft: z.string(),
  right: z.boolean(),
  fault: z.string().default(""),
});

/** The passages of a prompt, by marker: between its fences, each under a line with its number and source. */
function passagesOf(prompt: string) {
  const [, , fenced = ""] = /<<([a-z0-9]+)>>\n([\s\S]*)\n<<\/\1>>/.exec(prompt) ?? [];
  return [...fenced.matchAll(/^\[\d{1,3}\] (.*)\n((?:>.*(?:\n|$))*)/gm)].map(
    ([, source = "", lines = ""]) => {
      const [, document = source, from, to = from, heading] =
        /^(.*?)(?:, page (\d+)(?:–(\d+))?)?(?: › (.*))?$/.exec(source) ?? [];
      const pages =
        from === undefined
          ? []
          : Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at);
      const text = lines.replace(/^> ?/gm, "").trimEnd();
      return { document, headings: heading === undefined ? [] : [heading], pages, text };
    },
  );
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { reader: { type: "string", default: "able" } },
});
const [prompts = "", drafts = ""] = positionals;
const shown = new Map<string, string>();
for (const { question, messages } of readLines(prompts, recorded))
  if (!shown.has(question)) shown.set(question, messages.at(-1)?.content ?? "");
for (const { question, draft, right, fault } of readLines(drafts, written)) {
  const passages = passagesOf(shown.get(question) ?? "");
  if (passages.length === 0) process.stderr.write(`no passages were recorded for: ${question}\n`);
  else
    process.stdout.write(
      `${JSON.stringify({ question, passages, draft, right, fault, reader: values.reader })}\n`,
    );
}

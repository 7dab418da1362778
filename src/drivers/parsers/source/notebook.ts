import { counted } from "../../../core/counted.ts";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { z } from "../../../core/schema.ts";
import { damaged, requireText, titleFromName } from "../blocks.ts";
import { decode } from "../decode.ts";
import markdown from "../markup/markdown.ts";

/** Most characters of one output that are read. */
const mostOutput = 4_000;

/** Text as notebooks have it, whole or line by line. */
const text = z.union([z.string(), z.array(z.string())]).catch("");
const output = z.object({
  output_type: z.string().catch(""),
  text,
  data: z.record(z.string(), z.unknown()).catch({}),
  evalue: z.string().catch(""),
});
const notebook = z.object({
  cells: z.array(z.object({ cell_type: z.string(), source: text, outputs: z.array(output).catch([]) })),
});
type Output = z.infer<typeof output>;

const whole = (lines: z.infer<typeof text>): string => (typeof lines === "string" ? lines : lines.join(""));

/** The text of an output, of rich ones the plain form; "" for pictures. */
const textOf = ({ text: streamed, data, evalue }: Output): string =>
  (whole(streamed) || whole(text.parse(data["text/plain"])) || evalue).trim();

/** The output of a cell, long ones shortened, with the number of shortened ones and of those without text. */
function shown(outputs: readonly Output[]) {
  const texts = outputs.map(textOf);
  const cut = texts.filter(({ length }) => length > mostOutput).length;
  const blocks = texts
    .filter((own) => own !== "")
    .map((own): Block => ({ kind: "code", text: own.slice(0, mostOutput).toWellFormed(), pages: [] }));
  return { blocks, cut, silent: texts.filter((own) => own === "").length };
}

/** The blocks of a cell of Markdown; none where it is a picture alone. */
const proseOf = async (text: string, name: string): Promise<readonly Block[]> =>
  (
    await markdown()
      .parse(new TextEncoder().encode(text), { name })
      .catch(() => undefined)
  )?.blocks ?? [];

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  const decoded = await decode(bytes, name);
  const blocks: Block[] = [];
  let [cut, silent] = [0, 0];
  for (const [index, { cell_type: type, source, outputs }] of cellsOf(decoded.text, name).entries()) {
    const own = whole(source);
    if (own.trim() === "") continue;
    const place = { unit: "cell", number: index + 1 } as const;
    const results = shown(outputs);
    cut += results.cut;
    silent += results.silent;
    const written: readonly Block[] =
      type === "markdown" ? await proseOf(own, name) : [{ kind: "code", text: own.trimEnd(), pages: [] }];
    blocks.push(...[...written, ...results.blocks].map((block) => ({ ...block, place })));
  }
  const title = blocks.find(({ kind }) => kind === "heading")?.text ?? titleFromName(name);
  const warnings = [
    ...(cut === 0
      ? []
      : [
          `${counted(cut, "output")} ${cut === 1 ? "was read up to its" : "were read up to their"} first ${mostOutput} characters`,
        ]),
    ...(silent === 0
      ? []
      : [
          `${counted(silent, "output")} without text, such as ${silent === 1 ? "a picture, was" : "pictures, were"} skipped`,
        ]),
  ];
  return {
    title,
    blocks: requireText(blocks, name),
    pageCount: 0,
    pagesWithoutText: [],
    warnings: [...decoded.warnings, ...warnings],
  };
}

/** @throws SOURCE_DAMAGED */
function cellsOf(json: string, name: string): z.infer<typeof notebook>["cells"] {
  try {
    return notebook.parse(JSON.parse(json)).cells;
  } catch (error) {
    throw damaged(name, "a Jupyter notebook", error);
  }
}

/** Parses Jupyter notebooks (nbformat 4): text and code by cell, and the outputs that are text. */
export default (): Parser => ({ id: "notebook", parse });

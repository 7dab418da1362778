import { extname } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { Command } from "commander";
import { callerPath } from "../../config/caller.ts";
import { type Format, formatOfExtension } from "../../core/documents/formats.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { isBlank } from "../../core/text.ts";
import { readSmallText } from "../../files.ts";
import { narrowedTo, narrowingFields } from "../../operations/answers/narrowing.ts";
import { statementText } from "../../operations/answers/verify.ts";
import { passages } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";
import { location } from "../../operations/text.ts";
import { type ExportCheck, exportCheckShape, verifyShape } from "../../shapes/verify.ts";
import { declare } from "../commands.ts";
import { fileReadError } from "../evaluate/files.ts";
import { defineCommand } from "../operations.ts";
import { settingFields } from "../shell/options.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";
import { terminal } from "../shell/terminal.ts";
import { warnUnavailable } from "../shell/unavailable.ts";

const loadReading = () => import("../../app/verify/read-text.ts");
const loadExport = () => import("../../app/verify/export.ts");

/** Largest text, and largest page of an exported answer, bytes. */
const mostBytes = { text: 1 << 20, page: 1 << 28 } as const;

const input = {
  words: field(
    "[text...]",
    z.array(z.string()),
    "file, text, or - for stdin; an HTML file from `ragctl export` is checked against its sources",
  ),
  top_k: passages("to check each sentence against"),
  milvusUri: settingFields.milvusUri,
  ...narrowingFields,
};
const examples = ["ragctl verify report.md", 'ragctl verify "The warranty runs for 36 months."'];

/** `ragctl verify`: checks a text sentence by sentence against the documents. */
export function registerVerify(program: Command): void {
  defineCommand(declare(program, "verify"), { input, examples }, async (session, typed) => {
    const { output, run, settings } = session;
    const { words, top_k: topK = settings.retrieve.topK, ...rest } = typed;
    const text = await textFrom(words, async (path) =>
      (await loadReading()).readText(path, (await session.app()).parts.home, run),
    );
    const app = await session.app();
    if (isExport(text)) {
      const { checkExport } = await loadExport();
      return printCheck(await checkExport(text, app, run), session);
    }
    using progress = createProgress("", "", output);
    progress.stage("verifying");
    const report = await app.verify({ text, topK, ...narrowedTo(rest) }, run);
    progress.close();
    warnUnavailable(output, report.unavailable);
    const data = verifyShape(report);
    const { supported, contradicted, documents_disagree, not_found } = data.counts;
    const disputed = documents_disagree === 0 ? "" : `, ${documents_disagree} on which documents disagree`;
    output.result({ text: report.statements.map(statementText).join("\n"), data, lines: data.statements });
    if (output.format === "text")
      output.note(`${supported} supported, ${contradicted} contradicted${disputed}, ${not_found} not found`);
    session.exit(data.exit_status);
  });
}

/** The text from a file, standard input or the command line. @throws USAGE_INVALID */
async function textFrom(words: readonly string[], parsed: Parsed): Promise<string> {
  const typed = words.join(" ").trim();
  const { input } = terminal();
  const isPiped = typed === "-" || (typed === "" && input.isTTY !== true);
  const text = isPiped
    ? await textOf(input)
    : /\s/u.test(typed) || typed === ""
      ? typed
      : await textOfFile(typed, parsed);
  if (!isBlank(text)) return text;
  throw new RagctlError("USAGE_INVALID", "no text to verify", {
    hint: "pass a file or the text, or pipe it in",
  });
}

/** Formats whose files are read as they are. */
const plain: ReadonlySet<Format | undefined> = new Set(["text", "markdown", undefined]);

/** Reads the text of a file in another format. */
type Parsed = (path: string) => Promise<string>;

/** The text of a file, or the page that `ragctl export` wrote. @throws USAGE_INVALID, SOURCE_* */
async function textOfFile(name: string, parsed: Parsed): Promise<string> {
  const path = callerPath(name);
  const format = formatOfExtension(extname(name).toLowerCase());
  const page = format === "html" ? smallText(path, name, mostBytes.page) : "";
  if (isExport(page)) return page;
  if (!plain.has(format)) return parsed(path);
  const text = smallText(path, name, mostBytes.text);
  return text.includes("\0") ? parsed(path) : text;
}

function smallText(path: string, name: string, most: number): string {
  try {
    return readSmallText(path, name, most);
  } catch (cause) {
    if (cause instanceof RagctlError) throw cause;
    const hint = "pass the path of a file; to verify a single word, pipe it in: echo WORD | ragctl verify -";
    throw fileReadError(name, cause, hint);
  }
}

/** Whether a text is a page that `ragctl export` wrote. */
const isExport = (text: string): boolean =>
  text.startsWith("<!doctype html>") && text.includes('id="ragctl-record"');

/** What became of the sources of an exported answer. */
function printCheck(check: ExportCheck, { output, exit }: Pick<Session, "output" | "exit">): void {
  const data = exportCheckShape(check);
  const lines = check.citations.map(({ marker, document, pages, state, quotesFound }) => {
    const isRight = state === "unchanged" && quotesFound;
    const quotes = state === "gone" || quotesFound ? "" : "; a quote is missing from its page";
    return `${isRight ? "✓" : "✗"} [${marker}] ${location(document, pages, "")}: ${state}${quotes}`;
  });
  const page = check.isPageIntact ? [] : ["✗ the page was edited after it was exported"];
  output.result({ text: [check.question, ...page, ...lines].join("\n"), data });
  exit(data.exit_status);
}

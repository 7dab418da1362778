import { createHash } from "node:crypto";
import type { SentenceVerdict, Verdict } from "../../core/answers/answer.ts";
import { type ExportedCitation, type ExportRecord, exportRecord } from "../../core/answers/export.ts";
import type { PagePicture } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { htmlText } from "../../core/text.ts";

const style = `:root{color-scheme:light dark;--line:#ddd;--dim:#666}
@media(prefers-color-scheme:dark){:root{--line:#3a3a3a;--dim:#a0a0a0}body{color:#ddd;background:#161616}}
body{font:16px/1.55 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}.dim{color:var(--dim);font-size:.9rem}
.answer{white-space:pre-wrap}table{border-collapse:collapse;width:100%}td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
section{border-top:1px solid var(--line);margin-top:1.5rem}img{max-width:100%;border:1px solid var(--line);margin:.5rem 0}
blockquote{margin:.5rem 0;padding-left:.8rem;border-left:3px solid #c2410c}code{overflow-wrap:anywhere;font-size:.85rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;color:var(--dim)}`;

/** A cited passage for display. */
export interface ShownCitation extends ExportedCitation {
  /** Text of the passage; "" where it is gone. */
  readonly passage: string;
  readonly pictures: readonly PagePicture[];
}

const supports: Readonly<Record<SentenceVerdict["support"], string>> = {
  supported: "✓ supported",
  partial: "~ partly supported",
  unsupported: "✗ not supported",
};

/** Markers as links to their sources. */
const linked = (text: string): string => htmlText(text).replace(/\[(\d{1,3})\]/g, '<a href="#c$1">[$1]</a>');

function citationHtml({
  marker,
  document,
  collection,
  pages,
  section,
  quotes,
  sha256,
  ...rest
}: ShownCitation): string {
  const page = pages.length === 0 ? "" : `, page ${pages.join(", ")}`;
  const pictures = rest.pictures.map(
    ({ page: number, bytes }) =>
      `<img alt="${htmlText(`${document}, page ${number}`)}" src="data:image/webp;base64,${Buffer.from(bytes).toString("base64")}">`,
  );
  const file =
    sha256 === ""
      ? "The document has changed since this answer; only the quotes are shown."
      : `SHA-256 of the file: <code>${sha256}</code>`;
  return `<section id="c${marker}"><h2>[${marker}] ${htmlText(`${document}${page}`)}</h2>
<p class="dim">${htmlText([section, `collection ${collection}`].filter((part) => part !== "").join(" · "))}<br>${file}</p>
${quotes.map((quote) => `<blockquote>${htmlText(quote)}</blockquote>`).join("\n")}
${pictures.length > 0 ? pictures.join("\n") : `<pre>${htmlText(rest.passage)}</pre>`}</section>`;
}

const sentenceHtml = ({ text, markers, support, reason }: SentenceVerdict): string =>
  `<tr><td>${supports[support]}</td><td>${linked(`${text} ${markers.map((marker) => `[${marker}]`).join("")}`)}${reason === "" ? "" : `<br><span class="dim">${htmlText(reason)}</span>`}</td></tr>`;

const open = '<script type="application/json" id="ragctl-record">';
const close = "</script>";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * An answer as one self-contained page: no script runs, nothing is fetched. It contains its record as JSON.
 */
export function exportHtml(
  facts: Omit<ExportRecord, "citations" | "page_sha256" | "verdict">,
  verdict: Verdict,
  shown: readonly ShownCitation[],
): string {
  const { question, response, principal, asked_at, run_id, program_version } = facts;
  const head = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${htmlText(question)}</title><style>${style}</style></head><body>
<h1>${htmlText(question)}</h1>
<p class="answer">${linked(response)}</p>
<p class="dim">${htmlText([verdict.status, verdict.reason].filter((part) => part !== "").join(": "))}</p>
${verdict.sentences.length === 0 ? "" : `<h2>Sentences</h2><table><tbody>${verdict.sentences.map(sentenceHtml).join("\n")}</tbody></table>`}
${shown.map(citationHtml).join("\n")}
<p class="dim">${htmlText(`Asked by ${principal} on ${asked_at}, run ${run_id}, ragctl ${program_version}.`)} Check it with: <code>ragctl verify FILE.html</code></p>
`;
  const end = "\n</body></html>\n";
  const citations = shown.map(({ passage: _, pictures: __, ...citation }) => citation);
  const record = { ...facts, citations, verdict, page_sha256: sha256(head + end) };
  // No text in it ends the element.
  return `${head}${open}${JSON.stringify(record).replaceAll("<", "\\u003c")}${close}${end}`;
}

/** Characters of a record at most: an answer, its verdicts and the passages it was made from. */
const longestRecord = 4 * 1024 ** 2;

/** The record of an exported answer, and whether its page is unchanged. @throws USAGE_INVALID */
export function readExport(html: string): { readonly record: ExportRecord; readonly isPageIntact: boolean } {
  const from = html.lastIndexOf(open);
  const to = html.indexOf(close, from);
  try {
    if (from < 0 || to < 0) throw new TypeError("it has no record");
    if (to - from > longestRecord) throw new TypeError("its record is too long");
    const record = exportRecord.parse(JSON.parse(html.slice(from + open.length, to)));
    const page = html.slice(0, from) + html.slice(to + close.length);
    return { record, isPageIntact: sha256(page) === record.page_sha256 };
  } catch (cause) {
    throw new RagctlError(
      "USAGE_INVALID",
      "the page is not an answer exported by ragctl, or its record is damaged",
      {
        hint: "export it again: ragctl export RUN --to FILE.html",
        cause,
      },
    );
  }
}

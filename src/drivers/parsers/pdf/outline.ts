import type { PageText } from "../../../core/documents/document.ts";
import { squeeze, titleFromName } from "../blocks.ts";
import type { PageRegions } from "../page/furniture.ts";
import type { OutlineEntry } from "../page/headings.ts";
import type { OutlineNode, PdfDocument } from "./open.ts";

const maxEntries = 2000;
const maxLevels = 6;

/** Number of the page that an entry leads to; undefined where it leads nowhere. */
async function targetPage(document: PdfDocument, { dest }: OutlineNode): Promise<number | undefined> {
  const target = typeof dest === "string" ? await document.getDestination(dest) : dest;
  const page = target?.[0];
  if (typeof page === "number") return page + 1;
  if (typeof page !== "object" || page === null || !("num" in page && "gen" in page)) return undefined;
  const reference = { num: Number(page.num), gen: Number(page.gen) };
  const index = await document.getPageIndex(reference).catch(() => undefined);
  return index === undefined ? undefined : index + 1;
}

/**
 * The document's outline, up to two thousand entries and six levels; a broken one as far as it can be read.
 */
export async function readOutline(document: PdfDocument): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = [];
  const seen = new Set<OutlineNode>();
  const walk = async (nodes: readonly OutlineNode[], level: number): Promise<void> => {
    for (const node of nodes) {
      // Damaged outlines lead back into themselves.
      if (seen.size >= maxEntries || seen.has(node)) return;
      seen.add(node);
      const page = await targetPage(document, node);
      if (page !== undefined) entries.push({ title: node.title, page, level });
      if (level < maxLevels) await walk(node.items, level + 1);
    }
  };
  try {
    await walk((await document.getOutline()) ?? [], 1);
  } catch {
    // A broken outline costs heading levels only; the text is read without it.
    return entries;
  }
  return entries;
}

/**
 * The largest text in the upper part of the first page, when it is clearly larger than the text after it;
 * else "".
 */
export function largestText(first: PageRegions): string {
  if (first.number !== 1) return "";
  const lines = first.regions
    .flat()
    .filter((line) => line.y > 0 && line.y < first.height * 0.6 && /\p{L}{3}/u.test(line.text));
  const size = lines.reduce((most, line) => Math.max(most, line.size), 0);
  const largest = lines.filter((line) => line.size > size * 0.97);
  return largest.length > 4 || largest.length === lines.length
    ? ""
    : squeeze(largest.map((line) => line.text).join(" "));
}

/** The file's own properties; empty where they cannot be read. */
export const readInfo = async (document: PdfDocument): Promise<object> =>
  (await document.getMetadata().catch(() => undefined))?.info ?? {};

/** The file's title property, else its largest text, else its name. */
export async function readTitle(document: PdfDocument, largest: string, name: string): Promise<string> {
  const info = await readInfo(document);
  const title = "Title" in info && typeof info.Title === "string" ? squeeze(info.Title) : "";
  const isFileName =
    /\.(docx?|pdf|pptx?|xlsx?|indd|tex|dvi|html?|rtf|qxd)$/i.test(title) ||
    /^(microsoft word|untitled|document\d*)\b/i.test(title);
  if (title.length >= 4 && title.length <= 200 && !isFileName && !/^[\da-f\-_.]+$/i.test(title)) return title;
  return largest.length >= 4 && largest.length <= 200 ? largest : titleFromName(name);
}

/** A page with what its file calls it, where that is not its number, up to 40 characters. */
export function addPageLabel(page: PageText, labels: readonly string[] | null): PageText {
  const label = squeeze(labels?.[page.page - 1] ?? "").slice(0, 40);
  return label === "" || label === String(page.page) ? page : { ...page, label };
}

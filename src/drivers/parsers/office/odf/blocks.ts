import type { CheerioAPI } from "cheerio";
import type { AnyNode, Element } from "domhandler";
import type { Block } from "../../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../../blocks.ts";
import { type Cell, layOut } from "../../grid.ts";
import { formatNumber } from "../numbering.ts";
import { childElements, isElement } from "../xml.ts";

/** Most cells one repetition attribute may add: a file of a few bytes may claim a million. */
const maxRepeat = 64;

/** Where the reader keeps what it meets inside a paragraph. */
interface Aside {
  readonly notes: string[];
  readonly pictures: string[];
  readonly boxes: Element[];
}

interface ListStyle {
  /** Number format of each level, undefined for bullets. */
  readonly levels: ReadonlyMap<
    number,
    { readonly format: string; readonly before: string; readonly after: string } | undefined
  >;
}

function listStyles($: CheerioAPI): Map<string, ListStyle> {
  const styles = new Map<string, ListStyle>();
  for (const style of $("text\\:list-style").toArray()) {
    const levels = new Map<number, { format: string; before: string; after: string } | undefined>();
    for (const level of childElements(style)) {
      const {
        "text:level": number = "1",
        "style:num-format": format = "",
        "style:num-prefix": before = "",
        "style:num-suffix": after = "",
      } = level.attribs;
      levels.set(
        Number(number),
        level.name === "text:list-level-style-number" && format !== ""
          ? { format, before, after }
          : undefined,
      );
    }
    styles.set(style.attribs["style:name"] ?? "", { levels });
  }
  return styles;
}

/** Blocks of OpenDocument text in order; `numbers` counts notes over the whole document. */
export function odfReader(
  documents: readonly CheerioAPI[],
): (root: Element, pages: readonly number[]) => Block[] {
  const styles = new Map(documents.flatMap(($) => [...listStyles($)]));
  let notes = 0;

  const inline = (node: AnyNode, aside: Aside): string => {
    if (node.type === "text") return node.data.replace(/\s+/g, " ");
    if (!isElement(node)) return "";
    const inner = () => node.children.map((child) => inline(child, aside)).join("");
    switch (node.name) {
      case "text:s":
        return " ".repeat(Math.min(64, Number(node.attribs["text:c"] ?? 1)));
      case "text:tab":
        return "\t";
      case "text:line-break":
        return "\n";
      case "text:note": {
        notes++;
        const number = notes;
        const body = childElements(node).find(({ name }) => name === "text:note-body");
        const text =
          body === undefined
            ? ""
            : squeeze(
                childElements(body)
                  .map((part) => inline(part, aside))
                  .join(" "),
              );
        if (text !== "") aside.notes.push(`[${number}] ${text}`);
        return `[${number}]`;
      }
      case "office:annotation": {
        const author = childElements(node).find(({ name }) => name === "dc:creator");
        const text = squeeze(
          childElements(node)
            .filter(({ name }) => name === "text:p" || name === "text:list")
            .map((part) => inline(part, aside))
            .join(" "),
        );
        if (text !== "")
          aside.notes.push(
            `Comment${author === undefined ? "" : ` by ${squeeze(inline(author, aside))}`}: ${text}`,
          );
        return "";
      }
      case "text:tracked-changes":
      case "text:note-citation":
      case "office:annotation-end":
      case "office:event-listeners":
      case "text:list-header":
        return node.name === "text:list-header" ? inner() : "";
      case "svg:title":
      case "svg:desc":
        aside.pictures.push(squeeze(inner()));
        return "";
      case "draw:text-box":
        aside.boxes.push(node);
        return "";
      case "draw:object":
      case "draw:object-ole":
        return "";
      default:
        return inner();
    }
  };
  const plain = (element: Element, aside: Aside) =>
    inline(element, aside)
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .trim();

  return (root, pages) => {
    const blocks: Block[] = [];
    const add = (kind: Block["kind"], text: string, level?: number) => {
      if (text.trim() !== "") blocks.push({ kind, text, pages, ...(level === undefined ? {} : { level }) });
    };
    const fresh = (): Aside => ({ notes: [], pictures: [], boxes: [] });
    const after = (aside: Aside) => {
      for (const text of new Set(aside.pictures)) add("picture", text);
      for (const box of aside.boxes) childElements(box).forEach(visit);
      for (const note of aside.notes) add("footnote", note);
    };
    const listLines = (list: Element, depth: number, styleName: string, aside: Aside): string[] => {
      const name = list.attribs["text:style-name"] ?? styleName;
      const level = styles.get(name)?.levels.get(depth + 1);
      const lines: string[] = [];
      let number = 0;
      for (const item of childElements(list)) {
        if (item.name !== "text:list-item" && item.name !== "text:list-header") continue;
        number =
          item.attribs["text:start-value"] === undefined
            ? number + 1
            : Number(item.attribs["text:start-value"]);
        const mark =
          level === undefined
            ? "-"
            : `${level.before}${formatNumber(number, level.format)}${level.after || "."}`;
        const own: string[] = [];
        const nested: string[] = [];
        for (const part of childElements(item)) {
          if (part.name === "text:list") nested.push(...listLines(part, depth + 1, name, aside));
          else own.push(plain(part, aside).replace(/\n/g, " "));
        }
        const text = own.filter((line) => line !== "").join(" ");
        if (text !== "") lines.push(`${"  ".repeat(depth)}${mark} ${text}`);
        lines.push(...nested);
      }
      return lines;
    };
    const table = (element: Element) => {
      const aside = fresh();
      const rows: Cell[][] = [];
      let headerRows = 0;
      const read = (parent: Element, isHeader: boolean) => {
        for (const part of childElements(parent)) {
          if (part.name === "table:table-header-rows") read(part, true);
          else if (part.name === "table:table-rows" || part.name === "table:table-row-group")
            read(part, false);
          else if (part.name === "table:table-row") {
            const cells = childElements(part)
              .filter(({ name }) => name === "table:table-cell")
              .flatMap((cell): Cell[] => {
                const text = squeeze(
                  childElements(cell)
                    .map((child) =>
                      child.name === "text:list"
                        ? listLines(child, 0, "", aside).join(" ")
                        : plain(child, aside),
                    )
                    .join(" "),
                );
                const one = {
                  text,
                  rows: Number(cell.attribs["table:number-rows-spanned"] ?? 1),
                  columns: Number(cell.attribs["table:number-columns-spanned"] ?? 1),
                };
                return Array.from(
                  { length: Math.min(maxRepeat, Number(cell.attribs["table:number-columns-repeated"] ?? 1)) },
                  () => one,
                );
              });
            rows.push(cells);
            if (isHeader) headerRows++;
          }
        }
      };
      read(element, false);
      const laid = layOut(rows, headerRows > 0 ? headerRows : undefined);
      if (laid.rows.length > 0) blocks.push(tableBlock(laid, pages));
      after(aside);
    };
    const visit = (element: Element): void => {
      const aside = fresh();
      if (element.name === "text:h")
        add(
          "heading",
          squeeze(plain(element, aside)),
          Math.min(6, Number(element.attribs["text:outline-level"] ?? 1)),
        );
      else if (element.name === "text:p") {
        const text = plain(element, aside);
        const style = element.attribs["text:style-name"] ?? "";
        add(
          /^(Title)$/.test(style)
            ? "heading"
            : /caption|^Illustration|^Figure$/i.test(style)
              ? "caption"
              : "paragraph",
          text,
          style === "Title" ? 1 : undefined,
        );
      } else if (element.name === "text:list") add("list", listLines(element, 0, "", aside).join("\n"));
      else if (element.name === "table:table") table(element);
      else if (
        element.name === "text:tracked-changes" ||
        element.name === "text:table-of-content" ||
        element.name === "office:forms"
      )
        return;
      else if (
        element.name === "draw:frame" ||
        element.name === "draw:custom-shape" ||
        element.name === "draw:rect"
      ) {
        const inside = childElements(element);
        for (const part of inside) {
          if (part.name === "table:table") table(part);
          else if (part.name === "draw:text-box") childElements(part).forEach(visit);
          else if (part.name === "text:p" || part.name === "text:list") visit(part);
          else inline(part, aside);
        }
      } else if (element.name === "office:annotation") inline(element, aside);
      else childElements(element).forEach(visit);
      after(aside);
    };
    visit(root);
    return blocks;
  };
}

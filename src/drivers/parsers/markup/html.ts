import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { contentOf, hiddenWarnings, squeeze, type Unsaid } from "../blocks.ts";
import { decode } from "../decode.ts";
import { definedProperties, pageProperties } from "../properties.ts";
import { htmlBlocks } from "./html-blocks.ts";

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { load } = await import("cheerio");
  const { text, warnings } = await decode(bytes, file.name);
  const $ = load(text);
  const title = squeeze($("head > title").first().text());
  const length = (selector: string) => $(selector).first().text().replace(/\s+/g, " ").length;
  const whole = length("body");
  // The main content, where the page marks one that holds a fair part of the text.
  const main = ["main", "[role=main]", "article"].find(
    (selector) => $(selector).length === 1 && length(selector) > whole * 0.25,
  );
  const root = $(main ?? "body").first();
  if (main === undefined)
    root
      .find("body > header, body > footer, aside, [role=navigation], [role=banner], [role=contentinfo]")
      .remove();
  const element = root.get(0);
  const tally: Unsaid = { struck: 0, hidden: 0 };
  const blocks = element === undefined ? [] : htmlBlocks($, element, tally);
  const told = [...warnings, ...hiddenWarnings(tally)];
  return contentOf(file.name, blocks, { title, warnings: told, ...definedProperties(pageProperties($)) });
}

/** HTML by cheerio: the main content without scripts, navigation and hidden parts. */
export default (): Parser => ({ id: "cheerio", parse });

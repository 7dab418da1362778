import { posix } from "node:path";
import type { CheerioAPI } from "cheerio";
import type { AnyNode, Element } from "../dom.ts";

export type LoadXml = (text: string) => CheerioAPI;

/**
 * A reader of XML. Document type declarations are cut out first: entities are never expanded and nothing
 * outside is opened.
 */
export async function xmlLoader(): Promise<LoadXml> {
  const { load } = await import("cheerio");
  return (text) => load(usualPrefixes(withoutDoctype(text)), { xml: true });
}

/** Prefixes under which the readers look for a namespace, by the end of its address. */
const usual: readonly (readonly [string, RegExp])[] = [
  ["w", /wordprocessingml(\/2006)?\/main$/],
  ["p", /presentationml(\/2006)?\/main$/],
  ["a", /drawingml(\/2006)?\/main$/],
  ["c", /drawingml(\/2006)?\/chart$/],
  ["m", /officeDocument(\/2006)?\/math$/],
  ["r", /officeDocument(\/2006)?\/relationships$/],
  ["p188", /powerpoint\/2018\/8\/main$/],
  ["dc", /dc\/elements\/1\.1\/$/],
  ["text", /opendocument:xmlns:text:1\.0$/],
  ["table", /opendocument:xmlns:table:1\.0$/],
  ["office", /opendocument:xmlns:office:1\.0$/],
  ["draw", /opendocument:xmlns:drawing:1\.0$/],
];

/** Replaces prefixes that a program chose (`ns0:`) by the usual ones. */
function usualPrefixes(text: string): string {
  let renamed = text;
  for (const [, prefix = "", address = ""] of text
    .slice(0, 20_000)
    .matchAll(/\sxmlns:([\w.-]+)\s*=\s*["']([^"']*)["']/g)) {
    const name = usual.find(([, end]) => end.test(address))?.[0];
    if (name === undefined || name === prefix || !/^ns\d+$/.test(prefix)) continue;
    renamed = renamed.replace(new RegExp(`(</?|\\s)${prefix}:(?=[A-Za-z])`, "g"), `$1${name}:`);
  }
  return renamed;
}

/** XML without its document type declaration, internal subset included. */
export function withoutDoctype(text: string): string {
  return text.replace(/<!DOCTYPE[^<>[]*(?:\[(?:(?!<!DOCTYPE)[\s\S])*?\]\s*)?>/gi, "");
}

/** Whether a node is an element, of the given name where one is given. */
export function isElement(node: AnyNode | null | undefined, name?: string): node is Element {
  return (
    node !== null && node !== undefined && node.type === "tag" && (name === undefined || node.name === name)
  );
}

/** Child elements in order. */
export function childElements(element: Element): Element[] {
  return element.children.filter((node) => isElement(node));
}

/** Where a part points. */
export interface PackageRelation {
  /** Last word of the relation's type, e.g. `slide`. */
  readonly type: string;
  /** Part name inside the package, or an address outside it. */
  readonly target: string;
  readonly external: boolean;
}

/** Relations of a part of an Office package, by id. */
export function relations(
  parts: ReadonlyMap<string, string>,
  part: string,
  load: LoadXml,
): Map<string, PackageRelation> {
  const folder = posix.dirname(part);
  const $ = load(parts.get(posix.join(folder, "_rels", `${posix.basename(part)}.rels`)) ?? "");
  const found = new Map<string, PackageRelation>();
  for (const relation of $("Relationship").toArray()) {
    const { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode = "" } = relation.attribs;
    const external = mode === "External";
    const place = external ? target : target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
    found.set(id, { type: type.split("/").at(-1) ?? "", target: place, external });
  }
  return found;
}

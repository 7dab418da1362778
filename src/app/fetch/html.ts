import { declaredCharset } from "../../drivers/parsers/declared-charset.ts";

/** What the fetch of a page needs of it. */
export interface FetchedPageFacts {
  /** The address on its own host that the page calls its own. */
  readonly canonical: URL | undefined;
  /** Addresses on its own host that it links to, each once. */
  readonly links: readonly URL[];
  /** Its words, whatever the tags around them. */
  readonly words: string;
}

/** Links of one page that are looked at; more no page for people has. */
const mostLinks = 10_000;

const tags = /<(?:a|base|link|meta)\s[^<>]{0,4000}>/gi;
const anyTag = /<[^<>]{0,10000}>/g;

const isNamed = (tag: string, name: string): boolean =>
  tag.slice(1, 1 + name.length).toLowerCase() === name && /\s/.test(tag[1 + name.length] ?? "");

const href = /\shref\s{0,8}=\s{0,8}(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'<>]{1,2000}))/i;
const rel = /\srel\s{0,8}=\s{0,8}["']?canonical["'\s/>]/i;

const hrefIn = (tag: string): string | undefined => {
  const [, double, single, bare] = href.exec(tag) ?? [];
  return (double ?? single ?? bare)?.trim().replaceAll("&amp;", "&");
};

/** An address without its fragment; undefined for what is none. */
export function withoutFragment(address: string | URL, base?: URL): URL | undefined {
  if (!URL.canParse(String(address), base?.href)) return undefined;
  const url = new URL(String(address), base?.href);
  url.hash = "";
  return url;
}

/** A character set by the name that decoders here know; undefined for an unknown one. */
function known(label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The character set that an answer's header names, if it is a known one. */
export const charsetOf = (contentType: string): string | undefined =>
  known(/;\s{0,8}charset\s{0,8}=\s{0,8}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1]);

/** Reads the head and the links of a page; links are relative to its `base`. */
export function readPage(bytes: Uint8Array, charset: string | undefined, page: URL): FetchedPageFacts {
  const text = new TextDecoder(charset ?? known(declaredCharset(bytes)) ?? "utf-8").decode(bytes);
  const found = [...text.matchAll(tags).take(mostLinks)].map(([tag]) => tag);
  const own = (address: string | undefined, base: URL): URL | undefined => {
    const url = address === undefined ? undefined : withoutFragment(address, base);
    return url?.origin === page.origin ? url : undefined;
  };
  const stated = found.find((tag) => isNamed(tag, "base") && hrefIn(tag) !== undefined);
  const base = withoutFragment((stated && hrefIn(stated)) ?? "", page) ?? page;
  const canonical = found.find((tag) => isNamed(tag, "link") && rel.test(tag));
  const links = new Map<string, URL>();
  for (const tag of found.filter((each) => isNamed(each, "a"))) {
    const url = own(hrefIn(tag), base);
    if (url !== undefined) links.set(url.href, url);
  }
  return {
    canonical: canonical === undefined ? undefined : own(hrefIn(canonical), base),
    links: [...links.values()],
    words: text.replace(anyTag, " ").replace(/\s+/g, " ").trim(),
  };
}

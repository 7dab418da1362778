/** What the fetch of a page needs of it. */
export interface PageFacts {
  readonly text: string;
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

/** The character set that an answer's header names, if it is a known one. */
export function charsetOf(contentType: string): string | undefined {
  const [, label = ""] = /;\s{0,8}charset\s{0,8}=\s{0,8}["']?([\w.:-]{1,40})/i.exec(contentType) ?? [];
  try {
    return label === "" ? undefined : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The text of a page in the character set that its header names, or its own beginning. */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  const meta = [...beginning.matchAll(tags)].find(([tag]) => isNamed(tag, "meta") && /charset/i.test(tag));
  const own =
    meta === undefined
      ? undefined
      : charsetOf(`;charset=${/charset\s{0,8}=\s{0,8}["']?([\w.:-]{1,40})/i.exec(meta[0])?.[1] ?? ""}`);
  return new TextDecoder(charset ?? own ?? "utf-8").decode(bytes);
}

/** Reads the head and the links of a page; links are relative to its `base`. */
export function readPage(bytes: Uint8Array, charset: string | undefined, page: URL): PageFacts {
  const text = decoded(bytes, charset);
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
    text,
    canonical: canonical === undefined ? undefined : own(hrefIn(canonical), base),
    links: [...links.values()],
    words: text.replace(anyTag, " ").replace(/\s+/g, " ").trim(),
  };
}

import type { CheerioAPI } from "cheerio";

type Document = ReturnType<CheerioAPI["root"]>[number];

/**
 * A node of the trees that cheerio builds, by cheerio's own types: it does not name those of the library
 * below it.
 */
export type AnyNode = Document | Document["children"][number];

/** A node with a name and attributes. */
export type Element = Extract<AnyNode, { readonly attribs: object }>;

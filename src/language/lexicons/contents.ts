import type { ContentPart } from "../../core/answers/answer.ts";

/**
 * How questions ask about the structure of a document: patterns of the whole question without its final
 * punctuation. `<part>` matches the names of a part, `<document>` a reference to the document.
 */
export interface ContentForms {
  /** Names of each part, as alternatives of a pattern. */
  readonly parts: Readonly<Record<ContentPart, string>>;
  /** Questions for a count, or for a count or a list. */
  readonly parted: readonly string[];
  /** Questions for the number of pages. */
  readonly long?: readonly string[];
  /** Questions for the whole table of contents. */
  readonly whole: readonly string[];
  /** Generic words for any document. */
  readonly documents: string;
}

const document =
  "(?:document|report|paper|manual|handbook|guide|guidebook|book|file|article|presentation|deck|pdf|brochure|text|thesis|filing)";

export const englishContents: ContentForms = {
  parts: {
    pages: "pages",
    slides: "slides",
    headings: "headings|titles of sections",
    chapters: "chapters",
    sections: "sections",
    appendices: "appendices|appendixes|annexes",
    tables: "tables",
    figures: "figures",
  },
  parted: [
    "how many <part> (?:does|do) <document> (?:have|contain|include|comprise|consist of)",
    "how many <part> (?:(?:are|is) )?(?:there |available |contained |included |numbered )?(?:are |is )?(?:in|of) <document>",
    "how many <part> (?:has|appear in|are part of|make up) <document>",
    "(?:what is |what's |give me )?(?:the )?(?:total )?(?:number of <part>|count of <part>) (?:in|of) <document>",
    "(?:what|which) (?:are )?(?:all )?(?:the )?<part> (?:does|do|are in|are there in|in|of) <document>(?: have| contain| include| consist of)?",
    "(?:(?:can|could) you )?(?:list|show|give|name|tell)(?: me)? (?:(?:all|the|names|titles|of) )*<part> (?:of|in|from) <document>",
  ],
  long: [`how long is <document>(?: in pages)?`, "what is the page count of <document>"],
  whole: [
    "(?:(?:(?:can|could) you )?(?:show|give|list|print)(?: me)? |what is )?(?:the )?(?:table of contents|toc) (?:of|for|in) <document>",
  ],
  documents: document,
};

export const germanContents: ContentForms = {
  parts: {
    pages: "seiten",
    slides: "folien",
    headings: "überschriften",
    chapters: "kapiteln?",
    sections: "abschnitten?",
    appendices: "anhängen?",
    tables: "tabellen",
    figures: "abbildungen",
  },
  parted: [
    "wie viele <part> (?:hat|enthält|umfasst|besitzt) <document>",
    "wie viele <part> (?:gibt es|sind|stehen|finden sich) (?:in|im) <document>",
    "aus wie vielen <part> besteht <document>",
    "(?:welche|was sind die) <part> (?:hat|enthält|umfasst|gibt es in|gibt es im|von|des|der|in|im) <document>",
    "(?:zeige?|nenne?|liste)(?: mir)? (?:(?:alle|die) )*<part> (?:von|des|der|aus|in|im) <document>(?: auf)?",
  ],
  long: ["wie lang ist <document>"],
  whole: ["(?:zeige?(?: mir)? )?(?:das )?inhaltsverzeichnis (?:von|des|der|zu|zum) <document>"],
  documents:
    "(?:dokuments?|berichte?s?|handbuche?s?|datei|buche?s?|artikels?|präsentation|pdf|broschüre|textes|text|anleitung)",
};

export const vietnameseContents: ContentForms = {
  parts: {
    pages: "trang",
    slides: "slide",
    headings: "tiêu đề",
    chapters: "chương",
    sections: "mục|phần",
    appendices: "phụ lục",
    tables: "bảng",
    figures: "hình",
  },
  parted: [
    "<document> (?:có|gồm|bao gồm|chứa) (?:tất cả )?(?:bao nhiêu|mấy) <part>",
    "(?:có )?(?:bao nhiêu|mấy) <part> (?:trong|ở) <document>",
    "<document> (?:có|gồm|bao gồm) (?:những |các )?<part> (?:nào|gì)",
    "(?:liệt kê|nêu) (?:tất cả )?(?:các |những )?<part> (?:của|trong) <document>",
  ],
  whole: ["(?:cho xem |hiện |cho tôi )?mục lục (?:của )?<document>"],
  documents: "(?:tài liệu|báo cáo|sổ tay|tệp|văn bản|bài báo|sách|hướng dẫn)",
};

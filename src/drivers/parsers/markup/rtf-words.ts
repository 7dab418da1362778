/** Destinations whose text is not the document's. */
export const ignoredDestinations = new Set(
  (
    "colortbl listtable listoverridetable rsidtbl generator object objdata themedata colorschememapping latentstyles datastore info " +
    "xmlnstbl fldinst header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc filetbl revtbl bkmkstart bkmkend " +
    "template operator userprops docvar atnid atntime atnref atnicn pgptbl mmathPr wgrffmtfilter nonshppict sp sn sv"
  ).split(" "),
);

/** Charsets by the number a font gives. 0 says nothing: the file's own holds. */
export const charsets: Readonly<Record<number, string>> = {
  77: "macroman",
  128: "cp932",
  129: "cp949",
  134: "gb2312",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
  254: "cp437",
  255: "cp850",
};

/** The charset of a code page by its number. */
export const codePage = (number: number): string =>
  number === 65001 ? "utf-8" : number === 10000 ? "macroman" : `cp${number}`;

/** Control words that represent a character. */
export const symbolControlWords = new Map(
  Object.entries({
    tab: "\t",
    line: "\n",
    emdash: "—",
    endash: "–",
    lquote: "‘",
    rquote: "’",
    ldblquote: "“",
    rdblquote: "”",
    bullet: "•",
    emspace: " ",
    enspace: " ",
  }),
);

/** Bytes of a text that its declaration is looked for in. */
const headBytes = 16 * 1024;

/** How texts of several kinds declare their character set. */
const declarations: readonly RegExp[] = [
  /^(?:\u00ef\u00bb\u00bf)?\s{0,20}<\?xml\s[^<>]{0,200}?encoding\s{0,5}=\s{0,5}["']([\w.:-]{1,40})/,
  /<meta\s[^<>]{0,400}?charset\s{0,5}=\s{0,5}["']?\s{0,5}([\w.:-]{1,40})/i,
  /^@charset "([\w.:-]{1,40})"/,
  // Editors and interpreters look at the first two lines. Source: PEP 263.
  /^(?:[^\n]{0,200}\n)?[^\n]{0,200}?(?:file)?(?:en)?coding[:=][ \t]{0,5}([\w.:-]{1,40})/,
  /\\usepackage\s{0,5}\[([\w-]{1,40})\]\s{0,5}\{inputenc\}/,
];

/** Names that only some programs use. */
const others: Readonly<Record<string, string>> = {
  ansinew: "windows-1252",
  applemac: "macintosh",
  macroman: "macintosh",
  "x-mac-roman": "macintosh",
  "x-user-defined": "windows-1252",
};

/** A character set under the name that decoders know it by. */
export const charsetNamed = (name: string): string => others[name.toLowerCase()] ?? name;

/**
 * The character set that a text declares itself: XML, pages of HTML, style sheets, LaTeX, and source code in
 * a comment.
 */
export function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1");
  for (const declaration of declarations) {
    const name = declaration.exec(head)?.[1];
    if (name !== undefined) return charsetNamed(name);
  }
  return undefined;
}

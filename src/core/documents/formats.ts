interface FormatFacts {
  /** File name extensions, without the dot. */
  readonly extensions: readonly string[];
  /** Names of the format in lists of readable formats. */
  readonly readable: readonly string[];
  /** The noun for a file of this format. Default: the format. */
  readonly description?: string;
  /** Distinguished from other text by its file name only. */
  readonly isText?: true;
  /** Packed in a zip archive. */
  readonly isZip?: true;
  /** Its tables can be asked by SQL. */
  readonly isSpreadsheet?: true;
  /** An external Docling reads it, where one is configured. */
  readonly byDocling?: true;
}

const facts = {
  pdf: { extensions: ["pdf"], readable: ["pdf"], byDocling: true },
  docx: { extensions: ["docx", "docm", "dotx", "dotm"], readable: ["docx"], isZip: true, byDocling: true },
  xlsx: {
    extensions: ["xlsx", "xlsm", "xlsb", "xltx", "xltm", "xls"],
    readable: ["xlsx", "xls"],
    isZip: true,
    isSpreadsheet: true,
    byDocling: true,
  },
  csv: {
    extensions: ["csv", "tsv"],
    readable: ["csv"],
    description: "a table in text",
    isText: true,
    isSpreadsheet: true,
  },
  ods: { extensions: ["ods", "ots"], readable: ["ods"], isZip: true, isSpreadsheet: true },
  pptx: {
    extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
    readable: ["pptx"],
    isZip: true,
    byDocling: true,
  },
  html: { extensions: ["html", "htm", "xhtml"], readable: ["html"], isText: true, byDocling: true },
  markdown: { extensions: ["md", "markdown"], readable: ["md"], description: "Markdown", isText: true },
  text: {
    extensions: ["txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "ltx"],
    readable: ["txt"],
    description: "plain text",
    isText: true,
  },
  rtf: { extensions: ["rtf"], readable: ["rtf"] },
  eml: { extensions: ["eml"], readable: ["eml"] },
  msg: { extensions: ["msg", "oft"], readable: ["msg"] },
  epub: { extensions: ["epub"], readable: ["epub"], isZip: true },
  odt: { extensions: ["odt", "ott"], readable: ["odt"], isZip: true },
  odp: { extensions: ["odp", "otp"], readable: ["odp"], isZip: true },
  image: {
    extensions: ["png", "jpg", "jpeg", "tif", "tiff", "webp", "bmp", "gif"],
    readable: ["png", "jpg", "tiff", "webp", "bmp"],
    description: "an image",
    byDocling: true,
  },
  docling: { extensions: [], readable: ["docling's json"], isText: true },
  code: {
    extensions: [
      ...["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx", "vue", "svelte"],
      ...["py", "pyi", "rb", "php", "pl", "pm", "lua", "r", "jl"],
      ...["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cs", "fs", "vb", "m", "mm", "swift"],
      ...["java", "kt", "kts", "scala", "groovy", "gradle", "clj", "dart"],
      ...["go", "rs", "zig", "hs", "ml", "ex", "exs", "erl"],
      ...["sh", "bash", "zsh", "ps1", "psm1", "bat", "cmd", "sql", "graphql", "proto", "tf", "cmake"],
      ...["css", "scss", "less"],
    ],
    readable: ["source code"],
    description: "source code",
    isText: true,
  },
  data: {
    extensions: [
      ...["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "yaml", "yml", "toml", "ini", "cfg"],
      ...["conf", "properties", "xml", "xsd", "xsl", "xslt", "wsdl", "rss", "atom", "plist", "csproj", "log"],
    ],
    readable: ["json", "yaml", "toml", "xml", "log"],
    description: "data in text",
    isText: true,
  },
  notebook: { extensions: ["ipynb"], readable: ["ipynb"], description: "a notebook", isText: true },
  records: { extensions: ["bib", "ris", "vcf", "ics"], readable: ["bib", "ris", "vcf", "ics"], isText: true },
  subtitles: { extensions: ["srt", "vtt"], readable: ["srt", "vtt"], isText: true },
  mbox: { extensions: ["mbox"], readable: ["mbox"], description: "a mailbox", isText: true },
  zip: { extensions: ["zip"], readable: ["zip"], description: "an archive" },
} as const satisfies Record<string, FormatFacts>;

/** The formats ragctl reads. A file's format is decided by its content first, its name second. */
export type Format = keyof typeof facts;

/** Facts about each format; its parser is in `drivers/parsers/by-format.ts`. */
export const formatFacts: Readonly<Record<Format, FormatFacts>> = facts;

const isFormat = (name: string): name is Format => Object.hasOwn(facts, name);

/** Every format, in the order of display. */
export const formats: readonly Format[] = Object.keys(facts).filter(isFormat);

const byExtension: ReadonlyMap<string, Format> = new Map(
  formats.flatMap((format) =>
    formatFacts[format].extensions.map((extension) => [`.${extension}`, format] as const),
  ),
);

/**
 * The format that a file's name claims by its extension, which is given with the dot and in lower case;
 * undefined where no format has it.
 */
export const formatOfExtension = (extension: string): Format | undefined => byExtension.get(extension);

/** The formats whose facts satisfy `condition`. */
export function formatsWhere(condition: (facts: FormatFacts) => boolean): ReadonlySet<Format> {
  return new Set(formats.filter((format) => condition(formatFacts[format])));
}

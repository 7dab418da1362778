/** Colours of a terminal. */
interface Theme {
  readonly background: string;
  readonly border: string;
  readonly text: string;
  readonly dim: string;
  readonly accent: string;
}

export const themes: Readonly<Record<"light" | "dark", Theme>> = {
  light: { background: "#ffffff", border: "#d0d7de", text: "#1f2328", dim: "#59636e", accent: "#1a7f37" },
  dark: { background: "#0d1117", border: "#3d444d", text: "#f0f6fc", dim: "#9198a1", accent: "#3fb950" },
};

/** Sizes in px, but for the columns. */
const size = { columns: 92, font: 14, advance: 8.43, line: 21, padding: 18 };

/** A line in pieces of at most so many columns, cut at spaces; later pieces keep its indentation. */
function pieces(line: string): readonly string[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const folded: string[] = [];
  let piece = "";
  for (const word of line.trimStart().split(" ")) {
    const longer = piece === "" ? `${indent}${word}` : `${piece} ${word}`;
    if (longer.length > size.columns && piece !== "") {
      folded.push(piece);
      piece = `${indent}${word}`;
    } else piece = longer;
  }
  return [...folded, piece];
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** An SVG of a command and what it printed; quotations are dim. */
export function terminalPicture(command: string, output: string, theme: Theme): string {
  const lines = [
    ...pieces(`$ ${command}`).map((text) => ({ text, colour: theme.accent })),
    ...output
      .trimEnd()
      .split("\n")
      .flatMap((line) =>
        pieces(line).map((text) => ({ text, colour: line.startsWith(" ") ? theme.dim : theme.text })),
      ),
  ];
  const width = Math.ceil(size.columns * size.advance + 2 * size.padding);
  const height = lines.length * size.line + 2 * size.padding;
  const rows = lines.map(({ text, colour }, index) => {
    const y = size.padding + (index + 0.7) * size.line;
    return `  <text x="${size.padding}" y="${y.toFixed(1)}" fill="${colour}" xml:space="preserve">${escaped(text)}</text>`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${size.font}">`,
    `  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.border}"/>`,
    ...rows,
    "</svg>",
  ].join("\n")}\n`;
}

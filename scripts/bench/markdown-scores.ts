/** What a Markdown text says, without the marks that differ between tools. */
export interface Read {
  readonly words: readonly string[];
  readonly headings: readonly string[];
  /** Rows of normalised cells, a table each. */
  readonly tables: readonly (readonly (readonly string[])[])[];
}

/** All in [0, 1]; undefined where the truth has nothing to compare with. */
export interface Scores {
  /** F1 over the bags of words. */
  readonly text: number | undefined;
  /** 1 - word edit distance / longer length. */
  readonly edit: number | undefined;
  /** Kendall's tau over the three-word runs that occur once in both, mapped to [0, 1]. */
  readonly order: number | undefined;
  /** F1 over heading texts, level ignored: tools number levels differently. */
  readonly headings: number | undefined;
  /**
   * F1 over pairs of neighbouring non-empty cells. Source: Göbel et al., ICDAR 2013 table competition
   * (adjacency relations).
   */
  readonly cells: number | undefined;
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  "#39": "'",
  "#x27": "'",
};

function plain(text: string): string {
  return text
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/\*\*==>.*?<==\*\*/g, " ")
    .replace(/!\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, " $1 ")
    .replace(/\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, "$1")
    .replace(/<br\s*\/?>/gi, " ")
    .replace(/<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?>/gi, "")
    .replace(/&(amp|lt|gt|quot|nbsp|#39|#x27);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~$&])/g, "$1")
    .replace(/\*\*|__|~~|`/g, "")
    .replace(/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, "");
}

const wordsOf = (text: string) =>
  plain(text)
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
const key = (text: string) => wordsOf(text).join(" ");

/** Reads the Markdown of any of the tools. */
export function readMarkdown(markdown: string): Read {
  const tables: string[][][] = [];
  const headings: string[] = [];
  const lines: string[] = [];
  let table: string[][] | undefined;
  let fenced = false;
  for (const line of markdown.replace(/<!--[\s\S]*?-->/g, " ").split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) {
      fenced = !fenced;
      continue;
    }
    const isRow = !fenced && /^\s*\|.*\|\s*$/.test(line);
    if (isRow) {
      const cells = line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/);
      if (table === undefined) {
        table = [];
        tables.push(table);
      }
      if (cells.every((cell) => /^\s*:?-+:?\s*$/.test(cell))) continue;
      table.push(cells.map(key));
      lines.push(cells.join(" "));
      continue;
    }
    table = undefined;
    const heading = fenced ? null : /^\s{0,3}#{1,6}\s+(.*)$/.exec(line);
    if (heading !== null) headings.push(key(heading[1] ?? ""));
    lines.push(
      fenced ? line : line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, " ").replace(/^\s{0,3}#{1,6}\s+/, ""),
    );
  }
  return { words: wordsOf(lines.join("\n")), headings: headings.filter((text) => text !== ""), tables };
}

function f1(truth: readonly string[], found: readonly string[]): number | undefined {
  if (truth.length === 0) return undefined;
  const left = new Map<string, number>();
  for (const item of truth) left.set(item, (left.get(item) ?? 0) + 1);
  let same = 0;
  for (const item of found) {
    const count = left.get(item) ?? 0;
    if (count === 0) continue;
    same++;
    left.set(item, count - 1);
  }
  return (2 * same) / (truth.length + found.length);
}

/** Levenshtein distance in words. */
function distance(one: readonly string[], two: readonly string[]): number {
  const ids = new Map<string, number>();
  const numbers = (words: readonly string[]) =>
    Int32Array.from(words, (word) => {
      const known = ids.get(word) ?? ids.size;
      ids.set(word, known);
      return known;
    });
  const [a, b] = [numbers(one), numbers(two)];
  let row = Int32Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = new Int32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    const word = a[i - 1];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (word === b[j - 1] ? 0 : 1);
      next[j] = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [row, next] = [next, row];
  }
  return row[b.length] ?? 0;
}

function runsOnce(words: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = 0; index + 3 <= words.length; index++) {
    const run = words.slice(index, index + 3).join(" ");
    places.set(run, places.has(run) ? -1 : index);
  }
  return new Map([...places].filter(([, place]) => place >= 0));
}

function order(truth: readonly string[], found: readonly string[]): number | undefined {
  const places = runsOnce(found);
  let sequence = [...runsOnce(truth)]
    .sort((one, two) => one[1] - two[1])
    .flatMap(([run]) => places.get(run) ?? []);
  const step = Math.ceil(sequence.length / 2500);
  sequence = sequence.filter((_, index) => index % step === 0);
  const pairs = (sequence.length * (sequence.length - 1)) / 2;
  if (pairs === 0) return undefined;
  let inOrder = 0;
  for (let i = 0; i < sequence.length; i++) {
    for (let j = i + 1; j < sequence.length; j++) if ((sequence[i] ?? 0) < (sequence[j] ?? 0)) inOrder++;
  }
  return inOrder / pairs;
}

function relations(tables: Read["tables"]): string[] {
  const found: string[] = [];
  for (const rows of tables) {
    rows.forEach((row, r) => {
      row.forEach((cell, c) => {
        if (cell === "") return;
        const right = row.slice(c + 1).find((other) => other !== "");
        const below = rows.slice(r + 1).find((other) => (other[c] ?? "") !== "")?.[c];
        if (right !== undefined) found.push(`${cell} → ${right}`);
        if (below !== undefined) found.push(`${cell} ↓ ${below}`);
        if (right === undefined && below === undefined && rows.length * row.length === 1) found.push(cell);
      });
    });
  }
  return found;
}

/** How near a found reading comes to the true one. */
export function score(truth: Read, found: Read): Scores {
  const longest = Math.max(truth.words.length, found.words.length);
  return {
    text: f1(truth.words, found.words),
    edit: truth.words.length === 0 ? undefined : 1 - distance(truth.words, found.words) / longest,
    order: order(truth.words, found.words),
    headings: f1(truth.headings, found.headings),
    cells: f1(relations(truth.tables), relations(found.tables)),
  };
}

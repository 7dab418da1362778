import type { Token, Tokens } from "marked";

/** The beginning of a note's definition: `[^1]: `. */
export const noteDefinitionStart = /^\[\^([^\]\s]+)\]:\s*/;
const mark = /\[\^([^[\]\s]+)\]/g;

/** The notes of a document in Markdown. */
export interface MarkdownNotes {
  /** Their source text, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Numbers of the notes referred to, in the order of their first mark. */
  readonly numbers: Map<string, number>;
  /** The tokens that define them, each with the names it defines. */
  readonly definitions: ReadonlyMap<Token, readonly string[]>;
}

/** The notes that one token defines: a paragraph may hold several, each at the beginning of a line. */
function defined(token: Token): readonly (readonly [name: string, text: string])[] {
  // The lexer takes a note of one word for the address of a link.
  if (token.type === "def") {
    const { tag, href } = token as Tokens.Def;
    return tag.startsWith("^") ? [[tag.slice(1), href]] : [];
  }
  if (token.type !== "paragraph" || !noteDefinitionStart.test(token.raw)) return [];
  return token.raw.split(/\n(?=\[\^)/).flatMap((part) => {
    const [whole = "", name] = noteDefinitionStart.exec(part) ?? [];
    return name === undefined ? [] : [[name, part.slice(whole.length)] as const];
  });
}

/** Tokens with those of quotations in their place. */
const unquoted = (tokens: readonly Token[]): readonly Token[] =>
  tokens.flatMap((token) =>
    token.type === "blockquote" ? unquoted((token as Tokens.Blockquote).tokens) : [token],
  );

/** Every note among the tokens of a document; indented text below a note continues it. */
export function notesOf(tokens: readonly Token[]): MarkdownNotes {
  const texts = new Map<string, string>();
  const definitions = new Map<Token, readonly string[]>();
  let last: string | undefined;
  for (const token of unquoted(tokens)) {
    if (token.type === "space") continue;
    const own = defined(token);
    const isMore = token.type === "code" && (token as Tokens.Code).codeBlockStyle === "indented";
    if (isMore && last !== undefined) {
      texts.set(last, `${texts.get(last)} ${(token as Tokens.Code).text}`);
      definitions.set(token, []);
      continue;
    }
    for (const [name, text] of own) texts.set(name.toLowerCase(), text);
    last = own.at(-1)?.[0].toLowerCase();
    if (own.length > 0)
      definitions.set(
        token,
        own.map(([name]) => name),
      );
  }
  return { texts, numbers: new Map(), definitions };
}

/**
 * Writes the numbers of notes for their marks in the text of a token, which is changed, and returns the names
 * of the notes that it calls. Marks of no note stay, and so does code.
 */
export function numberNoteReferences(
  notes: MarkdownNotes,
  token: Token,
  walkTokens: typeof import("marked")["walkTokens"],
): readonly string[] {
  const called = new Set<string>();
  const numbered = (text: string): string =>
    text.replace(mark, (whole, name: string) => {
      const key = name.toLowerCase();
      if (!notes.texts.has(key)) return whole;
      const number = notes.numbers.get(key) ?? notes.numbers.size + 1;
      notes.numbers.set(key, number);
      called.add(key);
      return `[${number}]`;
    });
  walkTokens([token], (each) => {
    if (each.type !== "text" && each.type !== "link") return;
    const leaf = each as Tokens.Text | Tokens.Link;
    if (leaf.type === "text" && leaf.tokens !== undefined) return;
    const text = numbered(leaf.type === "link" ? leaf.raw : leaf.text);
    if (leaf.type === "text") leaf.text = text;
    // The lexer takes a mark for a link to the address that it took the note for.
    else if (text !== leaf.raw && /^\[\^[^\]]*\]$/.test(leaf.raw))
      Object.assign(leaf, { text, tokens: undefined });
  });
  return [...called];
}

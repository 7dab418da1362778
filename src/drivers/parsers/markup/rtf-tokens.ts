/** One piece of RTF. */
export type RtfToken =
  | { readonly kind: "open" }
  | { readonly kind: "close" }
  | { readonly kind: "word"; readonly word: string; readonly value: number | undefined }
  | { readonly kind: "byte"; readonly byte: number }
  | { readonly kind: "text"; readonly text: string };

/** Pieces of an RTF file read as latin1, in order. */
export function* rtfTokens(source: string): Generator<RtfToken> {
  const plain = /[^\\{}\r\n]+/y;
  const word = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;
  for (let place = 0; place < source.length; ) {
    const sign = source[place];
    if (sign === "{" || sign === "}") {
      yield { kind: sign === "{" ? "open" : "close" };
      place++;
    } else if (sign === "\\") {
      word.lastIndex = place;
      const found = word.exec(source);
      if (found !== null) {
        const [whole, name = "", digits] = found;
        const value = digits === undefined ? undefined : Number(digits);
        place += whole.length;
        if (name === "bin") place += Math.max(0, value ?? 0);
        else yield { kind: "word", word: name, value };
        continue;
      }
      const next = source[place + 1] ?? "";
      if (next === "'") {
        const byte = Number.parseInt(source.slice(place + 2, place + 4), 16);
        if (Number.isFinite(byte)) yield { kind: "byte", byte };
        place += 4;
      } else {
        const signs: Readonly<Record<string, string>> = { "~": "\u00a0", _: "\u2011", "-": "" };
        if (next === "*") yield { kind: "word", word: "*", value: undefined };
        else if (next === "\n" || next === "\r") yield { kind: "word", word: "par", value: undefined };
        else yield { kind: "text", text: signs[next] ?? next };
        place += 2;
      }
    } else if (sign === "\r" || sign === "\n") place++;
    else {
      plain.lastIndex = place;
      const text = plain.exec(source)?.[0] ?? sign ?? "";
      yield { kind: "text", text };
      place += text.length;
    }
  }
}

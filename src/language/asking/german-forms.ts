const endings = ["en", "er", "es", "e", "n", "s"];
const umlauts: Readonly<Record<string, string>> = { au: "äu", a: "ä", o: "ö", u: "ü" };
const plain: Readonly<Record<string, string>> = { ä: "a", ö: "o", ü: "u" };

/** Shortest word to split, and shortest parts, in letters: shorter ones are mostly unrelated words. */
const limits = { compound: 9, head: 4, modifier: 5 };

/** Umlauts the last vowel that allows it: `flug` → `flüg`, `raum` → `räum`. */
function withUmlaut(base: string): string {
  const last = Math.max(...["a", "o", "u"].map((vowel) => base.lastIndexOf(vowel)));
  const start = base.slice(last - 1, last + 1) === "au" ? last - 1 : last;
  const vowel = base.slice(start, last + 1);
  return last === -1 ? base : base.slice(0, start) + (umlauts[vowel] ?? vowel) + base.slice(last + 1);
}

const withoutUmlaut = (base: string): string => base.replace(/[äöü]/gu, (vowel) => plain[vowel] ?? vowel);

/** Beginnings and ends of a long word that may be words themselves. */
function partsOf(word: string): string[] {
  if (word.length < limits.compound) return [];
  const parts: string[] = [];
  for (let at = limits.modifier; at <= word.length - limits.head; at += 1)
    parts.push(word.slice(0, at), word.slice(at));
  return parts.filter((part) => part.length >= limits.head);
}

/**
 * Forms of a German query word that a text may have: inflections (`flug`, `flüge`) and possible parts of a
 * compound (`reisekostenabrechnung`: `abrechnung`). Generated without a dictionary, so most are no words;
 * they are only looked up among the words of a passage. Lower case in and out.
 */
export function germanForms(word: string): readonly string[] {
  if (!/^\p{L}{4,40}$/u.test(word)) return [];
  const bases = new Set([
    word,
    ...endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length)),
  ]);
  const stems = [...bases]
    .filter((base) => base.length >= 3)
    .flatMap((base) => [base, withUmlaut(base), withoutUmlaut(base)]);
  const forms = stems.flatMap((base) => [base, ...endings.map((ending) => base + ending)]);
  return [...new Set([...forms, ...partsOf(word)])];
}

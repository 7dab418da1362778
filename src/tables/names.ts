/** Reserved words of SQL, which cannot be names without quotes. */
const reserved = new Set(
  "add all alter and as asc between by case check collate column commit constraint create cross current default delete desc distinct drop else end escape except exists foreign from full group having if in index inner insert intersect into is join key left like limit match natural not null of offset on or order outer primary references right row rows select set table then to transaction union unique update user using values view when where with".split(
    " ",
  ),
);

/** Quotes any table or column name for SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a name only if SQL requires it, for display. */
export const quotedIfNeeded = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : quoteName(name);

/** Latin letters that do not decompose. */
const spelt: Readonly<Record<string, string>> = {
  đ: "d",
  ß: "ss",
  ø: "o",
  æ: "ae",
  œ: "oe",
  ł: "l",
  ı: "i",
};

/** Derives a name from a heading that needs no quotes and is not in `taken`, to which it is added. */
export function safeName(heading: string, fallback: string, taken: Set<string>): string {
  const plain = heading
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[đßøæœłı]/g, (letter) => spelt[letter] ?? letter)
    .replaceAll("%", " percent ")
    .replaceAll("#", " number ")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "")
    .slice(0, 40);
  const named = plain === "" ? fallback : plain;
  const base = /^\d/.test(named) || reserved.has(named) ? `c_${named}` : named;
  let name = base;
  for (let copy = 2; taken.has(name); copy += 1) name = `${base}_${copy}`;
  taken.add(name);
  return name;
}

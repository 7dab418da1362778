/**
 * MinHash signature of a text: the share of equal positions in two signatures estimates the share of shingles
 * both have.
 */
export type Signature = Uint32Array;

/** Source: Broder 1997, min-wise hashing; 64 positions give a standard error of about 0.06 at 0.5. */
const places = 64;
const shingleWords = 5;
/**
 * Positions per band: pairs that agree in a whole band are compared. 16 bands of 4 catch a similarity of 0.8
 * with p > 0.999.
 */
const bandPlaces = 4;

const multipliers = Uint32Array.from(
  { length: places },
  (_, place) => (Math.imul(place + 1, 0x9e3779b1) | 1) >>> 0,
);
const offsets = Uint32Array.from({ length: places }, (_, place) => Math.imul(place + 1, 0x85ebca6b) >>> 0);

/** FNV-1a, 32 bit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The low bits of FNV are weak; multiplication mixes them before hashes are compared.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

/** The signature of a text's five-word shingles; undefined for one too short to compare. */
export function signatureOf(text: string): Signature | undefined {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < shingleWords * 2) return undefined;
  const signature = new Uint32Array(places).fill(0xffffffff);
  for (let start = 0; start + shingleWords <= words.length; start++) {
    const hash = hashOf(words.slice(start, start + shingleWords).join(" "));
    for (let place = 0; place < places; place++) {
      const mixed = (Math.imul(hash, multipliers[place] ?? 1) + (offsets[place] ?? 0)) >>> 0;
      if (mixed < (signature[place] ?? 0)) signature[place] = mixed;
    }
  }
  return signature;
}

/**
 * Share of equal positions in two signatures: an estimate of the Jaccard similarity of their shingles, in [0,
 * 1].
 */
export function similarity(one: Signature, two: Signature): number {
  let equal = 0;
  for (let place = 0; place < places; place++) if (one[place] === two[place]) equal++;
  return equal / places;
}

/** Every pair of a list, in order. */
function* pairsOf<T>(members: readonly T[]): Generator<readonly [T, T]> {
  for (const [index, one] of members.entries()) for (const two of members.slice(index + 1)) yield [one, two];
}

/** Pairs with at least `threshold` similarity, most similar first; banding avoids comparing every pair. */
export function nearDuplicates<T>(
  texts: readonly { readonly of: T; readonly signature: Signature }[],
  threshold: number,
): readonly { readonly one: T; readonly two: T; readonly similarity: number }[] {
  const pairs = new Map<string, { one: T; two: T; similarity: number }>();
  for (let band = 0; band < places; band += bandPlaces) {
    const groups = Map.groupBy(
      texts.keys(),
      (at) => texts[at]?.signature.slice(band, band + bandPlaces).join(" ") ?? "",
    );
    for (const members of groups.values()) {
      for (const [at, other] of pairsOf(members)) {
        const one = texts[at];
        const two = texts[other];
        if (one === undefined || two === undefined || pairs.has(`${at} ${other}`)) continue;
        pairs.set(`${at} ${other}`, {
          one: one.of,
          two: two.of,
          similarity: similarity(one.signature, two.signature),
        });
      }
    }
  }
  return [...pairs.values()]
    .filter((pair) => pair.similarity >= threshold)
    .sort((a, b) => b.similarity - a.similarity);
}

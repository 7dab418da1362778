import type { PageFacts } from "../page/drawing.ts";

/**
 * Whether a page's text layer is used unchanged, OCR is asked, or both are compared and the richer is kept.
 */
export type OcrDecision = "text" | "ocr" | "compare";

// Shares of a to z in running text, mean of English, German, French, Spanish, Italian and Dutch. Source:
// letter counts of Wikipedia dumps.
const usual = [
  0.083, 0.014, 0.033, 0.045, 0.148, 0.012, 0.016, 0.027, 0.077, 0.004, 0.008, 0.046, 0.027, 0.079, 0.061,
  0.022, 0.006, 0.066, 0.067, 0.07, 0.037, 0.014, 0.011, 0.003, 0.008, 0.006,
];

/**
 * Calls `onCode` for every character of plain ASCII; returns the others, which hardly any page has many of.
 */
function eachPlain(text: string, onCode: (code: number) => void): string {
  let others = "";
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) onCode(code);
    else others += text[index];
  }
  return others;
}

/** Letters and digits of any script. */
function lettersIn(text: string): number {
  let count = 0;
  const others = eachPlain(text, (code) => {
    const low = code | 32;
    if ((low >= 97 && low <= 122) || (code >= 48 && code <= 57)) count++;
  });
  return count + (others === "" ? 0 : (others.match(/[\p{L}\p{N}]/gu)?.length ?? 0));
}

/**
 * How usual the Latin letters' mix is: near 0.07 for text of any European language, near 0.04 for letters
 * mapped wrongly.
 */
function likeness(text: string): number | undefined {
  const counts = new Uint16Array(26);
  let letters = 0;
  const count = (code: number) => {
    const place = (code | 32) - 97;
    if (code < 65 || place < 0 || place > 25) return;
    counts[place] = (counts[place] ?? 0) + 1;
    letters++;
  };
  const others = eachPlain(text.slice(0, 4000), count);
  if (others !== "") eachPlain(others.toLowerCase().normalize("NFD"), count);
  if (letters < 200) return undefined;
  return counts.reduce((sum, each, index) => sum + (each / letters) * (usual[index] ?? 0), 0);
}

/**
 * Whether a page's text differs from what it shows: unmapped characters, or letters that no language combines
 * so.
 */
export function isGarbage(text: string): boolean {
  const solid = text.slice(0, 4000).replace(/[\s.·_\-–—]+/g, "");
  if (solid.length < 8) return false;
  const isPlain = /^[\u0009-\u007e]*$/.test(solid) && !solid.includes("(cid:");
  const bad = isPlain
    ? 0
    : (
        solid.match(/[\ufffd\ue000-\uf8ff\u0080-\u009f\u0000-\u0008\u{f0000}-\u{10fffd}]|\(cid:\d+\)/gu) ?? []
      ).join("").length;
  if (bad > solid.length * 0.15) return true;
  const sense = lettersIn(solid);
  if (solid.length >= 60 && sense < solid.length * 0.35) return true;
  const share = likeness(text);
  // Of 421 pages of real text none lay below 0.062, of 2 105 with their letters exchanged none above 0.052.
  return share !== undefined && share < 0.053;
}

function imageShare(facts: PageFacts, width: number, height: number): number {
  let area = 0;
  for (const { x0, y0, x1, y1 } of facts.images) {
    area +=
      Math.max(0, Math.min(x1, width) - Math.max(x0, 0)) *
      Math.max(0, Math.min(y1, height) - Math.max(y0, 0));
  }
  return Math.min(1, area / (width * height));
}

/** The verdict on a page by what it draws, given the number of visible letters. */
function judgeDrawing(letters: number, facts: PageFacts, width: number, height: number): OcrDecision {
  if (letters < 4) {
    const mayHoldText = facts.images.length > 0 || facts.curves > 100 || facts.hiddenBytes > 3;
    return mayHoldText ? "ocr" : "text";
  }
  const share = imageShare(facts, width, height);
  if (facts.hiddenBytes > 2 * facts.visibleBytes && share > 0.4) return "ocr";
  if (share > 0.5 && letters < 250) return "compare";
  if (share > 0.15 && letters < 60) return "compare";
  return letters < 120 && facts.curves > 1500 ? "compare" : "text";
}

/**
 * How to read a page, by its visible text and what it draws:
 * 1. garbage, or nothing but hidden text: OCR;
 * 2. hardly any text, and an image or outlines that may hold some: OCR, and the richer of both is kept;
 * 3. otherwise the text layer.
 */
export function decideOcr(
  text: string,
  facts: PageFacts | undefined,
  width: number,
  height: number,
): OcrDecision {
  // No threshold below is higher than the count that a start of this length can reach.
  const letters = lettersIn(text.slice(0, 2000));
  if (isGarbage(text)) return "ocr";
  if (facts !== undefined) return judgeDrawing(letters, facts, width, height);
  if (letters < 12) return "ocr";
  return letters < 80 ? "compare" : "text";
}

import { holdsValue } from "./asking/values.ts";
import { alternatives, anyApart } from "./languages.ts";
import { quantitiesIn } from "./quantities.ts";
import { normalize } from "./terms.ts";

/** What of the look of a page a question asks for. */
export type Look = "writing" | "color" | "pictures";

const asks = [
  { look: "writing", form: anyApart(alternatives(({ looks }) => looks?.writing.asks)) },
  { look: "color", form: anyApart(alternatives(({ looks }) => looks?.color.asks)) },
  { look: "pictures", form: anyApart(alternatives(({ looks }) => looks?.pictures.asks)) },
] as const;

/** What of the look of a page a question asks for; null for nothing that one must see. */
export function lookAsked(question: string): Look | null {
  const text = question.normalize("NFC");
  const isAsked = ({ look, form }: (typeof asks)[number]): boolean => {
    const match = form.exec(text);
    if (match === null) return false;
    // A colour with a capital is part of a name: `Gray Bar Press`.
    return look !== "color" || match.index === 0 || !/^\p{Lu}\p{Ll}/u.test(match[0]);
  };
  return asks.find(isAsked)?.look ?? null;
}

const told = {
  writing: anyApart(alternatives(({ looks }) => looks?.writing.holds)),
  color: anyApart(alternatives(({ values }) => values?.color?.holds)),
  pictures: anyApart(alternatives(({ looks }) => looks?.pictures.holds)),
} as const;
const placed = anyApart(alternatives(({ looks }) => looks?.pictures.places));

/**
 * Whether a text tells such a look in its own words, of whatever thing: a style, a colour, or a picture with its place
 * or a number.
 */
export function tellsLook(look: Look, text: string): boolean {
  const plain = text.normalize("NFC");
  if (look === "color") return holdsValue("color", plain);
  const isTold = told[look].test(plain);
  return look === "pictures"
    ? isTold && (placed.test(plain) || quantitiesIn(normalize(plain)).length > 0)
    : isTold;
}

/** A question without the words of its look and of pages: the thing that is looked at is left. */
export const withoutLook = (look: Look, question: string): string =>
  (question.normalize("NFC").match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    .filter((word) => !told[look].test(word) && !placed.test(word))
    .join(" ");

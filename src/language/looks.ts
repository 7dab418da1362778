import { holdsValue } from "./asking/values.ts";
import { alternatives, anyApart } from "./languages.ts";
import { quantitiesIn } from "./quantities.ts";
import { normalize } from "./terms.ts";

/** An aspect of a page's appearance. */
export type Look = "writing" | "color" | "pictures";

const asks = [
  { look: "writing", form: anyApart(alternatives(({ looks }) => looks?.writing.asks)) },
  { look: "color", form: anyApart(alternatives(({ looks }) => looks?.color.asks)) },
  { look: "pictures", form: anyApart(alternatives(({ looks }) => looks?.pictures.asks)) },
] as const;

/** The aspect of a page's appearance that a question asks for; null for none. */
export function lookAsked(question: string): Look | null {
  const text = question.normalize("NFC");
  const isAsked = ({ look, form }: (typeof asks)[number]): boolean => {
    const match = form.exec(text);
    if (match === null) return false;
    // A capitalised colour is part of a name: `Gray Bar Press`.
    return look !== "color" || match.index === 0 || !/^\p{Lu}\p{Ll}/u.test(match[0]);
  };
  return asks.find(isAsked)?.look ?? null;
}

const describing = {
  writing: anyApart(alternatives(({ looks }) => looks?.writing.holds)),
  color: anyApart(alternatives(({ values }) => values?.color?.holds)),
  pictures: anyApart(alternatives(({ looks }) => looks?.pictures.holds)),
} as const;
const placed = anyApart(alternatives(({ looks }) => looks?.pictures.places));

/**
 * Whether a text describes such an appearance, of whatever thing: a style, a colour, or a picture with a
 * place or number.
 */
export function tellsLook(look: Look, text: string): boolean {
  const plain = text.normalize("NFC");
  if (look === "color") return holdsValue("color", plain);
  const isDescribed = describing[look].test(plain);
  return look === "pictures"
    ? isDescribed && (placed.test(plain) || quantitiesIn(normalize(plain)).length > 0)
    : isDescribed;
}

/** A question without words for the appearance and for pages, which leaves the thing itself. */
export const withoutLook = (look: Look, question: string): string =>
  (question.normalize("NFC").match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    .filter((word) => !describing[look].test(word) && !placed.test(word))
    .join(" ");

import { baselessNo, restrictedYes } from "./affirmation.ts";
import type { Check, Claim } from "./claim.ts";
import { misplacedFigure } from "./figures/binding.ts";
import { exchangedName, misattributedName, nameOfOthers } from "./names.ts";
import { deniesYes, heldPolarity, isOpposed } from "./polarity.ts";
import { answersElse, bearsOn, countsElse, lacksValue, standsElsewhere } from "./relevance.ts";
import { missingNumber } from "./ties/numbers.ts";
import { missingDate, missingName, missingWords, wordsOfNumbers } from "./ties/words.ts";
import { otherYear } from "./years.ts";

/** Words of a statement that count as supported although the passages express them differently. */
interface Grant {
  readonly id: string;
  readonly words: (claim: Claim) => readonly string[];
}

/** Exceptions to the word tie. */
const grants: readonly Grant[] = [
  { id: "heldPolarity", words: heldPolarity },
  { id: "wordsOfNumbers", words: wordsOfNumbers },
];

/** Words covered by any grant that is not switched off. */
export const grantedBy = (claim: Claim, off: ReadonlySet<string>): readonly string[] =>
  grants.flatMap(({ id, words }) => (off.has(id) ? [] : words(claim)));

const always = (): boolean => true;
const ofYesNo = ({ asked, isFound, isForeign }: Claim): boolean =>
  asked.kind === "yes_no" && !isFound && !isForeign;
const ofPassages = ({ isFound }: Claim): boolean => !isFound;
const readable = ({ isForeign }: Claim): boolean => !isForeign;
/** Whether a statement answers its question can only be checked in the question's language. */
const answering = ({ isForeign, language, asked }: Claim): boolean =>
  !isForeign && language === asked.language;
const compared = (claim: Claim): boolean => answering(claim) && ofPassages(claim);

/** Required ties between a statement and its passages: without them it is unsupported. */
export const ties: readonly Check[] = [
  { id: "date", applies: always, check: missingDate },
  { id: "number", applies: always, check: missingNumber },
  { id: "name", applies: always, check: missingName },
  { id: "word", applies: readable, check: missingWords },
];

/** In the order they are tried. */
export const rules: readonly Check[] = [
  { id: "deniesYes", applies: ofYesNo, check: deniesYes },
  { id: "restrictedYes", applies: ofYesNo, check: restrictedYes },
  { id: "baselessNo", applies: ofYesNo, check: baselessNo },
  { id: "misplacedFigure", applies: ofPassages, check: misplacedFigure },
  { id: "isOpposed", applies: always, check: isOpposed },
  { id: "misattributedName", applies: ofPassages, check: misattributedName },
  { id: "exchangedName", applies: ofPassages, check: exchangedName },
  { id: "nameOfOthers", applies: ofPassages, check: nameOfOthers },
  { id: "otherYear", applies: compared, check: otherYear },
  { id: "bearsOn", applies: answering, check: bearsOn },
  { id: "standsElsewhere", applies: compared, check: standsElsewhere },
  { id: "answersElse", applies: compared, check: answersElse },
  { id: "lacksValue", applies: compared, check: lacksValue },
  { id: "countsElse", applies: compared, check: countsElse },
];

/**
 * Checks that remove even a capable reader's statements. The other rules mark them, because they would remove
 * too many correct ones (docs/decisions/0017-an-able-reader-is-marked.md).
 */
export const ofEveryReader: ReadonlySet<string> = new Set(["date", "number", "name"]);

/** Rules for a yes or no: the passage's own sentence replaces what they remove. */
export const ofAffirmation: ReadonlySet<string> = new Set(["deniesYes", "restrictedYes", "baselessNo"]);

/** Ids of what accepts a statement worded differently from its passages; without them more is removed. */
export const vouching: readonly string[] = ["reckoned", ...grants.map(({ id }) => id)];

import { baselessNo, restrictedYes } from "./affirmation.ts";
import type { Check, Claim } from "./claim.ts";
import { misplacedFigure } from "./figures/binding.ts";
import { exchangedName, misattributedName, nameOfOthers } from "./names.ts";
import { deniesYes, heldPolarity, isOpposed } from "./polarity.ts";
import { answersElse, bearsOn, countsElse, lacksValue, standsElsewhere } from "./relevance.ts";
import { missingNumber } from "./ties/numbers.ts";
import { missingDate, missingName, missingWords, wordsOfNumbers } from "./ties/words.ts";
import { otherYear } from "./years.ts";

/** Words of a statement that count as said by its passages, though these say it otherwise. */
interface Grant {
  readonly id: string;
  readonly words: (claim: Claim) => readonly string[];
}

/** The grants, which the tie of words heeds. */
const grants: readonly Grant[] = [
  { id: "heldPolarity", words: heldPolarity },
  { id: "wordsOfNumbers", words: wordsOfNumbers },
];

/** The words that the passages of a claim say otherwise, by all grants but those that are switched off. */
export const grantedBy = (claim: Claim, off: ReadonlySet<string>): readonly string[] =>
  grants.flatMap(({ id, words }) => (off.has(id) ? [] : words(claim)));

const always = (): boolean => true;
const ofYesNo = ({ asked, isFound, isForeign }: Claim): boolean =>
  asked.kind === "yes_no" && !isFound && !isForeign;
const ofPassages = ({ isFound }: Claim): boolean => !isFound;
const readable = ({ isForeign }: Claim): boolean => !isForeign;
/** What is asked for is only told of a statement in the language of its question. */
const answering = ({ isForeign, language, asked }: Claim): boolean =>
  !isForeign && language === asked.language;
const compared = (claim: Claim): boolean => answering(claim) && ofPassages(claim);

/** What ties a statement to its passages: without these nothing is supported. */
export const ties: readonly Check[] = [
  { id: "date", applies: always, check: missingDate },
  { id: "number", applies: always, check: missingNumber },
  { id: "name", applies: always, check: missingName },
  { id: "word", applies: readable, check: missingWords },
];

/** The rules, in the order in which they are tried. */
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
 * What removes a statement of an able reader too. The other rules mark it, as they would remove too many right
 * ones (docs/decisions/0017-an-able-reader-is-marked.md).
 */
export const ofEveryReader: ReadonlySet<string> = new Set(["date", "number", "name"]);

/** Rules on an answer that says yes or no: what they remove is shown as the passage says it. */
export const ofAffirmation: ReadonlySet<string> = new Set(["deniesYes", "restrictedYes", "baselessNo"]);

/** Ids of what vouches for a statement that says something otherwise than its passages; without these more is removed. */
export const vouching: readonly string[] = ["reckoned", ...grants.map(({ id }) => id)];

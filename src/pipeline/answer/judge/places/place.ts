import type { Claim } from "../claim.ts";
import { otherItem } from "./items.ts";
import { otherPage } from "./page.ts";
import { otherShown } from "./shown.ts";

/** Why what is cited is of another place than the one that is asked about; "" where it is not. */
export function otherPlace({ asked, text, cited, where }: Claim): string {
  const shown = otherShown(asked, cited);
  if (shown !== null) return `${where} is not of ${shown.kind} ${shown.number}`;
  const page = otherPage(asked, cited);
  if (page !== null) return `${where} is not of page ${page}`;
  const item = otherItem(asked, text, cited);
  return item === null ? "" : `is number ${item.given} of a list in ${where}, not ${item.asked}`;
}

/** Digits, groups and decimals of one number as people write them. */
const numberPattern = /(?<![\p{L}\d_.,])\d[\d.,]*\d|(?<![\p{L}\d_.,])\d(?![\d.,])/gu;

/**
 * A number as people write it, as a plain decimal: `2,340` → `2340`, `1.234.567,89` → `1234567.89`, `12,5` →
 * `12.5`. A single dot is always a decimal point, and a single comma before exactly three digits always
 * groups thousands; null if the number fits neither form. Texts are compared by every possible reading
 * instead: `readings` in `language/quantities.ts`.
 */
export function plainNumber(written: string): string | null {
  if (/^\d+(\.\d+)?$/.test(written)) return written;
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(written)) return written.replaceAll(",", "");
  if (/^\d{1,3}(\.\d{3}){2,}(,\d+)?$/.test(written) || /^\d{1,3}\.\d{3},\d+$/.test(written))
    return written.replaceAll(".", "").replace(",", ".");
  if (/^\d+,\d+$/.test(written)) return written.replace(",", ".");
  return null;
}

/** Whether a text has a function call, whose commas separate arguments and are no part of numbers. */
const hasCall = (text: string): boolean => /[a-z][\d_]*\s*\((?:(?![a-z][\d_]*\s*\()[^),])*,/i.test(text);

/** A text with every number as a plain decimal; null if one of them is ambiguous. */
export function plainNumbers(text: string): string | null {
  if (hasCall(text)) return text;
  let readable = true;
  const plain = text.replaceAll(numberPattern, (written) => {
    const number = plainNumber(written);
    if (number === null) readable = false;
    return number ?? written;
  });
  return readable ? plain : null;
}

/** Groups thousands for display: `1234567.5` → `1,234,567.5`; a date stays as it is. */
export function groupThousands(decimal: string): string {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(?![\d-])(.*)$/s.exec(decimal) ?? [];
  const first = whole.length % 3;
  const groups = [whole.slice(0, first), ...(whole.slice(first).match(/\d{3}/g) ?? [])].filter(
    (digits) => digits !== "",
  );
  return whole === "" ? decimal : `${sign}${groups.join(",")}${rest}`;
}

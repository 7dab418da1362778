/** Words that say nothing about the subject, English and Vietnamese; the latter by syllable. */
const stopWords = new Set(
  `a an and any are as at be been being but by can could did do does doing done each for from had has have having how i if in into is it its
itself just like many may me might more most much must my no nor not of off on one only or other our out over own please s shall she he should
so some such t than that the their them then there these they this those to too under up us using very was we were what when where whether
which while who whom whose why will with would you your about according also answer based between both describe document during explain
find following give given list mention mentioned name please provide provided question report say says state tell text
ai anh bao bằng bị bởi các cái cho chỉ chúng chưa có còn của cùng cũng do đã đang đây đến để đều đi điều được đâu gì giữa hay hãy hơn
khi không là lại làm lên lúc mà mấy một mỗi nào này nên nếu người nhiêu nhiều như nhưng những nó nơi ở phải qua ra rằng rất sau sẽ số ta
tại theo thì thế thêm tới tôi trên trong trước từ và vào vẫn vậy về vì việc với xin`.split(/\s+/),
);

/** Whether a word, in any case, says nothing about the subject. */
export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase());

const wordPattern = /[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*/gu;

/** Text in the form words are compared in: NFKC, lower case, fiscal years and quarters as plain years (`FY22` → `2022`). */
export function normalize(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\bfy[\s']?(?=(?:19|20)\d\d\b)/g, " ")
    .replace(/\bfy[\s']?(\d\d)\b/g, " 20$1 ")
    .replace(/\bq([1-4])[\s']?((?:19|20)\d\d)\b/g, " q $1 $2 ");
}

/** A word without its English ending, so that `stores` meets `store`; words of other scripts are returned as they are. */
export function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return /^\p{N}/u.test(word) ? word.replaceAll(",", "") : word;
  const cut = word.replace(/(?:ies|ied)$/, "y").replace(/(?:ings?|ed|es|s|ly)$/, "");
  const root = cut.length >= 3 ? cut : word;
  return root.length > 4 ? root.replace(/e$/, "").replace(/(.)\1$/, "$1") : root.replace(/e$/, "");
}

/** Every word of a text as compared, in order, stop words included. */
export function words(text: string): string[] {
  return (normalize(text).match(wordPattern) ?? []).map(stem);
}

/** The words of a text that carry its subject, each once. */
export function contentTerms(text: string): string[] {
  const found = (normalize(text).match(wordPattern) ?? []).filter((word) => !stopWords.has(word)).map(stem);
  return [...new Set(found.filter((term) => term.length > 1 || /[\p{N}\p{Lo}]/u.test(term)))];
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
const abbreviation =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|Inc|Ltd|Co|Corp|No|vs|etc|e\.g|i\.e|Fig|Eq|al|St|Jr|Sr|U\.S|approx|TS|PGS|GS|ThS)\.$/u;

/** An abbreviation with what stands before and after it has at most so many characters. */
const longestAbbreviation = 12;

/** Sentences of a text, trimmed, none empty; a line break ends one, an abbreviation does not. */
export function sentences(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split(/\n+/)) {
    let pending = "";
    let end = "";
    for (const { segment } of segmenter.segment(line)) {
      pending += segment;
      // The end alone is looked at: a text of nothing but abbreviations would be read anew with each.
      const seen = end + segment;
      const last = seen.trimEnd().slice(-longestAbbreviation);
      end = `${last}${seen.length > seen.trimEnd().length ? " " : ""}`;
      if (abbreviation.test(last)) continue;
      if (pending.trim() !== "") found.push(pending.trim());
      pending = "";
      end = "";
    }
    if (pending.trim() !== "") found.push(pending.trim());
  }
  return found;
}

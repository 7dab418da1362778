/** Longest text that is looked at, in characters. */
const longest = 2000;

/** Ways to ask for a search of the web; the words to search for follow the phrase, or stand within it as `query`. */
const phrases: readonly RegExp[] = [
  /\bsearch (?:the )?(?:web|internet)(?: for| about)?\b(?! ?(?:interface|page|site|app|portal|server|ui)\b)/iu,
  /\b(?:web|internet|online) search (?:for|about|on)\b/iu,
  /\bsearch online (?:for|about)\b/iu,
  /\b(?:search|look up|look for|find|research|check)(?: for)? (?<query>[^?!.\n]{1,300}?) (?:on the (?:web|internet)|online)(?=[\s?!.]*$)/iu,
  /(?<!\p{L})such(?:e|en sie)? (?:im (?:web|internet|netz)|online) nach(?!\p{L})/iu,
  /(?<!\p{L})(?:re)?cherche[rz]? (?:sur (?:le web|internet|le net)|en ligne)(?!\p{L})/iu,
  /(?<!\p{L})(?:tìm|tìm kiếm|tra cứu) (?:trên|qua) (?:mạng|web|internet)(?!\p{L})/iu,
];

/** The words a question asks to search the web for; null where it asks for no such search. */
export function webRequest(question: string): string | null {
  const text = question.slice(0, longest).replace(/\s+/g, " ").trim();
  for (const phrase of phrases) {
    const match = phrase.exec(text);
    if (match === null) continue;
    const query =
      match.groups?.["query"] ??
      text
        .slice(match.index + match[0].length)
        .split(/[.?!] /u, 1)
        .join("");
    const words = query.replace(/^[\s:,–-]+/u, "").replace(/[\s?!.]{1,20}$/u, "");
    return words === "" ? text : words;
  }
  return null;
}

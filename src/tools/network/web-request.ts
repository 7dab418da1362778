/** Longest text considered, in characters. */
const longest = 2000;

/** Phrases that request a web search; the search terms follow. */
const phrases: readonly RegExp[] = [
  /\bsearch (?:the )?(?:web|internet)(?: for| about)?\b(?! ?(?:interface|page|site|app|portal|server|ui)\b)/iu,
  /\b(?:web|internet|online) search (?:for|about|on)\b/iu,
  /\bsearch online (?:for|about)\b/iu,
  /(?<!\p{L})such(?:e|en sie)? (?:im (?:web|internet|netz)|online) nach(?!\p{L})/iu,
  /(?<!\p{L})(?:re)?cherche[rz]? (?:sur (?:le web|internet|le net)|en ligne)(?!\p{L})/iu,
  /(?<!\p{L})(?:tìm|tìm kiếm|tra cứu) (?:trên|qua) (?:mạng|web|internet)(?!\p{L})/iu,
];

/** `Find … online`: a verb, the search terms, and the place at the end. */
const lookup = /\b(?:search|look up|look for|find|research|check)(?: for)? /iu;
const place = / (?:on the (?:web|internet)|online)$/iu;

/** The words between the verb and the place; null if the question has another form. */
function lookedUp(text: string): string | null {
  const question = text.replace(/[\s?!.]{1,20}$/u, "");
  const end = place.exec(question)?.index;
  const verb = end === undefined ? null : lookup.exec(question.slice(0, end));
  if (verb === null) return null;
  const words = question.slice(verb.index + verb[0].length, end);
  return words === "" || words.length > 300 || /[?!.\n]/.test(words) ? null : words;
}

/** The terms of an explicitly requested web search; null if none is requested. */
export function parseWebSearch(question: string): string | null {
  const text = question.slice(0, longest).replace(/\s+/g, " ").trim();
  for (const phrase of phrases) {
    const match = phrase.exec(text);
    if (match === null) continue;
    const query = text
      .slice(match.index + match[0].length)
      .split(/[.?!] /u, 1)
      .join("");
    const words = query.replace(/^[\s:,–-]+/u, "").replace(/[\s?!.]{1,20}$/u, "");
    return words === "" ? text : words;
  }
  return lookedUp(text);
}

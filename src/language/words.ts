/** Words that carry no subject: English, Vietnamese (by syllable), French, German. */
const functionWords = new Set(
  `a about above after again all also am an and any are as at be been before being below between both but by can could did do does doing done
down during each either else ever every few for from further get gets getting give gives got had has have having he her here hers him his how
however i if in into is it its itself just let like many may maybe me might more most much must my need needs neither no nor not now of off on
once only or other our ours out over own per please same shall she should since so some still such tell than thank thanks that the their them
then there these they this those through till to too under until up upon us very versus vs want was we were what when where whether which while
who whom whose why will with within without would yes yet you your yours uh um er hm hmm huh eh oh hey don didn doesn isn aren wasn weren won couldn shouldn wouldn haven hasn ain s t re ve ll d m
ai anh bao bạn bằng bị bởi các cái cho chỉ chị chúng chưa có còn của cũng do đã đang đây đến để đều đi đó được đâu gì hay hãy hơn họ khi không
kia là làm lại lên mà mấy một mỗi nào này nên nếu nhé nhiêu những như nó ở phải ra rằng rất sao sau sẽ ta tại theo thì thế tôi từ trên trong trước và vào vẫn vậy về vì
với xin ạ ơi
au aux avec c ce ces cette ceci cela ça ci comme comment d dans de des du elle elles en est et eux il ils j je l la le les leur lui ma mais me
mes moi mon n ne nous on ou où par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te tes toi ton tu un
une vous y
aber als am an auch auf aus bei beim bin bis bist da dann das dass dein dem den denn der des die dies diese dieser dieses doch du ein eine einem
einen einer eines er es für gibt haben hat hier ich ihm ihn ihr im in ist ja kann können man mein mich mir mit muss nach nicht noch nun nur ob oder ohne sein sich sie
sind so soll um und uns unser vom von vor wann warum was wegen wenn wer wie wird wo wozu zu zum zur über`.split(
    /\s+/,
  ),
);

/** Nouns and verbs that name no subject of their own. */
const vagueWords = new Set(
  `anything check describe details detail document documents explain explanation file files find further happen happened happens help helps info
information issue it'll kind know look lookup matter mean means mention number ok okay one ones part please point problem problems question
questions regarding related report said say says search show situation something sort status stuff summarise summarize tell term thing things
topic trouble understand update updates use usual way work working works wrong ask asking describe allowed possible
better best cost costs long deadline due rule rules policy policies text item case correct talked talking
biết hỏi giải thích thêm thông tin việc nói chuyện hiểu giúp tài liệu vấn đề hoạt động nghĩa
aide aider chose choses dire dis expliquer explique information informations marche marcher plus problème savoir truc veux
bedeutet erklär erkläre erzähl erzähle frage fragen geht gehen hilfe information mehr problem sag sache sagen wissen`.split(
    /\s+/,
  ),
);

/** Words of any script with inner hyphens, apostrophes and dots, numbers with their separators; e.g. `HP-200`, `3.5`. */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:[-–.,'’/][\p{L}\p{M}\p{N}]+)*/gu;

/** Words as written, in order. */
export function wordsOf(text: string): string[] {
  return text.normalize("NFKC").match(wordPattern) ?? [];
}

/** A word as compared: lower case, English plural, possessive and verb endings off; numbers without thousands separators. */
export function fold(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, "");
  if (/\p{N}/u.test(lower)) return lower.replace(/(?<=\d),(?=\d{3})/g, "");
  if (!/^[a-z]{4,}$/.test(lower)) return lower;
  const cut = lower.replace(/(?:ies|ied)$/, "y").replace(/(?:ings?|ed|es|s|ly)$/, "");
  return (cut.length >= 3 ? cut : lower).replace(/e$/, "");
}

/** Whether a word carries no subject. */
export function isFunctionWord(word: string): boolean {
  const lower = word.toLowerCase().split(/['’]/, 1)[0] ?? "";
  return functionWords.has(lower) || (lower.length === 1 && /[a-z]/.test(lower));
}

/** Whether a word names no subject of its own, e.g. `thing`, `report`, `cost`. */
export function isVague(word: string): boolean {
  return vagueWords.has(word.toLowerCase());
}

/** Words that carry the subject, as written, each once. */
export function contentWords(text: string): string[] {
  const seen = new Set<string>();
  return wordsOf(text).filter((word) => {
    const key = fold(word);
    if (isFunctionWord(word) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Names and numbers, as written: capitalised inside a sentence, in capitals, or with a digit. Neighbours join: `Works Council`. */
export function namesAndNumbers(text: string): string[] {
  const found: string[] = [];
  for (const sentence of text.normalize("NFKC").split(/(?<=[.!?:;])\s+|\n+/)) {
    const tokens = [...sentence.matchAll(wordPattern)];
    let open: { text: string; end: number } | null = null;
    for (const [index, token] of tokens.entries()) {
      const [word] = token;
      const marked =
        /\p{N}/u.test(word) || /\p{Lu}.*\p{Lu}/u.test(word) || (index > 0 && /^\p{Lu}\p{L}/u.test(word));
      if (!marked || (isFunctionWord(word) && !/\p{N}/u.test(word))) {
        open = null;
        continue;
      }
      if (open !== null && sentence.slice(open.end, token.index) === " " && !/\p{N}/u.test(word)) {
        open = { text: `${open.text} ${word}`, end: token.index + word.length };
        found.splice(-1, 1, open.text);
      } else {
        open = { text: word, end: token.index + word.length };
        found.push(word);
      }
    }
  }
  return [...new Set(found)];
}

/** One line without control or invisible characters, spaces single. */
export function oneLine(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

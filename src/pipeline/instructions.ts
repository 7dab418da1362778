import { sentences } from "./terms.ts";

const reply = "(?:answer|reply|response|output|completion|summary you (?:write|give))s?";

/** Forms in which a text speaks to whoever answers from it, instead of telling the reader something. English and Vietnamese. */
const forms: readonly RegExp[] = [
  // The answer that is about to be written: "in your response", "modify your answer to".
  new RegExp(`\\byour\\s+(?:\\p{L}+\\s+){0,2}?(?:${reply}|message|words)\\b`, "iu"),
  new RegExp(`\\b(?:letters|words|vowels|spaces|characters) (?:in|of|from) (?:your|the|this) ${reply}`, "iu"),
  new RegExp(
    `\\b(?:add|append|include|insert|mention|embed|put|begin|start|end|finish|preface)\\b.{0,80}\\b(?:to|in|into|with|at the (?:start|end) of) (?:the|this|any|every|each) ${reply}\\b`,
    "iu",
  ),
  // Other orders are to be put aside.
  /\b(?:ignor\p{L}*|disregard\p{L}*|forget|overrid\p{L}*|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|foregoing|existing|original|all|any|other|system|your|the)\b.{0,40}\b(?:instructions?|prompts?|rules|directions|guidelines|question|passages|commands|constraints)\b/iu,
  /\bnew (?:instructions?|task|role)\s*:/iu,
  // The one who answers is named or given a part to play.
  /\byou are (?:now|no longer|an? (?:ai|assistant|chatbot|language model|llm|helpful)|acting as)\b/iu,
  /\b(?:system|developer) (?:prompt|message|instructions?)\b.{0,60}\b(?:reveal|print|repeat|output|show|is|says?|overrid\p{L}*)\b|\b(?:reveal|print|repeat|output|show)\b.{0,40}\bsystem (?:prompt|message)/iu,
  /(?:^|[\s("“*#>-])(?:dear|attention|hey|hello|note (?:to|for)|instructions? (?:to|for)|important)[\s,:!-]+(?:the |all |any )?(?:ai|assistants?|chatbots?|llms?|language models?|ai (?:assistants?|models?|agents?|systems?))\b/iu,
  /^[\s>*#-]*(?:ai |virtual )?(?:assistant|chatbot|llm)s?\s*[:,]\s/iu,
  /<\|?\/?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\|?>|\[\/?INST\]|<<\/?SYS>>/iu,
  /\b(?:when|if|whenever)\b.{0,60}\b(?:ask(?:s|ed)?|quer(?:y|ies|ied))\b.{0,80}\b(?:respond|reply|output|print)\b/iu,
  /\b(?:respond|reply|answer) (?:only )?(?:with|by|in) (?:only |exactly |just )?(?:the (?:following|word|phrase|text|exact)|["“'])/iu,
  /\bdo not (?:answer|respond to|reply to) (?:the|this|any|that) (?:user|question|query|request)/iu,
  /bỏ qua (?:mọi|tất cả|các|những|toàn bộ)?\s*(?:hướng dẫn|chỉ dẫn|chỉ thị|lệnh|yêu cầu)|trong (?:câu|phần) trả lời (?:của )?(?:bạn|mình)|câu trả lời của bạn/iu,
];

/** Questions about replies and prompts themselves: then such sentences may be what is asked for. */
const asksAboutIt = /\b(?:answer|reply|respond|response|output|prompt|instruction|assistant|chatbot|llm|language model|injection)/iu;

/** Whether a sentence speaks to an assistant about what it should write, do or forget. */
export function addressesAssistant(sentence: string): boolean {
  const plain = sentence.normalize("NFKC").replace(/\s+/g, " ");
  return forms.some((form) => form.test(plain));
}

/** Sentences of a line; what goes on in lower case after a quotation belongs to the sentence before. */
function whole(line: string): string[] {
  const found: string[] = [];
  for (const sentence of sentences(line)) {
    const before = found.at(-1);
    if (before !== undefined && /^\p{Ll}/u.test(sentence)) found[found.length - 1] = `${before} ${sentence}`;
    else found.push(sentence);
  }
  return found;
}

/** A text without the sentences that speak to an assistant, and how many those were; untouched when the question asks about such things. */
export function withoutInstructions(text: string, question: string): { readonly text: string; readonly removed: number } {
  if (asksAboutIt.test(question) || !text.split("\n").flatMap(whole).some(addressesAssistant)) return { text, removed: 0 };
  let removed = 0;
  const lines = text.split("\n").map((line) => {
    const all = whole(line);
    const kept = all.filter((sentence) => !addressesAssistant(sentence));
    removed += all.length - kept.length;
    return kept.length === all.length ? line : kept.join(" ");
  });
  return { text: lines.join("\n"), removed };
}

import type { E5File } from "./e5-file.ts";

/** Stands for the blank before a word. */
const blank = "▁";
/** Pieces at the head of the vocabulary that text never gives. */
const specialPieces = 4;

/** The vocabulary of a file as a tokenizer.json, which cuts text as the tokenizer of XLM-RoBERTa does. */
export function tokenizerJson({ head, pieces }: E5File): string {
  const special = pieces.slice(0, specialPieces).map(({ text }, id) => ({
    ...{ id, content: text, special: true },
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
  }));
  const [start, end] = [head.startId, head.endId].map((id) => ({ id: pieces[id]?.text ?? "", type_id: 0 }));
  const text = (id: "A" | "B") => ({ Sequence: { id, type_id: 0 } });
  const frame = [{ SpecialToken: start }, text("A"), { SpecialToken: end }];
  const metaspace = { type: "Metaspace", replacement: blank, prepend_scheme: "always", split: true };
  return JSON.stringify({
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: { type: "Sequence", normalizers: normalizers() },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "WhitespaceSplit" }, metaspace] },
    post_processor: {
      type: "TemplateProcessing",
      single: frame,
      pair: [...frame, { SpecialToken: end }, text("B"), { SpecialToken: end }],
      special_tokens: Object.fromEntries(
        [start, end].map((token, at) => [
          token?.id,
          { id: token?.id, ids: [at === 0 ? head.startId : head.endId], tokens: [token?.id] },
        ]),
      ),
    },
    decoder: metaspace,
    model: {
      type: "Unigram",
      unk_id: head.unknownId,
      vocab: pieces.map(({ text, score }) => [text, score]),
      byte_fallback: false,
    },
  });
}

/** NFKC, without control characters and with every blank a space. */
function normalizers(): readonly object[] {
  const replace = (pattern: string, content: string) => ({
    type: "Replace",
    pattern: { Regex: pattern },
    content,
  });
  return [
    { type: "NFKC" },
    replace("[\\u0000-\\u0008\\u000b\\u000e-\\u001f\\u007f\\u00ad]", ""),
    replace("[\\t\\n\\u000c\\r\\u200b\\u200e\\u200f\\u2028\\u2029\\ufeff]", " "),
  ];
}

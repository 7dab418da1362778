const documents =
  "(?:documents?|files?|reports?|manuals?|papers|spreadsheets?|texts|pdfs?|sources?|presentations?)";
const speaks =
  "(?:(?:mention|describe|cover|contain|include|name|cite|reference|explain|define)s?|discuss(?:es)?|address(?:es)?|refers? to|deals? with|talks? about|speaks? (?:of|about)|says? (?:something|anything) (?:about|on)|(?:has|have) (?:something|anything|information) (?:about|on)|(?:is|are) about)";
const speaking =
  "(?:mentioning|describing|discussing|covering|containing|about|on|that have|which have|(?:that|which) ";
const spoken =
  "(?:mentioned|described|discussed|referred to|covered|named|explained|addressed|found|contained|defined|listed|cited)";
const inside = `(?: (?:in|within|throughout|of) (?:the|this|that|our|my) (?:whole |entire )?${documents})`;
const within = `${inside}?`;

/** Questions for the documents and pages that mention something, in the form of `Language.mentions`. */
export const englishMentions: readonly string[] = [
  `(?:which|what) (?:of (?:the|my|our|these) )?${documents} ${speaks} (.+)`,
  `how many (?:of (?:the|my|our|these) )?${documents} ${speaks} (.+)`,
  `(?:which|what) ${documents} (?:do (?:you|we|i) have|are there|can you find|is there) (?:about|on|that mention) (.+)`,
  `in (?:which|what) (?:of (?:the|my|our|these) )?${documents} (?:is|are|was|were|do i find|do we find|can i find) (.+?)(?: ${spoken})?`,
  `where (?:is|are|was|were) (.+?) (?:mentioned|described|discussed|referred to)`,
  `(?:list|find|show|give me|name|show me|are there|is there|do you have|do we have) (?:all |any |some |the |every |an? )*${documents} ${speaking}${speaks}) (.+)`,
  `do(?:es)? any (?:of (?:the|my|our|these) )?${documents} ${speaks} (.+)`,
  `(?:is|are) (.+?) (?:mentioned|described|discussed|referred to) (?:anywhere|somewhere|in any ${documents})`,
  `(?:on |in )?(?:which|what) pages?${within} (?:is|are|was|were|does|do) (.+?) (?:${spoken}|appear|occur)${within}`,
  `(?:which|what) pages?${within} ${speaks} (.+?)`,
  `(?:list|find|show|give me|name|show me|tell me) (?:all |any |some |the |every |of )*pages?${within} (?:on which|where|in which) (.+?) (?:is|are) ${spoken}${within}`,
  `(?:list|find|show|give me|name|show me|tell me) (?:all |any |some |the |every |of )*pages?${within} (?:(?:that|which) ${speaks}|mentioning|describing|discussing|covering|containing) (.+?)`,
  `how (?:many times|often) (?:is|are|was|were) (.+?) (?:mentioned|named|referred to)${within}`,
  `how many times (?:does|do) (.+?) (?:mentioned|appear|occur)${inside}`,
];

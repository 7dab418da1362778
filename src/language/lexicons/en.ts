import { englishContents } from "./contents.ts";
import { englishMentions } from "./en-mentions.ts";
import type { Language } from "./language.ts";

/** Grammar of a question that a table query need not express. */
export const questionGrammar = `a an and any are as at be been between both by can did do does each for from give had has
have how i in is it its many me more most much of on only or our over than that the there these this those to under us was
were what when where which who whose with you`;

const grammar = `about also being but could doing done during having he if into itself just like may might must my no nor not
off other out own shall she should so some such their them then they too up very we whether while whom why will would your
s t`;

/** Carry no subject in a question, but are terms of a text. */
const talk = `above after again all am before below down either else ever every few get gets getting gives got her here hers
him his however let maybe need needs neither now once ours per same since still thank thanks through till until upon versus
vs want within without yes yet yours uh um er hm hmm huh eh oh hey don didn doesn isn aren wasn weren won couldn shouldn
wouldn haven hasn ain re ve ll d m`;

export const courtesies = "please tell";
const more = "further";

/** Frame the subject of a question about documents. */
const framing = "using according answer based following given list mentioned name provide provided state";
const general = "one describe document explain find mention question report say says text";

const vague = `anything check details detail documents explanation file files happen happened happens help helps info
information issue it'll kind know look lookup matter mean means number ok okay ones part point problem problems questions
regarding related said search show situation something sort status stuff summarise summarize term thing things topic trouble
understand update updates use usual way work working works wrong ask asking allowed possible better best cost costs long
deadline due rule rules policy policies item case correct talked talking`;

/** After `more than` if it gives an amount and compares nothing; years do. */
const amount =
  "(?:(?:about|around|roughly|approximately|nearly|some) )?(?:(?!(?:19|20)\\d\\d(?: or | and |[?.,;]|$))\\d|[$€£¥]|(?:eur|usd|gbp|chf) ?\\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|million|half|once|twice) (?!of |as )|an? (?:second|minute|hour|day|week|month|quarter|year|dozen|hundred|thousand|million)(?! ago))";
const changed =
  "(?:changed?|changes|changing|develop(?:ed|s)?|evol\\p{L}+|trend\\p{L}*|gr[oe]w\\p{L}*|increas\\p{L}*|decreas\\p{L}*|reduc\\p{L}+|shr[aiu]nk\\p{L}*|rise|rises|risen|rising|rose|falls?|fell|fallen|falling|drop\\p{L}*|declin\\p{L}*|differ\\p{L}*|improv\\p{L}*|mov(?:e|ed)|var(?:y|ied|iance|iation)|swing|gap|doubl\\p{L}*|tripl\\p{L}*|halv\\p{L}*|g[oe]\\p{L}* (?:up|down)|went (?:up|down))";
/** An average rather than a meaning: `the mean`, `Mean` in a label, but not `what does it mean`. */
const mean =
  "(?:(?<=(?:the|an?|its|their|arithmetic|geometric|weighted|sample|population|annual|yearly|quarterly|monthly|weekly|daily|hourly|global|overall|long-term) )mean|(?<![\\p{L}] )mean|mean(?= (?:of|values?)(?!\\p{L})))";
/** Only a collection has such a name: `general_knowledge`. */
const collectionName = "\\p{L}[\\p{L}\\p{N}]{0,30}_[\\p{L}\\p{N}_]{1,31}";
const aYear = "(?:fy ?)?(?:19|20)\\d\\d";
const span = `(?:from ${aYear} to|between ${aYear} and) ${aYear}`;
/** People who carry out a procedure. */
const people =
  "(?:(?:the|an?|my|our|new|all) ){0,2}(?:people|colleagues|teams?|nurses?|parents?|clients?|residents?|anyone|anybody|somebody|everyone|operators?|technicians?|mechanics?|employees?|workers?|users?|visitors?|customers?|drivers?|managers?|staff|engineers?|suppliers?|guests?|patients?|students?|tenants?|members?|applicants?|contractors?|inspectors?)";

export const english: Language = {
  code: "en",
  functionWords: [questionGrammar, grammar, talk, courtesies, more],
  stopWords: [questionGrammar, grammar, courtesies, framing, general],
  vagueWords: [vague, general, courtesies, more],
  pronouns: {
    subjects: "it they he she them these those",
    persons: "him",
    pointers: "this that its one ones",
    owners: "its their his her hers theirs",
    speakers: "i me my mine myself",
    hearers: "you your yours yourself",
  },
  abbreviations: {
    everywhere: "Mr Mrs Ms Dr Prof St Inc Ltd Co Corp No vs Fig Eq approx",
    inTexts: `etc ext Ext tel al Jr Sr Rs Gen Lt Col Capt Maj Sgt Adm Rev Sen Gov Rep Hon Messrs Mt Ft Nos Vol vol Ch Sec Figs
Tel incl p pp cf Cf ca Ct Cir Supp Ariz Calif Colo Conn Del Fla Mich Minn Mont Neb Nev Okla Tenn Tex Wis Wyo
Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec`,
  },
  numbers: {
    scales: {
      hundred: 1e2,
      thousand: 1e3,
      thousands: 1e3,
      million: 1e6,
      millions: 1e6,
      mn: 1e6,
      billion: 1e9,
      billions: 1e9,
      bn: 1e9,
      trillion: 1e12,
      trillions: 1e12,
    },
    small: `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen`,
    tens: "twenty thirty forty fifty sixty seventy eighty ninety",
  },
  joiners: "and|but|also|plus|then|as well as",
  requests: `please|(?:(?:i|we)(?:['’]d| would)? )(?:need|want|like) (?:to (?:know|see|find|read|understand)|the|an?|all|some|your)|(?:i am |i['’]m |we are |we['’]re )?(?:looking|searching) for|(?:i|we) wonder|help me|remind (?:me|us)|look up|any idea`,
  statements:
    "is|are|was|were|am|has|have|had|will|would|can|could|did|does|do|went|got|i|we|it['’]s|that['’]s|there['’]s|i['’]m|i['’]ve|we['’]re",
  folders: {
    called: "(?:sub)?folders?|(?:sub)?director(?:y|ies)",
    hold: "holds?|contains?|ha(?:s|ve)|covers?|includes?|consists? of",
  },
  places: "section|chapter|table|figure|fig\\.|pages?|pp?\\.|appendix|annex|article|clause",
  onFront:
    "authors?|title of|published|publication date|defendants?|plaintiffs?|who wrote|written by|date of (?:the|this) (?:document|report|paper|letter)",
  shown: { figures: "figures?|figs?\\.?", tables: "tables?|tabs?\\.", counting: "how many" },
  pages: {
    one: "page|slide",
    several: "pages|slides",
    short: String.raw`pp?\.|[Pp]gs?\.`,
    numbered: String.raw`number|no\.?`,
    between: "between",
    others:
      "web|home|landing|fan|facebook|http|error|(?:can|could|do|may|must|should) i|we|you|they|can|could|may|must|should|will",
    ordinals: `zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth`,
    ordinalEnds: "st|nd|rd|th",
    front: String.raw`(?:cover|title|front)\s?(?:page|slide)`,
  },
  kinds: {
    holdings: {
      starts: `(?:what|which) (?:documents?|files?|reports?|manuals?|papers|sheets|spreadsheets|texts) (?:are|do you have|do we have|is|exist|can you|can i|have been|does (?:this|the|that) (?:folder|collection))|list (?:all |the |me )*(?:documents|files|collections|titles)|how many (?:documents|files|reports|spreadsheets|pdfs) (?:are|do|does|is|have)|(?:show|give) me (?:all |the |a list of |a |an )*(?:documents|files|titles|table of contents of (?:the|this) (?:folder|collection))|is there (?:a|any) (?:document|file|report|manual) (?:on|about)|are there (?:some |any )?(?:documents|files|reports|manuals) (?:on|about)|do (?:you|we) have (?:a|any) (?:document|documents|file|files|manual|manuals|reports?) (?:on|about|for)`,
      holds: `(?:in|does|do) (?:this|the|that|my|our|these) (?:(?:\\p{L}+|${collectionName}) )?(?:folders?|director(?:y|ies)|collections?|library|archive)(?: ${collectionName})?(?: (?:hold|contain|have|cover|include|consist of)s?)?(?: \\p{L}+)?\\s?\\?|(?:the )?contents? of (?:this|the|that|my) (?:(?:\\p{L}+|${collectionName}) )?(?:folder|collection|library)|about (?:this|the) (?:\\p{L}+ )?(?:folder|collection)\\s?\\?`,
    },
    summary: {
      starts: `(?:please )?(?:(?:can|could) you )?(?:give (?:me )?(?:a |an )?(?:short |brief |quick |executive )?(?:summary|overview|outline|abstract)|summari[sz]e|sum up|outline|recap)|what (?:is|are|was) (?:this|the|that) [^?]{1,60} about|what is [^?]{1,60}\\.\\p{L}{2,5} about|what does (?:this|the) (?:document|report|paper|file|section|chapter) (?:say|discuss|cover|deal with)|(?:what are )?(?:the )?(?:main|key|central|most important) (?:points|findings|takeaways|messages|topics|ideas|results|conclusions)|tl;?dr`,
      holds: `summary of (?:the|this|that|section|chapter)|key takeaways|main points of|in a nutshell`,
    },
    comparison: {
      starts: `compare|contrast|how (?:do|does|did) [^?]{1,80} (?:compare|differ)|(?:how (?:do|does|did|has|have)|what happened|did|has|have) [^?]{1,120} ${span}|what (?:is|are|was|were) the differences?|which (?:is|was|are|one|of the two|company|product|model|year|plan|department|team|site|option|version|country|pump|policy|quarter) [^?]{0,80}(?:,| )[^?]{1,40} or `,
      holds: `differences? between|compared (?:to|with)|in comparison (?:to|with)|versus|vs\\.?|(?:higher|lower|more|less|larger|bigger|smaller|better|worse|cheaper|faster|longer|shorter|older|newer|greater|fewer|heavier|lighter|earlier|later) [^?]{0,60}(?:than (?!${amount})| or )|${changed} (?:[^?]{0,120} )?${span}|${span}(?:[ ,][^?]{0,120})? ${changed}|year[- ]over[- ]year|or [^?]{1,60}(?:higher|lower|more expensive|cheaper|larger|smaller)`,
    },
    total: {
      holds: `in total|altogether|total|sum of|sum up|add up|combined|on average|average|${mean}(?= (?!by )\\p{L})|median|overall (?:sum|amount|cost|costs|revenue)|grand total|all together`,
    },
    definition: {
      starts: `define|(?:what|how) (?:is|are) [^?]{1,60} defined|what (?:does|do|did) [^?]{1,60} (?:mean|stand for)|what is meant by|what is the (?:definition|meaning) of|explain the terms?|(?:give|find) (?:me )?the definition|what is (?:an? )(?:(?!for )[\\p{L}-]+ ?){1,4}\\?|meaning of|what do you understand by|who or what is`,
      holds:
        "stands? for|the meaning of|the definition of|definition of|is defined as|what [^?]{1,40} means|what is meant by",
    },
    procedure: {
      starts: `how (?:do|does) (?:(?:i|you|we|one|someone)|${people})|how (?:can|should|must|could) |how to|how (?:is|are) [^?]{1,60} (?:replaced|installed|changed|set up|reset|removed|mounted|cleaned|started|stopped|calibrated|locked|locked out|submitted|reported|filled|assembled|performed|carried out|requested|ordered|configured|connected|drained|lubricated|tested|returned|approved|booked|paid|handled)|(?:walk|guide|take) me through|(?:what|which) (?:are the )?steps|what (?:do|should|must) (?:i|we|you|employees|visitors|one) do|in what order|what(?: is|['’]s) the (?:(?!of )[\\p{L}\\p{N}-]{1,24} ){0,3}(?:procedure|process|right way|correct way)|(?:describe|explain|show)(?: me)? (?:the (?:procedure|process|steps)|how to)|give me (?:the )?(?:instructions|steps)|steps (?:to|for)|instructions (?:to|for|on)`,
      holds: "step by step|steps (?:to|for) \\p{L}+|the procedure for|the process for",
    },
    yes_no: {
      starts:
        "is|are|was|were|am|do|does|did|can|could|may|must|should|shall|will|would|has|have|had|isn't|aren't|doesn't|don't|didn't|can't|is it true",
    },
    number: {
      starts: `(?:by |at |for |to |in |of |since |within |up to |after |from )?(?:how (?:many|much|high|low|long|far|large|big|old|tall|heavy|fast|often|deep|wide|thick|hot|warm|cold|loud)|what (?:share|percentage|percent|proportion|number|amount|fraction|rate))|what (?:is|was|were|are|is the maximum|will be) (?:(?:the|its|our|their|your) )?(?!(?:[\\p{L}-]+ )?(?:categories|components|drivers|elements|factors|items|kinds|members|names|parts|reasons|sources|steps|types) (?:for|in|of|that) )(?:[\\p{L}\\p{N}&/'’-]+ ){0,8}?(?:revenue|revenues|sales|income|profit|ebitda|ebit|earnings|margin|eps|cash flow|capex|expenditures?|expenses?|costs?|price|fee|rate|ratio|tax|debt|assets|liabilities|equity|inventor(?:y|ies)|dividends?|budget|salary|weight|height|length|width|depth|pressure|torque|temperature|speed|power|voltage|capacity|flow|volume|density|distance|duration|population|percentage|share|number|amount|quantity|limit|deadline in days|age|size|area|frequency|score|gpa|allowance|headcount|turnover|interval|thickness|diameter|range|depreciation)`,
    },
    list: {
      starts: `list|who (?:attended|participated|took part|was present|were present|are the participants|were the participants)|name (?:all|the|three|four|five|two|some|every)|enumerate|(?:which|what) (?:are (?:the|all|some|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}|(?:[\\p{L}-]+ ){0,3}[\\p{L}-]+s (?:for|of|that|which))|(?:[\\p{L}-]+ ){1,2}(?:(?!this )[\\p{L}-]+s) (?:are|were|do|did|have|can|should|must|may)|(?:kinds|types|sorts|categories|examples) of|(?!(?:is|was|does|has|this|its|happens) )[\\p{L}-]+s|(?:protective|personal|safety) equipment) |who are (?:the|all)|(?:give|tell|show) me (?:all|the list|a list|every|the names)|what (?:all|else)|which (?!is |was |one |of )(?:[\\p{L}-]+ )?(?!(?:is|was|does|has|this|its) )[\\p{L}-]+s (?!(?:the|a|an|our|my|its|when|if) )`,
      holds: "a list of|all of the|all the \\p{L}+s|each of the",
    },
  },
  contents: englishContents,
  mentions: englishMentions,
  boilerplate:
    "about (?:us|the (?:company|author|authors|publisher)|pew research)|pew research center is|contacts?|contact us|disclaimer|copyright|©|all rights reserved|references|bibliography|table of contents|contents|acknowledge?ments?|forward[- ]looking|cautionary|safe harbor|legal notice|imprint|appendix|for (?:more|further) information|how to cite|notes to editors|this page intentionally|media contact|investor (?:relations|contact)",
  summaries: {
    headings:
      "abstract|(?:executive |management )?summary(?: of (?:the )?(?:(?:main|key) )?(?:findings|results|conclusions))?|(?:(?:main|key) )?(?:findings|takeaways)|(?:main|key) (?:points|messages|results)|highlights|overview|(?:summary and )?conclusions?|in brief|at a glance",
    asked:
      "summary summarize summarise overview outline document report paper file section chapter main key points findings takeaways about give brief short",
  },
  continuations:
    "it|its|this|that|these|those|they|he|she|his|her|their|such|there|then|as such|specifically|also|therefore|however|for example|in addition|further|furthermore|instead|both|only",
  extremes: {
    most: "the (?:most(?! (?:of|part|likely|recent(?:ly)?|common(?:ly)?|important(?:ly)?)(?!\\p{L}))|highest|largest|greatest|biggest|longest|heaviest|tallest)|(?:more|higher|larger|greater)(?: \\p{L}+){0,5} than (?:the|any|all|all the|every) others?",
    least:
      "the (?:least(?! likely)|lowest|smallest|fewest|shortest|lightest|cheapest)|(?:less|fewer|lower|smaller)(?: \\p{L}+){0,5} than (?:the|any|all|all the|every) others?",
  },
  interrogatives: "what which who whom whose when where why how",
  asksNumber: `when|what (?:is|was|were|are) the|how (?:many|much|high|low|long|far|large|big|old|tall|heavy|fast|often|deep|wide|thick|hot|warm|cold|loud)|what (?:share|percentage|percent|proportion|number|amount|fraction|rate|ratio|temperature|pressure|price|cost|weight|torque|value|size|distance|age)|which (?:share|percentage|proportion)|at what (?:temperature|pressure|price|rate)`,
  values: {
    date: {
      asks: "when (?:is|was|were|are|did|does|do|will|has|have|had|can|should|must)|(?:what|which) (?:years?|days?|dates?|months?|decades?|century|centuries)",
      holds:
        "january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|winter|easter|christmas|centur(?:y|ies)|decades?|years?|months?|weeks?|days?|hours?|minutes?|noon|midnight|morning|evening|night|today|yesterday|tomorrow|when|whenever|while|until|till|since|once|before|after|during|upon|early|late|later|immediately|annually|quarterly|monthly|weekly|daily|if|as soon as|at the (?:end|beginning|start|time)|always|never|the age of|era|period|time",
    },
    number: {
      asks: "how (?:many|much|old|tall|heavy)|(?:what|which) (?:percentage|percent|share|proportion|fraction|number)|what (?:is|was|are|were) the (?:total |overall |average )?number of",
      holds:
        "no|none|nothing|zero|all|both|half|twice|double|triple|single|several|few|majority|minority|dozens?|hundreds?|thousands?|millions?|billions?|pair|couple|free|unlimited",
    },
    telephone: { asks: "(?:tele)?(?:phone|fax) (?:nos?|numbers?)(?: (?:of|for|to)|\\s?[?]|$)" },
    color: {
      asks: "^(?:what|which) colou?rs? (?:is|are|was|were|do|does|did|has|have|should|must|can)|^what (?:is|are|was|were) the colou?rs? of",
      holds:
        "reds?|reddish|orange|amber|yellow(?:ish)?|gold(?:en)?|greens?|greenish|blues?|bluish|cyan|teal|turquoise|navy|purple|violet|magenta|pink|maroon|crimson|scarlet|brown(?:ish)?|beige|tan|bronze|ivory|cream|blacks?|whites?|gr[ae]y(?:ish)?|silver|khaki|burgundy|apricot|salmon|hazel|lime|indigo|blonde?|brunette|olive|lilac|mint|colou?r(?:s|ed|ful|ing|less|way|ways)?|clear|transparent|translucent|multicolou?red|dark|bright|pale",
    },
  },
  reasons:
    "why|how come|what (?:drove|drives|has driven|caused|causes|led to|leads to|explains|explained|contributed to|was behind)|(?:what|which) (?:is|are|was|were) the (?:(?:main|primary|key|major|biggest) )?(?:reasons?|causes?|drivers?)",
  negations:
    "(?:instead of|rather than|in place of)(?: the)?(?: (?:previous|former|usual|old))?|not(?! only)|never|no longer|no|none|neither|nor|non(?=-)|without|cannot|can't|\\p{L}+n't|prohibit(?:s|ed|ing)?|forbid(?:s|den)?|forbade|bans?|banned|disallow(?:s|ed)?|exclud(?:es?|ed|ing)|fail(?:s|ed|ing)? to|impossible|unable",
  exceptions: "except|unless",
  opposites:
    "open|opened|opens/closed|closes|shut retained|retains|retain|kept/deleted|deletes|delete|erased mandatory|compulsory|obligatory/optional|voluntary won|wins|win/lost|loses|lose enabled|enable/disabled|disable accepted|accepts/rejected|rejects passed/failed start|restart/stop|halt fill|refill/drain|empty|emptied tighten/loosen|slacken clockwise/anticlockwise|counterclockwise",
  switches: {
    on: "(?:switch|turn|power)(?:s|es|ed|ing)? (?:(?:the )?\\p{L}{1,20} )?on",
    off: "(?:switch|turn|power)(?:s|es|ed|ing)? (?:(?:the )?\\p{L}{1,20} )?off",
  },
  yes: "yes|correct|that['’]s (?:right|correct)",
  no: "no|nope",
  limits: {
    above:
      "more than|greater than|larger than|higher than|longer than|older than|over|above|beyond|exceed(?:s|ed|ing)?|in excess of",
    below: "less than|lower than|smaller than|shorter than|younger than|fewer than|below|under",
    from: "at least|no less than|not less than|no fewer than|not below|not under",
    upTo: "up to|at most|not exceeding|not above|not over|no more than|not more than|no longer than|not longer than|no later than|not later than|(?:not|never|cannot) exceed|without exceeding|limited to|within",
    minimum: "minimum|min\\.?",
    maximum: "maximum|max\\.?|limit",
    orMore: "or (?:more|above|over|higher|longer|older|later)|and (?:above|over|more)",
    orLess: "or (?:less|below|under|fewer|lower|shorter|younger)|and (?:below|under)|at most|maximum|max",
  },
  refusals:
    "declin(?:e|es|ed)|refus(?:e|es|ed)|reject(?:s|ed)?|turn(?:s|ed)? down|sen[dt] back|hand(?:s|ed)? over|prohibit(?:s|ed)?|forbidden|ban(?:s|ned)?|disallow(?:s|ed)?|(?:is|are|be) not|isn't|aren't|(?:may|must|can|should|shall|do|does|will) not|cannot|can't|mustn't|don't|doesn't|won't|never|not (?:allowed|permitted|accepted|covered|suitable)",
  affirmations: "allow(?:s|ed)?|permit(?:s|ted)?|cover(?:s|ed|ing)?|includ(?:es?|ed|ing)|possible|able",
  breaks:
    "compared (?:to|with)|versus|vs|against|up from|down from|from|while|whereas|in order to|so that|or",
  aggregates: `totals?|totall?ed|sum|altogether|combined|overall|averages?|${mean}|in all|grand total`,
  directions: {
    up: "increas\\p{L}*|rises?|rising|rose|risen|grows?|growing|grew|grown|growth|gain(?:s|ed)?|climb\\p{L}*|higher|raised?|up(?= (?:by )?\\p{Sc}?\\d)",
    down: "decreas\\p{L}*|declin\\p{L}*|falls?|falling|fell|fallen|drops?|dropped|dropping|reduc\\p{L}*|lower|lowered|shr[aiu]nk\\p{L}*|down(?= (?:by )?\\p{Sc}?\\d)",
  },
  approximations: "about|approximately|around|nearly|almost|roughly|over|more than|less than|under",
  and: "and",
  or: "or",
  until: "to|until|till|through|and",
  openings: {
    phrase: "among|for|in|at|of|on|during|under|with|as of|according to|based on",
    question: "what|which|how|who|when|where|why|is|are|was|were|do|does|did",
  },
  differences: {
    asks: "(?:percent|percentage|point) (?:differences?|gap)|(?:differences?|gap) (?:in|of) (?:the )?(?:percentage|number|amount|total|rate|price|cost|value)s?|gap (?:between|of|in)(?= [^?]{1,200} and )|how (?:much|many) (?:\\p{L}+ ){0,2}(?:more|less|fewer|higher|lower|larger|smaller|bigger|greater|longer|shorter|older|younger|taller|wider|deeper|thicker|heavier|lighter|faster|slower|cheaper|warmer|colder|hotter|later|earlier)(?= [^?]{0,200} than )",
    holds:
      "differ(?:s|ed|ing|ent|ently|ences?|entials?|entiat(?:es?|ed|ing|ion))?|gaps?|clearances?|distances?|spac(?:ing|ed)|between (?:the|two|each|both|any|its|their|them)|more|less|fewer|than|(?:percentage|basis) points?|exceed(?:s|ed|ing|ingly)?|vs|versus|addition(?:s|al|ally)?|extra|surcharge|premium|added|further|ahead|behind|apart|above|below|margin|majority|on top|extend(?:s|ed|ing)?|up|down|longer|shorter|taller|higher|lower|deeper|wider|narrower|heavier|lighter|larger|bigger|greater|smaller|older|younger|cheaper|dearer|faster|slower|warmer|colder|hotter|later|earlier|stronger|weaker",
  },
  cells: {
    neutral:
      "value values figure amount number result results level achieve achieves achieved reach reached obtain obtained get recorded record associated",
    kinds: "accuracy score scores performance rate rates percentage f1 dataset datasets benchmark",
    shares: "percent percentage percentages",
    turning: "before after non excluding without per not no other net less gross total average mean",
    ways: "from to",
    asksAmount: "how (?:much|many|long|old|high|far|large|big|heavy|fast|often|deep|wide|tall)",
    most: "(?<!at )most(?! (?:of|part|likely|recent(?:ly)?)(?!\\p{L}))|highest|largest|greatest|biggest|longest|maximum|heaviest|tallest",
    least: "(?<!at )least(?! likely)|fewest|lowest|smallest|shortest|minimum|lightest|cheapest",
    more: "higher|larger|greater|bigger|more|longer|heavier|taller",
    less: "lower|smaller|less|fewer|shorter|lighter|cheaper",
    whichYear: "(?:which|what) (?:(?:fiscal|financial|calendar) )?(?:years?|periods?|fy)",
    years: "year years fiscal financial calendar period periods",
    others: "why|how(?! (?:much|many|long|old|high|far|large|big|heavy|fast|often|deep|wide|tall)(?!\\p{L}))",
    apart: {
      more: "(?:by )?how (?:much|many) (?:more|higher|larger|greater|bigger|longer|older|taller|heavier|faster)",
      less: "(?:by )?how (?:much|many) (?:less|fewer|lower|smaller|shorter|younger|lighter|slower)",
      than: "compar(?:ed|ing) (?:to|with)|than|versus|vs",
      distances: "difference|gap",
      between: "between",
    },
  },
  changes: "chang\\p{L}*|differ\\p{L}*|increas\\p{L}*|decreas\\p{L}*|variance",
  periods: {
    fiscal: "fiscal years?|fiscal|financial years?|fy|f(?=(?:19|20)\\d\\d)",
    latest: "latest|most recent|newest|most up-to-date",
    quarters: [
      "first quarter|1st quarter|first fiscal quarter|q1|1q",
      "second quarter|2nd quarter|second fiscal quarter|q2|2q",
      "third quarter|3rd quarter|third fiscal quarter|q3|3q",
      "fourth quarter|4th quarter|fourth fiscal quarter|final quarter|q4|4q",
    ],
    halves: ["first half|1st half|h1|1h", "second half|2nd half|h2|2h"],
    spans: {
      year: "years?|fiscal years?|financial years?|twelve months|12 months|fifty-two weeks|fifty-three weeks|52 weeks|53 weeks",
      half: "six months|6 months|twenty-six weeks|26 weeks|half-year|half year",
      quarter: "quarters?|three months|3 months|thirteen weeks|fourteen weeks|13 weeks|14 weeks",
    },
    ended: "ended|ending|ends|to",
    since: "since",
  },
  answerForms: {
    leads: "please and also then kindly directly just only your the",
    answering: "round rounded answer answers anwser",
    giving:
      "give format state provide return report write writhe express address respond base calculate compute determine extract use using list enumerate represent save show print",
    answers: "answer answers anwser response question asked judgment judgments judgement judgements",
    forms:
      "integer integers int float decimal decimals format formats formatted formatting list lists string percentage percent sentence sentences bullet bullets json csv table brief briefly short concise concisely",
    remarks: "round rounded decimal decimals units format formatted",
    beside:
      "in as with by value values number numbers one two three each all any page pages point points place places word words order ascending ascend descending descend alphabetical alphabetically down form empty unit units term terms english german vietnamese none available unknown zero",
    supposing: "assume imagine pretend suppose",
    hearers: "you",
    conditions: "if",
    denials: "not no none nothing isn aren don cannot",
    stating: "state say explain answer return write report",
    inapplicable: "useful relevant meaningful applicable something",
    examples: "e\\.g\\.|e\\.g|for example|for instance|such as|like",
    manners:
      "(?:in|with|using) (?:just |only |at most )?(?:one|two|three|four|five|a|a single|a few|\\d{1,2}) (?:short |brief |full )?(?:sentences?|words?|bullet points?|bullets|paragraphs?|lines?)|(?:in|as|with) bullet points|as a (?:bulleted |numbered )?list",
  },
  documentKinds:
    "minutes invoice letter memo|memorandum agenda bulletin|newsletter thesis|dissertation transcript brochure|leaflet résumé|cv|curriculum",
  phrases: {
    greeting: `hi|hiya|hello|hey|heya|yo|howdy|greetings|welcome|good morning|good afternoon|good evening|good day
morning|evening|hi there|hello there|hey there|nice to meet you|pleased to meet you|nice to see you|are you there|you there
anyone there|is anybody there|test|testing|ping|one two three`,
    wellbeing: `how are you|how are you doing|how do you do|how's it going|how is it going|hows it going|how is everything
how are things with you|how goes it|what's up|whats up|sup|how have you been|how are things|how's life|how are you feeling`,
    thanks: `thanks|thank you|many thanks|thx|ty|cheers|much appreciated|i appreciate it|thanks a lot|thank you very much
thank you so much|thanks so much|thanks for your help|thank you for your help|for your help|for the help|for helping
for helping me|that helped|that helps|that was helpful|that was useful|that helped a lot|very helpful`,
    farewell: `bye|goodbye|good bye|bye bye|see you|see ya|see you later|see you soon|see you tomorrow|good night|goodnight
take care|farewell|have a nice day|have a good day|have a nice weekend|have a good one|cya|later|until next time|that's all
that is all`,
    praise: `ok|okay|k|great|good|nice|cool|perfect|awesome|excellent|wonderful|super|fine|all right|alright|got it|i see
understood|very good|well done|good job|great job|good bot|sounds good|no problem|lol|haha|wow|you are great|you're great
you are awesome|you are helpful|you are very helpful|you're very helpful|i love you|i like you`,
  },
  fillers: `there all everyone everybody team folks guys mate man friend buddy sir madam bot assistant ragctl chatbot ai dear
again and so just very much really a lot well then now today oh please for your my kind me everything help`,
};

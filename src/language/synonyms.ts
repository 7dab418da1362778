/**
 * Everyday synonyms in questions about documents, in lower case, one group per line. English; made for
 * ragctl. A question with one of them may be answered, and is retried, with another.
 */
const groups = `cost price fee charge tariff
pay salary wage compensation remuneration
employee staff worker personnel
start begin commence
open opening
end finish expire terminate
buy purchase acquire acquisition
revenue sales turnover
profit earnings income
leave holiday vacation
manager supervisor boss
car vehicle
repair fix maintenance
error fault failure malfunction
allowed permitted
forbidden prohibited banned
maximum max limit
minimum min least
phone telephone tel
increase rise growth grow
decrease decline fall drop reduction
company firm corporation business
customer client
doctor physician
house home residence
weight weigh heavy mass
height high tall
length long
speed fast
born birth
die died death
author writer wrote
spouse wife husband married
movie film
purpose aim goal objective
teacher professor lecturer
student pupil
city town
country nation
war conflict
kill murder
job position role
attend attended attendee attendees participate participated participant participants`
  .split("\n")
  .map((line) => line.split(" "));

/** Abbreviation → its words, in lower case; alternatives are separated by a slash. */
const longForms: Readonly<Record<string, string>> = {
  ceo: "chief executive officer",
  cfo: "chief financial officer",
  coo: "chief operating officer",
  cto: "chief technology officer",
  "sg&a": "selling general administrative",
  "r&d": "research development",
  "m&a": "mergers acquisitions",
  hr: "human resources",
  eps: "earnings per share",
  capex: "capital expenditures",
  opex: "operating expenses",
  ebitda: "earnings before interest taxes depreciation amortization",
  loto: "lockout tagout / lock tag",
  ppe: "personal protective equipment / protection",
  sop: "standard operating procedure",
  sds: "safety data sheet",
  msds: "material safety data sheet",
  nda: "non disclosure agreement",
  bom: "bill of materials",
  vat: "value added tax",
  pto: "paid time off",
  hq: "headquarters",
  usa: "united states",
  uk: "united kingdom",
  eu: "european union",
  un: "united nations",
  gdp: "gross domestic product",
  gpa: "grade point average",
  roi: "return on investment",
  ner: "named entity recognition",
  nlp: "natural language processing",
  llm: "large language model",
  ai: "artificial intelligence",
};

/** Words of long forms that are too common: alone they do not indicate the same subject. */
const general = new Set(
  "personal equipment standard operating data sheet general bill value added time gross product chief officer large model language average point expenses before human share per of on natural union united".split(
    " ",
  ),
);

const saysIn = (long: string): readonly string[] => long.split(/[ /]+/);

const byWord = new Map<string, readonly string[]>([
  ...groups.flatMap((group) => group.map((word) => [word, group.filter((other) => other !== word)] as const)),
  ...Object.entries(longForms).map(
    ([short, long]) => [short, saysIn(long).filter((word) => !general.has(word))] as const,
  ),
]);

const longOf = (word: string): string => (Object.hasOwn(longForms, word) ? (longForms[word] ?? "") : "");

/** The words of an abbreviation's long form; none for an unlisted one. Lower case in and out. */
export const longFormOf = (word: string): readonly string[] => saysIn(longOf(word)).filter(Boolean);

/** Word → words before and after it that give it a special meaning, for which its synonyms do not apply. */
const kinds = new Map<string, { readonly before?: string; readonly behind?: string }>([
  [
    "leave",
    {
      before:
        "adoption bereavement carer compassionate family maternity medical military parental paternity sick study unpaid",
    },
  ],
  ["business", { behind: "card cards class day days hours trip trips travel" }],
]);

const holds = (list: string | undefined, word: string): boolean => list?.split(" ").includes(word) === true;

/**
 * Synonyms of a word between the words `before` and `behind`, and the meaningful words of its long form; none
 * for an unlisted word or a special meaning: `parental leave` is no vacation, and `business class` no
 * company. Lower case in and out.
 */
export function synonymsOf(word: string, before = "", behind = ""): readonly string[] {
  const kind = kinds.get(word);
  return holds(kind?.before, before) || holds(kind?.behind, behind) ? [] : (byWord.get(word) ?? []);
}

/**
 * Countries with the English names of their people and products, in lower case, one per line, with `_` for a
 * space inside a form. Some other languages write these in lower case, so they are not found as names.
 */
const peoples = `argentina argentine argentinian
australia australian
austria austrian
bangladesh bangladeshi
belgium belgian
brazil brazilian
britain british uk united_kingdom
bulgaria bulgarian
cambodia cambodian
canada canadian
chile chilean
china chinese
colombia colombian
croatia croatian
cuba cuban
czechia czech
denmark danish dane
egypt egyptian
england english englishman englishmen
estonia estonian
finland finnish finn
france french frenchman frenchmen
germany german
greece greek
hungary hungarian
iceland icelandic
india indian
indonesia indonesian
iran iranian
iraq iraqi
ireland irish
israel israeli
italy italian
japan japanese
kenya kenyan
korea korean
laos laotian
latvia latvian
lithuania lithuanian
luxembourg luxembourgish
malaysia malaysian
mexico mexican
morocco moroccan
netherlands dutch holland
norway norwegian
nigeria nigerian
pakistan pakistani
peru peruvian
philippines philippine filipino
poland polish pole
portugal portuguese
romania romanian
russia russian
scotland scottish scots
serbia serbian
singapore singaporean
slovakia slovak
slovenia slovenian slovene
spain spanish spaniard
sweden swedish swede
switzerland swiss
taiwan taiwanese
thailand thai
turkey turkish
ukraine ukrainian
usa america american united_states
vietnam vietnamese
wales welsh
europe european
africa african
asia asian`
  .split("\n")
  .map((line) => line.split(" ").map((form) => form.replaceAll("_", " ")));

const byForm = new Map(peoples.flatMap((group) => group.map((form) => [form, group] as const)));

/** Other names for a country, its people or products: `French` → `france …`; none for other words. */
export function demonyms(word: string): readonly string[] {
  const form = word.toLowerCase();
  const group = byForm.get(form) ?? byForm.get(form.replace(/s$/, "")) ?? [];
  return group.filter((other) => other !== form);
}

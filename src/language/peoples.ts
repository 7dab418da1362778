/**
 * Countries with what their people and things are called in English, lower case, one a line, forms of more words
 * joined by `_`. Other languages write these small, where they are no names.
 */
const groups = `argentina argentine argentinian
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

const byForm = new Map(groups.flatMap((group) => group.map((form) => [form, group] as const)));

/** What else a country, its people or things are called: `French` → `france …`; none for another word. */
export function formsOfPeople(word: string): readonly string[] {
  const form = word.toLowerCase();
  const group = byForm.get(form) ?? byForm.get(form.replace(/s$/, "")) ?? [];
  return group.filter((other) => other !== form);
}

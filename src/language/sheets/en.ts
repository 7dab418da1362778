import { courtesies, questionGrammar } from "../lexicons/en.ts";
import type { SheetWords } from "./words.ts";

/** A word without its plural or verbal ending, enough for comparing names with questions. */
function rootOf(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

export const englishSheets: SheetWords = {
  decimal: ".",
  apart: (text) => text,
  hasCompounds: false,
  rootOf,
  silent: [
    questionGrammar,
    courtesies,
    `list show find get all every value number count total sum average mean avg maximum max minimum min
highest lowest largest smallest biggest least greatest longest shortest tallest cheapest oldest newest
latest combined altogether overall name names called records record row rows entry entries table sheet
data less greater below above fewer exceed exceeds per same its their located found stand listed kind type amount`,
  ],
  figures: {
    avg: "average|mean|avg|on average",
    sum: "total|sum|altogether|combined|overall",
    max: "max|latest|newest|fastest|top",
    min: "min|oldest",
    count: "how many|number of|count",
  },
  counting: "how many|number of",
  between: "between|from",
  placing: "(?:in|at|from|by|through|within|inside|across|under|via|on)(?: the)?",
  beyond: "not|no|without|except|than the|neither|never|per|each|average of the|other than",
  beforeRanked: "(?:of|in|for|does|is|are) (?:the )?",
  asksExtreme: "(?:what|how)(?:['’]s| is| was| are)? (?:the )?",
  names: "name",
  identifiers: "id no number code year zip",
  meanings: {
    people: "population",
    citizen: "population",
    inhabitant: "population",
    resident: "population",
    populous: "population",
    populated: "population",
    live: "population",
    long: "length",
    longest: "length",
    shortest: "length",
    tall: "height altitude",
    tallest: "height altitude",
    high: "height altitude elevation",
    height: "altitude elevation",
    highest: "altitude height",
    expensive: "price cost",
    cheap: "price cost",
    cheapest: "price cost",
    cost: "price",
    price: "cost",
    pay: "salary price cost",
    earn: "salary",
    heavy: "weight mass",
    heaviest: "weight mass",
    weigh: "weight mass",
    old: "age date",
    oldest: "age date",
    newest: "date",
    latest: "date",
    size: "area",
    large: "area",
    big: "area",
    stock: "quantity",
    dense: "density",
    crowded: "density",
    fast: "speed",
    fastest: "speed",
    supplier: "vendor",
    vendor: "supplier",
    pressure: "pressure",
    staff: "headcount employee",
  },
};

import { plural } from "../../core/plural.ts";
import { joinPhrases } from "./phrases.ts";
import type { Notes } from "./words.ts";

const atLeast = (isLeast: boolean): string => (isLeast ? "At least " : "");
const isOne = (documents: number, isLeast: boolean): boolean => documents === 1 && !isLeast;

export const englishNotes: Notes = {
  and: "and",
  others: (count) => `${count} more`,
  mentions: {
    none: (subject, documents) =>
      documents === 1
        ? `The searched document does not mention “${subject}”.`
        : `None of the ${documents} searched documents mentions “${subject}”.`,
    some: (documents, isLeast, subject) =>
      `${atLeast(isLeast)}${documents} ${isOne(documents, isLeast) ? "document mentions" : "documents mention"} “${subject}”:`,
    apart: (documents, isLeast, subject) =>
      `No sentence mentions “${subject}”, but ${atLeast(isLeast).toLowerCase()}${documents} ${isOne(documents, isLeast) ? "document has" : "documents have"} its words in one passage:`,
    pages: (pages, one) => `${one ? "page" : "pages"} ${pages}`,
    places: (places) => `${places} places`,
    more: (documents) => `and ${documents} more`,
    narrowed: (agent) => `Only collections that ${agent} can read were searched.`,
  },
  contents: {
    called: {
      pages: ["page", "pages"],
      slides: ["slide", "slides"],
      headings: ["heading", "headings"],
      chapters: ["chapter", "chapters"],
      sections: ["section", "sections"],
      appendices: ["appendix", "appendices"],
      tables: ["table", "tables"],
      figures: ["figure", "figures"],
    },
    some: (name, count, called) => `${name} has ${count} ${called}`,
    none: (name, called) => `No ${called} were recognized in ${name}.`,
    which: (documents) => `The question does not say which of ${documents} documents it refers to.`,
  },
  partMissing: (part) => `No passage answers: “${part}”`,
  noTotal: "No total was computed. These are its parts, as the passages state them.",
  refusals: {
    noPassage: "I found no passage in the searched collections that answers this.",
    nearest: "Closest passages:",
    ungrounded: "I found related passages, but none of them fully supports an answer.",
    found: "What the passages say:",
  },
  holdings: {
    documentsIn: (documents, folder) => `${plural(documents, "document")} in the folder “${folder}”:`,
    noFolder: (folder) => `There is no folder “${folder}”.`,
    documents: (documents) => `${plural(documents, "document")}:`,
    more: (documents) => `${documents} more`,
    none: "There are no documents to search yet. To add some, run `ragctl ingest FOLDER`.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "the collection" : `${collections} collections:`;
      return `I can search ${plural(documents, "document")}${collections === 0 ? "" : ` in ${where} ${names}`}.`;
    },
    agents: (names) => `Agents: ${names}.`,
  },
  about: "I am ragctl. I answer questions from your documents and cite the passages.",
  social: {
    greeting: "Hello! What would you like to know from the documents?",
    wellbeing: "Everything is working, thank you. What would you like to know from the documents?",
    thanks: "You are welcome.",
    farewell: "Goodbye.",
    praise: "Glad to hear it. Feel free to ask another question.",
  },
  which: {
    subject: "Which subject do you mean? Name a product, person, place or date.",
    example: (titles) => `Which subject do you mean? The documents cover ${titles}, for example.`,
    ofOne: (title) => `What exactly would you like to know about ${title}?`,
    ofSeveral: (titles, last) => `Do you mean ${titles} or ${last}?`,
  },
  sheets: {
    locale: "en-US",
    amount: (number, unit) =>
      /^\p{Sc}$/u.test(unit)
        ? number.replace(/^-?/, (sign) => `${sign}${unit}`)
        : `${number}${unit === "%" ? "" : " "}${unit}`,
    colon: ":",
    where: (table, conditions) => `${table} where ${conditions}`,
    conditions: {
      "=": (column, value) => `${column} is ${value}`,
      ">": (column, value) => `${column} is over ${value}`,
      ">=": (column, value) => `${column} is at least ${value}`,
      "<": (column, value) => `${column} is under ${value}`,
      "<=": (column, value) => `${column} is at most ${value}`,
    },
    none: (rows) => `No row matches: ${rows}`,
    empty: "No row matches.",
    count: (rows) => `Number of rows of ${rows}`,
    sum: (column, rows) => `Sum of ${column} in ${rows}`,
    average: (column, rows) => `Average ${column} in ${rows}`,
    highest: (column, rows) => `Highest ${column} in ${rows}`,
    lowest: (column, rows) => `Lowest ${column} in ${rows}`,
    difference: "Difference",
    ofRows: (count) => ` (${plural(count, "row")})`,
    rowHighest: (column, rows, isOne) => `${isOne ? "Row" : "Rows"} with the highest ${column} in ${rows}`,
    rowLowest: (column, rows, isOne) => `${isOne ? "Row" : "Rows"} with the lowest ${column} in ${rows}`,
    row: (rows) => `Row of ${rows}`,
    columns: (columns, rows) => `${columns} of ${rows}`,
    found: (rows) => `${rows} found`,
    moreRows: (rows) => `${rows} more rows are in the result`,
    leftOut: (rows, isExact) =>
      `${isExact ? "" : "at least "}${rows} further rows were left out by the row limit`,
    cut: (cells) => `${cells} long cells were cut`,
    resultOf: (sql) => `Result of ${sql}`,
    called: {
      count: (column) => `number of ${column}`,
      sum: (column) => `sum of ${column}`,
      average: (column) => `average of ${column}`,
      lowest: (column) => `lowest of ${column}`,
      highest: (column) => `highest of ${column}`,
    },
    allRows: "rows",
  },
  reasons: {
    evidence: (lacks) => `not enough evidence${lacks === "" ? " in the passages" : `: ${lacks}`}`,
    absent: (names, numbers) =>
      `none of the closest passages ${joinPhrases([names && `mentions ${names}`, numbers && `contains ${numbers}`], " or ")}`,
    beside: (names, isAlso) =>
      `only text next to ${isAlso ? "them" : "the closest passages"} mentions ${names}`,
    noDocument: (name) => `no searched document is named “${name}”`,
    onlyForms: (names) => `only empty forms were found: ${names}`,
    unsearched: (agent, collections) =>
      `${agent} does not search ${plural(collections, "collection")} that you can read`,
    askAgent: (agent) => `ask ${agent} instead (--agent "${agent}")`,
    quoted: "lines of the documents nearest to the question, word for word",
    asFound: "tool results, unchanged",
    wroteNothing: "the model wrote nothing",
    declined: "the model found no answer in the passages",
    groundless: (reason) => `nothing the model wrote is supported by the passages: ${reason}`,
    standing: (supported, all) =>
      `${supported} of ${plural(all, "sentence")} supported by the cited passages`,
    inPart: (count) => `${count} of them partly`,
    withheld: (count) =>
      `${plural(count, "sentence")} in the passages withheld: ${count === 1 ? "it addresses" : "they address"} an assistant`,
    noTotal: "no total was computed",
    whole: (marker, isProcedure) =>
      `the whole ${isProcedure ? "procedure" : "list"}, as given in [${marker}]`,
    mentioned: (mentions, documents) =>
      `mentioned in ${mentions} of ${plural(documents, "document")} searched`,
    readOff: (chunks, name) => `read from ${plural(chunks, "passage")} of ${name}`,
  },
  judged: {
    uncited: "cites no passage",
    unstated: "no passage says this",
    noPassage: (marker) => `there is no passage [${marker}]`,
    opposite: (where) => `${where} says the opposite`,
    absent: (what, where) => `${what} does not appear in ${where}`,
    elsewhere: (what, there, where) => `${what} is in ${there}, not in ${where}`,
    otherValue: (what, where) => `${what} is not what ${where} says`,
    otherUnit: (number, where) => `${number} appears in ${where} with a different unit`,
    notEntailed: (where, probability, label, judge) =>
      `does not follow from ${where}: ${label} (probability ${probability.toFixed(2)}, according to ${judge})`,
  },
};

import { counted } from "../../core/counted.ts";
import { joined } from "./phrases.ts";
import type { Notes } from "./words.ts";

const atLeast = (isLeast: boolean): string => (isLeast ? "At least " : "");
const isOne = (documents: number, isLeast: boolean): boolean => documents === 1 && !isLeast;

export const englishNotes: Notes = {
  and: "and",
  others: (count) => `${count} more`,
  mentions: {
    none: (subject, documents) =>
      `None of the ${counted(documents, "document")} searched mentions “${subject}”.`,
    some: (documents, isLeast, subject) =>
      `${atLeast(isLeast)}${documents} ${isOne(documents, isLeast) ? "document mentions" : "documents mention"} “${subject}”:`,
    apart: (documents, isLeast, subject) =>
      `No sentence mentions “${subject}”; ${atLeast(isLeast).toLowerCase()}${documents} ${isOne(documents, isLeast) ? "document has" : "documents have"} its words in one passage:`,
    pages: (pages, one) => `${one ? "page" : "pages"} ${pages}`,
    places: (places) => `${places} places`,
    more: (documents) => `and ${documents} more`,
    narrowed: (agent) => `Only the collections that ${agent} reads were searched.`,
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
    none: (name, called) => `No ${called} could be told apart in ${name}.`,
    which: (documents) => `The question does not say which of ${documents} documents it means.`,
  },
  sideMissing: (side) => `The passages say nothing about ${side}.`,
  partMissing: (part) => `No passage answers: “${part}”`,
  partUnanswered: (part) => `Not answered: “${part}”`,
  noTotal: "No total was computed: these are its parts, as the passages state them.",
  refusals: {
    noPassage: "I found no passage that answers this in the collections searched.",
    nearest: "Nearest finds:",
    // Source: mission B5.
    ungrounded: "I couldn't confidently ground a complete answer from the retrieved context.",
    found: "What was found:",
  },
  holdings: {
    documentsIn: (documents, folder) => `${counted(documents, "document")} in the folder “${folder}”:`,
    noFolder: (folder) => `There is no folder “${folder}”.`,
    documents: (documents) => `${counted(documents, "document")}:`,
    more: (documents) => `${documents} more`,
    none: "There are no documents to search yet: `ragctl ingest FOLDER` adds some.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "the collection" : `${collections} collections:`;
      return `I can search ${counted(documents, "document")}${collections === 0 ? "" : ` in ${where} ${names}`}.`;
    },
    agents: (names) => `Agents: ${names}.`,
  },
  about: "I am ragctl, a program that answers questions from your documents and cites the passages.",
  social: {
    greeting: "Hello! What would you like to know from the documents?",
    wellbeing: "All systems work, thank you. What would you like to know from the documents?",
    thanks: "You are welcome.",
    farewell: "Goodbye.",
    praise: "Good. Ask on whenever you like.",
  },
  which: {
    subject: "Which subject do you mean? Name a product, a person, a place or a date.",
    example: (titles) => `Which subject do you mean? The documents are for example about ${titles}.`,
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
    ofRows: (count) => ` (${counted(count, "row")})`,
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
    evidence: (score, threshold, lacks) =>
      `evidence ${score.toFixed(2)} is below ${threshold.toFixed(2)}${lacks === "" ? "" : `: ${lacks}`}`,
    absent: (names, numbers) =>
      `none of the nearest passages ${joined([names && `mentions ${names}`, numbers && `has ${numbers}`], " or ")}`,
    beside: (names, isAlso) =>
      `only text beside ${isAlso ? "them" : "the nearest passages"} mentions ${names}`,
    noDocument: (name) => `no document searched is called “${name}”`,
    unsearched: (agent, collections) =>
      `${agent} does not search ${counted(collections, "collection")} that you may read`,
    askAgent: (agent) => `ask with --agent "${agent}"`,
    unseen: "it asks how a page looks, and of pages only the text was read",
    noSentence: "no sentence of the passages answers this",
    asFound: "what the tools found, as it is",
    noModel: "the answering model is not installed: sentences quoted from the passages",
    noTime: "no model would end in the time given: sentences quoted from the passages",
    timeUp: "the time was up before the model had written a sentence",
    wroteNothing: "the model wrote nothing",
    declined: "the model finds no answer in the passages",
    groundless: (reason) => `nothing the model wrote stands in the passages: ${reason}`,
    mostRemoved: (reason) => `most of what the model wrote is removed: ${reason}`,
    asSaid: "what the passages say, as it is",
    standing: (supported, all) => `${supported} of ${all} sentences stand in the passages they cite`,
    inPart: (count) => `${count} of them in part`,
    removed: (count) => `${count} removed`,
    withheld: (count) => `${counted(count, "sentence")} of the passages withheld: addressed to an assistant`,
    noTotal: "no total was computed",
    sideAdded: "the other side was added from the passages",
    whole: (marker, isProcedure) =>
      `the whole ${isProcedure ? "procedure" : "list"}, as it stands in [${marker}]`,
    mentioned: (mentions, documents) => `${mentions} of ${counted(documents, "document")} searched`,
    readOff: (chunks, name) => `read off ${counted(chunks, "chunk")} of ${name}`,
  },
  judged: {
    nothing: "says nothing",
    breaksOff: "breaks off",
    query: "is a query, not an answer",
    uncited: "cites no passage",
    unstated: "no passage says so",
    noPassage: (marker) => `there is no passage [${marker}]`,
    empty: "asserts nothing",
    foreign: "written in another language than its passage: only names and numbers were compared",
    yesNoAlone: (where) => `says yes or no alone: ${where} speaks of what is asked`,
    unasked: (where) => `${where} does not speak of what is asked`,
    restricted: (where) => `says yes to what ${where} restricts`,
    undenied: (where) => `says no to what ${where} does not deny`,
    denied: (where) => `says yes to what ${where} denies`,
    opposite: (where) => `${where} says the opposite`,
    unrelated: "has nothing to do with the question",
    noValue: {
      date: "says no time, which is what is asked",
      number: "says no number, which is what is asked",
      color: "says no colour, which is what is asked",
      telephone: "says no telephone number, which is what is asked",
    },
    countsElse: (what) => `counts something else than ${what}`,
    less: (where) => `${where} has far less of the question than another passage`,
    ofElse: (where) => `${where} says it of something else than what is asked`,
    notOf: (where, name) => `${where} speaks of something else than ${name}`,
    otherYear: (where, told, asked) => `${where} speaks of ${told}, not of ${asked}`,
    absent: (what, where) => `${what} does not stand in ${where}`,
    silent: (where, words) => `${where} says nothing of ${words}`,
    otherUnit: (number, where) => `${number} stands in ${where} with another unit`,
    inUnit: (number, where, unit, stated) => `${number} stands in ${where} in ${unit}, not ${stated}`,
    loose: (number, where) => `${number} stands in ${where}, but with nothing of what is asked`,
    otherPeriod: (number, where, told, asked) =>
      `${number} stands in ${where} for ${told === "" ? "another period" : told}, not for ${asked}`,
    noDifference: (number, where) => `${number} stands in ${where}, but not as what two numbers differ by`,
    oneRow: (number, where) => `${number} is one row in ${where}, not the total`,
    otherThing: (number, where) => `${number} stands in ${where}, but for something else`,
    notEntailed: (where, probability, label, judge) =>
      `does not follow from ${where}: ${label} with a probability of ${probability.toFixed(2)}, says ${judge}`,
    pointsBack: "points back at a sentence that was removed",
    announces: "announces what does not follow",
  },
};

import { formatDecimalComma, joinPhrases } from "./phrases.ts";
import type { Notes } from "./words.ts";

const documentsOf = (count: number): string => `${count} ${count === 1 ? "Dokument" : "Dokumente"}`;
const atLeast = (isLeast: boolean): string => (isLeast ? "Mindestens " : "");

export const germanNotes: Notes = {
  and: "und",
  others: (count) => `${count} weitere`,
  mentions: {
    none: (subject, documents) =>
      documents === 1
        ? `Das durchsuchte Dokument erwähnt „${subject}“ nicht.`
        : `Keines der ${documents} durchsuchten Dokumente erwähnt „${subject}“.`,
    some: (documents, isLeast, subject) =>
      `${atLeast(isLeast)}${documentsOf(documents)} ${documents === 1 ? "erwähnt" : "erwähnen"} „${subject}“:`,
    apart: (documents, isLeast, subject) =>
      `Kein Satz erwähnt „${subject}“, aber ${atLeast(isLeast).toLowerCase()}${documentsOf(documents)} ${documents === 1 ? "enthält" : "enthalten"} die Wörter in einem Abschnitt:`,
    pages: (pages, one) => `${one ? "Seite" : "Seiten"} ${pages}`,
    places: (places) => `${places} Stellen`,
    more: (documents) => `und ${documents} ${documents === 1 ? "weiteres" : "weitere"}`,
    narrowed: (agent) => `Durchsucht wurden nur Sammlungen, die ${agent} lesen darf.`,
  },
  contents: {
    called: {
      pages: ["Seite", "Seiten"],
      slides: ["Folie", "Folien"],
      headings: ["Überschrift", "Überschriften"],
      chapters: ["Kapitel", "Kapitel"],
      sections: ["Abschnitt", "Abschnitte"],
      appendices: ["Anhang", "Anhänge"],
      tables: ["Tabelle", "Tabellen"],
      figures: ["Abbildung", "Abbildungen"],
    },
    some: (name, count, called) => `${name} hat ${count} ${called}`,
    none: (name, called) => `In ${name} wurden keine ${called} erkannt.`,
    which: (documents) => `Die Frage sagt nicht, welches von ${documents} Dokumenten gemeint ist.`,
  },
  partMissing: (part) => `Keine Textstelle beantwortet: „${part}“`,
  noTotal: "Es wurde keine Summe berechnet. Das sind die Teilbeträge, wie sie in den Textstellen stehen.",
  refusals: {
    noPassage:
      "Ich habe in den durchsuchten Sammlungen keine Textstelle gefunden, die diese Frage beantwortet.",
    nearest: "Am nächsten kommen:",
    ungrounded: "Aus den gefundenen Textstellen lässt sich keine vollständige Antwort sicher belegen.",
    found: "Das sagen die Textstellen:",
  },
  holdings: {
    documentsIn: (documents, folder) => `${documentsOf(documents)} im Ordner „${folder}“:`,
    noFolder: (folder) => `Es gibt keinen Ordner „${folder}“.`,
    documents: (documents) => `${documentsOf(documents)}:`,
    more: (documents) => `${documents} weitere`,
    none: "Es gibt noch keine Dokumente. Fügen Sie welche hinzu: `ragctl ingest ORDNER`.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "der Sammlung" : `${collections} Sammlungen:`;
      return `Ich kann ${documentsOf(documents)}${collections === 0 ? "" : ` in ${where} ${names}`} durchsuchen.`;
    },
    agents: (names) => `Agenten: ${names}.`,
  },
  about: "Ich bin ragctl. Ich beantworte Fragen aus Ihren Dokumenten und gebe die Textstellen an.",
  social: {
    greeting: "Hallo! Was möchten Sie aus den Dokumenten wissen?",
    wellbeing: "Alles läuft, danke. Was möchten Sie aus den Dokumenten wissen?",
    thanks: "Gern geschehen.",
    farewell: "Auf Wiedersehen.",
    praise: "Das freut mich. Fragen Sie gern weiter.",
  },
  which: {
    subject: "Worum geht es? Nennen Sie ein Produkt, eine Person, einen Ort oder ein Datum.",
    example: (titles) => `Worum geht es? In den Dokumenten geht es zum Beispiel um ${titles}.`,
    ofOne: (title) => `Was genau möchten Sie über ${title} wissen?`,
    ofSeveral: (titles, last) => `Meinen Sie ${titles} oder ${last}?`,
  },
  sheets: {
    locale: "de-DE",
    amount: (number, unit) => `${number} ${unit}`,
    colon: ":",
    where: (table, conditions) => `${table} mit ${conditions}`,
    conditions: {
      "=": (column, value) => `${column} „${value}“`,
      ">": (column, value) => `${column} über ${value}`,
      ">=": (column, value) => `${column} ab ${value}`,
      "<": (column, value) => `${column} unter ${value}`,
      "<=": (column, value) => `${column} bis ${value}`,
    },
    none: (rows) => `Keine Zeile gefunden: ${rows}`,
    empty: "Keine Zeile gefunden.",
    count: (rows) => `Anzahl der Zeilen in ${rows}`,
    sum: (column, rows) => `Summe von „${column}“ in ${rows}`,
    average: (column, rows) => `Durchschnitt von „${column}“ in ${rows}`,
    highest: (column, rows) => `Höchster Wert von „${column}“ in ${rows}`,
    lowest: (column, rows) => `Niedrigster Wert von „${column}“ in ${rows}`,
    difference: "Differenz",
    ofRows: (count) => `, ${count} ${count === 1 ? "Zeile" : "Zeilen"}`,
    rowHighest: (column, rows, isOne) =>
      `${isOne ? "Zeile" : "Zeilen"} mit dem höchsten Wert von „${column}“ in ${rows}`,
    rowLowest: (column, rows, isOne) =>
      `${isOne ? "Zeile" : "Zeilen"} mit dem niedrigsten Wert von „${column}“ in ${rows}`,
    row: (rows) => `Zeile aus ${rows}`,
    columns: (columns, rows) => `${columns} aus ${rows}`,
    found: (rows) => `${rows} gefunden`,
    moreRows: (rows) => `${rows} weitere Zeilen stehen im Ergebnis`,
    leftOut: (rows, isExact) =>
      `${isExact ? "" : "mindestens "}${rows} weitere Zeilen fehlen wegen der Zeilengrenze`,
    cut: (cells) => `${cells} lange Zellen wurden gekürzt`,
    resultOf: (sql) => `Ergebnis von ${sql}`,
    called: {
      count: (column) => `Anzahl ${column}`,
      sum: (column) => `Summe ${column}`,
      average: (column) => `Durchschnitt ${column}`,
      lowest: (column) => `niedrigster Wert ${column}`,
      highest: (column) => `höchster Wert ${column}`,
    },
    allRows: "der Zeilen",
  },
  reasons: {
    evidence: (lacks) => `die Belege reichen nicht aus${lacks === "" ? "" : `: ${lacks}`}`,
    absent: (names, numbers) =>
      `keine der nächstliegenden Textstellen ${joinPhrases([names && `erwähnt ${names}`, numbers && `enthält ${numbers}`], " oder ")}`,
    beside: (names, isAlso) =>
      `nur der Text neben ${isAlso ? "ihnen" : "den nächstliegenden Textstellen"} erwähnt ${names}`,
    noDocument: (name) => `kein durchsuchtes Dokument heißt „${name}“`,
    onlyForms: (names) => `nur leere Formulare gefunden: ${names}`,
    unsearched: (agent, collections) =>
      collections === 1
        ? `${agent} durchsucht eine Sammlung nicht, die Sie lesen dürfen`
        : `${agent} durchsucht ${collections} Sammlungen nicht, die Sie lesen dürfen`,
    askAgent: (agent) => `fragen Sie stattdessen ${agent} (--agent "${agent}")`,
    quoted: "die Zeilen der Dokumente, die der Frage am nächsten kommen, Wort für Wort",
    asFound: "Ergebnisse der Werkzeuge, unverändert",
    wroteNothing: "das Modell hat nichts geschrieben",
    declined: "das Modell hat in den Textstellen keine Antwort gefunden",
    groundless: (reason) =>
      `nichts, was das Modell geschrieben hat, ist durch die Textstellen belegt: ${reason}`,
    standing: (supported, all) =>
      `${supported} von ${all} ${all === 1 ? "Satz" : "Sätzen"} durch die zitierten Textstellen belegt`,
    inPart: (count) => `davon ${count} nur teilweise`,
    withheld: (count) =>
      `${count} ${count === 1 ? "Satz" : "Sätze"} der Textstellen zurückgehalten, weil an einen Assistenten gerichtet`,
    noTotal: "es wurde keine Summe berechnet",
    whole: (marker, isProcedure) =>
      isProcedure
        ? `das ganze Verfahren, wie es in [${marker}] steht`
        : `die ganze Liste, wie sie in [${marker}] steht`,
    mentioned: (mentions, documents) => `in ${mentions} von ${documents} durchsuchten Dokumenten erwähnt`,
    readOff: (chunks, name) =>
      `aus ${chunks === 1 ? "einem Abschnitt" : `${chunks} Abschnitten`} von ${name} gelesen`,
  },
  judged: {
    uncited: "nennt keine Textstelle",
    unstated: "steht in keiner Textstelle",
    noPassage: (marker) => `es gibt keine Textstelle [${marker}]`,
    opposite: (where) => `${where} sagt das Gegenteil`,
    absent: (what, where) => `${what} steht nicht in ${where}`,
    elsewhere: (what, there, where) => `${what} steht in ${there}, nicht in ${where}`,
    otherValue: (what, where) => `${what} widerspricht ${where}`,
    otherUnit: (number, where) => `${number} steht in ${where} mit einer anderen Einheit`,
    notEntailed: (where, probability, label, judge) =>
      `folgt nicht aus ${where}: ${label} (Wahrscheinlichkeit ${formatDecimalComma(probability)}, laut ${judge})`,
  },
};

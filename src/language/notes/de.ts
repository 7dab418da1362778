import { joined, withComma } from "./phrases.ts";
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
      `Kein Satz erwähnt „${subject}“; ${atLeast(isLeast).toLowerCase()}${documentsOf(documents)} ${documents === 1 ? "hat" : "haben"} die Wörter in einem Abschnitt:`,
    pages: (pages, one) => `${one ? "Seite" : "Seiten"} ${pages}`,
    places: (places) => `${places} Stellen`,
    more: (documents) => `und ${documents} ${documents === 1 ? "weiteres" : "weitere"}`,
    narrowed: (agent) => `Durchsucht wurden nur die Sammlungen, die ${agent} liest.`,
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
    none: (name, called) => `In ${name} waren keine ${called} zu erkennen.`,
    which: (documents) => `Die Frage sagt nicht, welches von ${documents} Dokumenten sie meint.`,
  },
  sideMissing: (side) => `Die Textstellen sagen nichts über ${side}.`,
  partMissing: (part) => `Keine Textstelle beantwortet: „${part}“`,
  partUnanswered: (part) => `Nicht beantwortet: „${part}“`,
  noTotal: "Es wurde keine Summe berechnet: Das sind ihre Teile, wie sie in den Textstellen stehen.",
  refusals: {
    noPassage: "In den durchsuchten Sammlungen habe ich keine Textstelle gefunden, die das beantwortet.",
    nearest: "Am nächsten kommen:",
    ungrounded: "Aus den gefundenen Textstellen lässt sich keine vollständige Antwort sicher belegen.",
    found: "Gefunden wurde:",
  },
  holdings: {
    documentsIn: (documents, folder) => `${documentsOf(documents)} im Ordner „${folder}“:`,
    noFolder: (folder) => `Es gibt keinen Ordner „${folder}“.`,
    documents: (documents) => `${documentsOf(documents)}:`,
    more: (documents) => `${documents} weitere`,
    none: "Es gibt noch keine Dokumente zu durchsuchen: `ragctl ingest ORDNER` fügt welche hinzu.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "der Sammlung" : `${collections} Sammlungen:`;
      return `Ich kann ${documentsOf(documents)}${collections === 0 ? "" : ` in ${where} ${names}`} durchsuchen.`;
    },
    agents: (names) => `Agenten: ${names}.`,
  },
  about: "Ich bin ragctl, ein Programm, das Fragen aus Ihren Dokumenten beantwortet und die Stellen angibt.",
  social: {
    greeting: "Hallo! Was möchten Sie aus den Dokumenten wissen?",
    wellbeing: "Alles läuft, danke. Was möchten Sie aus den Dokumenten wissen?",
    thanks: "Gern geschehen.",
    farewell: "Auf Wiedersehen.",
    praise: "Gut. Fragen Sie gern weiter.",
  },
  which: {
    subject: "Worum geht es? Nennen Sie ein Produkt, eine Person, einen Ort oder ein Datum.",
    example: (titles) => `Worum geht es? Die Dokumente handeln zum Beispiel von ${titles}.`,
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
    evidence: (score, threshold, lacks) =>
      `die Beleglage ${withComma(score)} liegt unter ${withComma(threshold)}${lacks === "" ? "" : `: ${lacks}`}`,
    absent: (names, numbers) =>
      `keine der nächstliegenden Textstellen ${joined([names && `erwähnt ${names}`, numbers && `enthält ${numbers}`], " oder ")}`,
    beside: (names, isAlso) =>
      `nur der Text neben ${isAlso ? "ihnen" : "den nächstliegenden Textstellen"} erwähnt ${names}`,
    noDocument: (name) => `kein durchsuchtes Dokument heißt „${name}“`,
    unsearched: (agent, collections) =>
      collections === 1
        ? `${agent} durchsucht eine Sammlung nicht, die Sie lesen dürfen`
        : `${agent} durchsucht ${collections} Sammlungen nicht, die Sie lesen dürfen`,
    askAgent: (agent) => `fragen Sie mit --agent "${agent}"`,
    unseen: "gefragt ist, wie eine Seite aussieht, gelesen wurde aber nur ihr Text",
    noSentence: "kein Satz der Textstellen beantwortet das",
    asFound: "unverändert, was die Werkzeuge gefunden haben",
    noModel: "das Antwortmodell ist nicht installiert: Sätze aus den Textstellen zitiert",
    noTime: "kein Modell würde in der gegebenen Zeit fertig: Sätze aus den Textstellen zitiert",
    timeUp: "die Zeit war um, bevor das Modell einen Satz geschrieben hatte",
    wroteNothing: "das Modell hat nichts geschrieben",
    declined: "das Modell findet in den Textstellen keine Antwort",
    groundless: (reason) => `nichts, was das Modell schrieb, steht in den Textstellen: ${reason}`,
    mostRemoved: (reason) => `das meiste, was das Modell schrieb, ist entfernt: ${reason}`,
    asSaid: "unverändert, was die Textstellen sagen",
    standing: (supported, all) => `${supported} von ${all} Sätzen stehen in den zitierten Textstellen`,
    inPart: (count) => `${count} davon teilweise`,
    removed: (count) => `${count} entfernt`,
    withheld: (count) =>
      `${count} ${count === 1 ? "Satz" : "Sätze"} der Textstellen zurückgehalten: an einen Assistenten gerichtet`,
    noTotal: "es wurde keine Summe berechnet",
    sideAdded: "die andere Seite wurde aus den Textstellen ergänzt",
    whole: (marker, isProcedure) =>
      isProcedure
        ? `das ganze Verfahren, wie es in [${marker}] steht`
        : `die ganze Liste, wie sie in [${marker}] steht`,
    mentioned: (mentions, documents) => `${mentions} von ${documents} durchsuchten Dokumenten`,
    readOff: (chunks, name) =>
      `aus ${chunks === 1 ? "einem Abschnitt" : `${chunks} Abschnitten`} von ${name} abgelesen`,
  },
  judged: {
    nothing: "sagt nichts",
    breaksOff: "bricht ab",
    query: "ist eine Abfrage, keine Antwort",
    uncited: "nennt keine Textstelle",
    unstated: "steht in keiner Textstelle",
    noPassage: (marker) => `es gibt keine Textstelle [${marker}]`,
    empty: "behauptet nichts",
    foreign: "in einer anderen Sprache als die Textstelle: nur Namen und Zahlen wurden verglichen",
    yesNoAlone: (where) => `sagt nur Ja oder Nein: ${where} spricht von dem, was gefragt ist`,
    unasked: (where) => `${where} spricht nicht von dem, was gefragt ist`,
    restricted: (where) => `bejaht, was ${where} einschränkt`,
    undenied: (where) => `verneint, was ${where} nicht verneint`,
    denied: (where) => `bejaht, was ${where} verneint`,
    opposite: (where) => `${where} sagt das Gegenteil`,
    unrelated: "hat nichts mit der Frage zu tun",
    noValue: {
      date: "nennt keinen Zeitpunkt, nach dem gefragt ist",
      number: "nennt keine Zahl, nach der gefragt ist",
      color: "nennt keine Farbe, nach der gefragt ist",
      telephone: "nennt keine Telefonnummer, nach der gefragt ist",
    },
    countsElse: (what) => `zählt etwas anderes als ${what}`,
    less: (where) => `${where} hat weit weniger von der Frage als eine andere Textstelle`,
    ofElse: (where) => `${where} sagt es von etwas anderem, als gefragt ist`,
    notOf: (where, name) => `${where} spricht von etwas anderem als ${name}`,
    otherYear: (where, told, asked) => `${where} spricht von ${told}, nicht von ${asked}`,
    absent: (what, where) => `${what} steht nicht in ${where}`,
    silent: (where, words) => `${where} sagt nichts zu ${words}`,
    otherUnit: (number, where) => `${number} steht in ${where} mit einer anderen Einheit`,
    inUnit: (number, where, unit, stated) => `${number} steht in ${where} in ${unit}, nicht in ${stated}`,
    loose: (number, where) => `${number} steht in ${where}, aber bei nichts von dem, was gefragt ist`,
    otherPeriod: (number, where, told, asked) =>
      `${number} steht in ${where} für ${told === "" ? "einen anderen Zeitraum" : told}, nicht für ${asked}`,
    noDifference: (number, where) => `${number} steht in ${where}, aber nicht als Unterschied zweier Zahlen`,
    oneRow: (number, where) => `${number} ist eine Zeile in ${where}, nicht die Summe`,
    otherThing: (number, where) => `${number} steht in ${where}, aber für etwas anderes`,
    notEntailed: (where, probability, label, judge) =>
      `folgt nicht aus ${where}: ${label} mit einer Wahrscheinlichkeit von ${withComma(probability)}, so ${judge}`,
    pointsBack: "verweist auf einen Satz, der entfernt wurde",
    announces: "kündigt an, was nicht folgt",
  },
};

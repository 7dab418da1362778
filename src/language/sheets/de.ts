import { german } from "../lexicons/de.ts";
import type { SheetWords } from "./words.ts";

const plain: Readonly<Record<string, string>> = { ä: "a", ö: "o", ü: "u" };

/**
 * A word without umlaut and the endings of case, plural and adjectives: `Beträge` and `Betrags` → `betrag`.
 */
const rootOf = (word: string): string =>
  word
    .replace(/[äöü]/g, (vowel) => plain[vowel] ?? vowel)
    .replace(/(?<=...[bdfghklmnrt])s$/, "")
    .replace(/(?<=...)(?:ern|em|er|en|es|e|(?<=[elr])n)$/, "");

export const germanSheets: SheetWords = {
  decimal: ",",
  apart: (text) => text.replace(/(?<!\p{L})(gesamt|durchschnitts)(?=\p{L}{4})/giu, "$1 "),
  hasCompounds: true,
  rootOf,
  silent: [
    ...(german.functionWords ?? []),
    `alle alles darüber darunter ander anzahl art beide beträgt betrug betragen bitte davon daten datensatz datensätze deren dessen durchschnitt
durchschnittlich eintrag einträge finde findet finden gehört gehören gehörte gesamt gesamte gesamtsumme gesamtzahl gesamtwert gib groß
größer größte günstiger hatte hatten heißt heißen hoch höher höchste höchstens ihr insgesamt jeweils kleiner
kleinste kürzeste längste lautet lauten leichteste liegt liegen lag liste maximal maximale maximum max mehr meiste mindestens minimal
minimale minimum min mittel mittelwert mittlere name namen nenne neueste niedriger niedrigste geringer geringste schnitt schwerste
stehen steht such suche summe tabelle tabellenblatt blatt teuerste billigste günstigste älteste jüngste typ unter unterhalb
viel viele von war waren weniger wenigste welche werte wert wieviel wieviele zahl zeig zeige zeile zeilen zusammen
zusammengerechnet zwischen oberhalb übersteigt übersteigen überschreitet überschreiten ab`,
  ],
  figures: {
    avg: "durchschnitt(?:e|s)?|durchschnittlich\\p{L}{0,2}|mittelwert|mittlere[nrsm]?|im (?:mittel|schnitt)",
    sum: "summe|insgesamt|gesamt|gesamte[nrsm]?|gesamtsumme|gesamtwert|zusammen|zusammengerechnet",
    max: "max\\.?|maximum|neueste[nrsm]?|jüngste[nrsm]?|späteste[nrsm]?",
    min: "min\\.?|minimum|älteste[nrsm]?|früheste[nrsm]?",
    count: "wie ?viele|anzahl|gesamtzahl|zahl der",
  },
  counting: "wie ?viele|(?:anzahl|zahl)(?: der| von)?",
  between: "zwischen|von",
  placing: "(?:in|im|aus|bei|beim|am|an|auf|über|durch|mit|unter|für)(?: der| dem| den| die| das)?",
  beyond:
    "nicht|keine?[nrsm]?|ohne|außer|weder|noch|nie|niemals|pro|je|jede[nrsm]?|als (?:der|die|das|dem|den) (?:durchschnitt\\p{L}*|mittelwert)",
  beforeRanked:
    "(?:des|vom|von der|beim|bei der|in der) |der (?=\\p{L}*en(?!\\p{L}))|^(?:wie|was)(?: \\p{L}+){0,3} (?:hat|haben|ist|sind|kostet|kosten|wiegt) (?:der|die|das) ",
  asksExtreme:
    "(?:was|wie|wie (?:hoch|groß|lang|schwer|viel)|welche[rs]?) (?:(?:ist|war|sind|waren|beträgt|lautet) )?(?:(?:der|die|das) )?",
  names: "name bezeichnung benennung",
  identifiers: "nr nummer kennung code jahr plz postleitzahl",
  meanings: {
    kostet: "preis kosten",
    kosten: "preis",
    preis: "kosten",
    teuer: "preis kosten",
    teuerste: "preis kosten",
    billig: "preis kosten",
    billigste: "preis kosten",
    günstig: "preis kosten",
    günstigste: "preis kosten",
    wiegt: "gewicht masse",
    schwer: "gewicht masse",
    schwerste: "gewicht masse",
    leichteste: "gewicht masse",
    lang: "länge dauer",
    längste: "länge dauer",
    kürzeste: "länge dauer",
    alt: "alter",
    älteste: "datum baujahr",
    neueste: "datum baujahr",
    jüngste: "datum baujahr",
    schnell: "geschwindigkeit",
    schnellste: "geschwindigkeit",
    einwohner: "bevölkerung",
    verdient: "gehalt lohn",
    liefert: "lieferant",
    geliefert: "lieferant",
    lieferer: "lieferant",
    bestand: "lagerbestand menge",
    vorrat: "bestand lagerbestand",
    lager: "lagerbestand bestand",
    vorrätig: "bestand lagerbestand",
    stück: "menge stückzahl",
    umsatz: "erlös",
    erlös: "umsatz",
    wo: "standort ort lagerort",
  },
};

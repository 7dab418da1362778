/** Words for names of fields that are abbreviations: of RIS those that mean the same for all references. */
const words = new Map(
  Object.entries({
    ...{ fn: "name", n: "names", tel: "telephone", adr: "address", org: "organization", bday: "birthday" },
    ...{ dtstart: "start", dtend: "end", dtstamp: "stamped", rrule: "repeats" },
    ...{ TY: "type", AU: "author", A1: "author", A2: "editor", TI: "title", T1: "title", T2: "in" },
    ...{ JO: "journal", JF: "journal", PY: "year", Y1: "date", DA: "date", VL: "volume", IS: "issue" },
    ...{ SP: "first page", EP: "last page", PB: "publisher", CY: "city", SN: "number", DO: "doi" },
    ...{ UR: "url", AB: "abstract", N2: "abstract", KW: "keyword", LA: "language", ID: "id" },
  }),
);
/** The name of a field in words. */
export const inWords = (name: string): string => words.get(name) ?? name;

/** A record under its name. */
export interface BibliographyEntry {
  readonly name: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Reads the text of a record; undefined where it is none. Throws where it is damaged. */
export type ReadEntry = (text: string) => BibliographyEntry | undefined;

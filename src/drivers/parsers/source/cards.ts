import type { ReadEntry } from "./page.ts";

/** Words for names of fields that are abbreviations: of RIS those that mean the same for all references. */
const words = new Map(
  "fn name|n names|tel telephone|adr address|org organization|bday birthday|dtstart start|dtend end|dtstamp stamped|rrule repeats|TY type|AU author|A1 author|A2 editor|TI title|T1 title|T2 in|JO journal|JF journal|PY year|Y1 date|DA date|VL volume|IS issue|SP first page|EP last page|PB publisher|CY city|SN number|DO doi|UR url|AB abstract|N2 abstract|KW keyword|LA language|ID id"
    .split("|")
    .map((pair) => [pair.split(" ", 1)[0], pair.slice(pair.indexOf(" ") + 1)]),
);
/** The name of a field in words. */
export const inWords = (name: string): string => words.get(name) ?? name;

/** A property of jCal and jCard. Source: RFC 7265, RFC 7095. */
type Property = readonly [string, Readonly<Record<string, unknown>>, type: string, ...unknown[]];

/** A value in words: of several parts those that are not empty, of a rule each with its name. */
const shown = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? Object.entries(value)
        .map(([name, part]) => (Array.isArray(value) ? shown(part) : `${name} ${shown(part)}`))
        .filter((part) => part !== "")
        .join(", ")
    : String(value ?? "").trim();

function fieldOf([name, { type: kind, tzid, cn, encoding }, type, ...values]: Property) {
  const value = shown(values);
  if (/^date(?:-time)?$/.test(type) && !/^[-\d]{4,10}(?:T[\d:]{4,8}Z?)?(?:, |$)/.test(value))
    throw new Error(`${name} is no date`);
  const about = shown([kind, tzid, cn]);
  const isPicture = type === "binary" || /^b(?:ase64)?$/i.test(String(encoding)) || value.startsWith("data:");
  const isSaid = name !== "version" && value !== "" && !isPicture;
  return isSaid ? [{ name, field: [`${inWords(name)}${about && ` (${about})`}`, value] as const }] : [];
}

/** Opens a reader of cards (vCard) and of parts of a calendar (iCalendar), by ical.js. */
export async function openCards(): Promise<ReadEntry> {
  const { default: ical } = await import("ical.js");
  return (text) => {
    const [own = ""] = text.split(/(?<=^END:V(?:CARD|EVENT|TODO|JOURNAL|FREEBUSY)[ \t]{0,20})$/im, 1);
    // Version 2.1 has parameters without a name.
    const named = own.replace(/^[A-Z][^:"\r\n\u2028\u2029]*:/gim, (head) =>
      head.replace(/;([\w-]{1,40})(?=[;:])/g, ";TYPE=$1"),
    );
    // What the library makes of a component.
    const [kind, properties] = ical.parse(named) as [string, readonly Property[]];
    const fields = properties.flatMap(fieldOf);
    const name = ["fn", "summary", "org", "uid"].flatMap((own) =>
      fields.filter((each) => each.name === own),
    )[0];
    return { name: name?.field[1] ?? kind, fields: fields.map(({ field }) => field) };
  };
}

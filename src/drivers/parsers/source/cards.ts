import { inWords, type ReadEntry } from "./entry.ts";

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

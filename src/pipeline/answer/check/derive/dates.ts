import type { Quantity } from "../../../../language/quantities.ts";
import {
  addTo,
  type CalendarUnit,
  type Day,
  dayOf,
  daysBetween,
  isCalendarUnit,
  isoDay,
} from "../../../../language/time/calendar.ts";
import { sameDate } from "../../../../language/time/dates.ts";
import type { DateReadings, Ground } from "./numbers.ts";

/** A number of days, weeks, months or years. */
interface Duration {
  readonly amount: number;
  readonly unit: CalendarUnit;
  /** As written, with its unit. */
  readonly text: string;
}

const durationsIn = (quantities: readonly Quantity[]): readonly Duration[] =>
  quantities.flatMap(({ readings: [amount], unit, scale, text }) =>
    amount === undefined || !isCalendarUnit(unit)
      ? []
      : [{ amount: amount * scale, unit, text: `${text} ${unit}` }],
  );

const daysOf = (dates: readonly DateReadings[]): readonly Day[] =>
  dates.flatMap((readings) => readings.flatMap((reading) => dayOf(reading) ?? []));

/** Largest factor of a duration: `2 × 24 days`. */
const mostTimes = 12;
/** More combinations than this would give any date of a year. */
const mostCombinations = 24;

/** Factors that a statement names: its small whole numbers without a unit; 1 always. */
const factorsOf = (quantities: readonly Quantity[]): readonly number[] => [
  1,
  ...quantities.flatMap(({ readings: [value = 0], unit, decimals }) =>
    unit === "" && decimals === 0 && value > 1 && value <= mostTimes ? [value] : [],
  ),
];

/** Days and durations from which a date may be worked out. */
interface Source {
  readonly days: readonly Day[];
  readonly durations: readonly Duration[];
  readonly factors: readonly number[];
}

/** A day, and how it was worked out. */
interface Reached {
  readonly day: Day;
  readonly way: string;
}

/** Every day that is some times a duration before or after another. */
const reachedIn = ({ days, durations, factors }: Source): readonly Reached[] =>
  days.flatMap((from) =>
    durations.flatMap(({ amount, unit, text }) =>
      factors.flatMap((factor) =>
        ([1, -1] as const).map((sign) => ({
          day: addTo(from, amount * factor * sign, unit),
          way: `${isoDay(from)} ${sign < 0 ? "-" : "+"} ${factor === 1 ? "" : `${factor} × `}${text}`,
        })),
      ),
    ),
  );

/** How a date is reached in a source; null if it is not, or if the source reaches too many. */
function fromSource(wanted: DateReadings, source: Source): string | null {
  const { days, durations, factors } = source;
  if (days.length * durations.length * factors.length > mostCombinations) return null;
  const isWanted = ({ day }: Reached): boolean =>
    wanted.some((reading) => sameDate(reading, { ...day, text: "" }));
  return reachedIn(source).find(isWanted)?.way ?? null;
}

/** The sources of a statement, the closest first: itself, with earlier ones, with the cited passages. */
function sourcesOf({ own, earlier, ownDates, earlierDates, cited }: Ground): readonly Source[] {
  const shown = [...own, ...earlier];
  const days = daysOf([...ownDates, ...earlierDates]);
  const told = cited.flatMap(({ quantities }) => quantities);
  const toldDays = daysOf(cited.flatMap(({ dates }) => dates.map((date) => [date])));
  const factors = factorsOf(own);
  return [
    { days: daysOf(ownDates), durations: durationsIn(own), factors },
    { days, durations: durationsIn(shown), factors },
    { days, durations: durationsIn(told), factors },
    { days: toldDays, durations: durationsIn(shown), factors },
    { days: toldDays, durations: durationsIn(told), factors: [1] },
  ];
}

/** How a date of a statement is worked out from another date and a duration; null if it is not. */
export function deriveDate(wanted: DateReadings, ground: Ground): string | null {
  for (const source of sourcesOf(ground)) {
    const found = fromSource(wanted, source);
    if (found !== null) return found;
  }
  return null;
}

/** How a number of days or weeks is the time between two dates that the answer shows; null if it is not. */
export function deriveDuration(
  { readings: [value], unit }: Quantity,
  { ownDates, earlierDates }: Ground,
): string | null {
  if (value === undefined || (unit !== "d" && unit !== "wk")) return null;
  const days = daysOf([...ownDates, ...earlierDates]);
  for (const from of days)
    for (const to of days)
      if (daysBetween(from, to) === value * (unit === "wk" ? 7 : 1)) return `${isoDay(to)} - ${isoDay(from)}`;
  return null;
}

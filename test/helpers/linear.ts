import assert from "node:assert/strict";

/** Processor time from which work can be compared, microseconds. */
const comparable = 2_000;
/** Characters at which work that still takes less is taken for linear. */
const longest = 100_000;
/** How much longer a text is made: pauses of a busy machine are small beside what quadratic work would take. */
const times = 64;
/** The same for work that takes short texts only. */
const timesShort = 8;
/** Midway between the growth of linear and of quadratic work, for a text that is so many times as long. */
const mostGrowth = (longer: number): number => Math.sqrt(longer * longer ** 2);

/**
 * Processor time of this thread, microseconds: the least of a few runs, as pauses only add to it; of no more
 * runs once one took less than `enough`.
 */
function cost(work: () => unknown, enough = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least >= enough; run++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Asserts that work on each piece, repeated until the work can be compared, grows no faster than the text. */
export function assertLinear(work: (text: string) => unknown, pieces: readonly string[]): void {
  for (const piece of pieces) {
    let text = piece.repeat(250);
    let before = cost(() => work(text));
    while (before < comparable && text.length < longest) {
      text = text.repeat(2);
      before = cost(() => work(text));
    }
    const base = Math.max(before, comparable);
    const growth = cost(() => work(text.repeat(times)), base * mostGrowth(times)) / base;
    assert.ok(
      growth < mostGrowth(times),
      `${JSON.stringify(piece)}: ${times} times the text, ${growth.toFixed(1)} times the work`,
    );
  }
}

/**
 * The same for work that refuses longer texts, on texts of `length` characters against some of an eighth; each is done
 * as often as it takes to be compared.
 */
export function assertLinearUpTo(
  length: number,
  work: (text: string) => unknown,
  pieces: readonly string[],
): void {
  for (const piece of pieces) {
    const short = piece.repeat(length).slice(0, Math.floor(length / timesShort));
    let often = 100;
    const costOf = (text: string, enough?: number): number =>
      cost(() => {
        for (let time = 0; time < often; time++) work(text);
      }, enough);
    let before = costOf(short);
    while (before < comparable) {
      often *= 2;
      before = costOf(short);
    }
    const growth = costOf(short.repeat(timesShort), before * mostGrowth(timesShort)) / before;
    assert.ok(
      growth < mostGrowth(timesShort),
      `${JSON.stringify(piece)}: ${timesShort} times the text, ${growth.toFixed(1)} times the work`,
    );
  }
}

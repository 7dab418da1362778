import type { Settings } from "../../config/settings.ts";
import type { ReaderLevel, ReaderVerdict, Reading } from "../../core/answers/reading.ts";
import { readingScore } from "../../pipeline/evaluate/reading.ts";

/** Tokens of passages that are shown where `answer.contextTokens` leaves it open. */
export const contextTokensBy: Readonly<Record<ReaderLevel, number>> = { small: 1600, able: 6000 };

/** Default for the most passages of documents to read. */
export const passagesBy: Readonly<Record<ReaderLevel, number>> = { small: 6, able: 20 };

/** Size of a model file from which a local model counts as able: 3 billion weights of 4 to 5 bits. */
const ableBytes = 1_800_000_000;

/**
 * Reading score from which a model counts as able: the lower end of its interval, so that luck makes none
 * able.
 */
const ableScore = 0.7;

/** The facts that decide the level of a model. */
export interface ReaderFacts {
  readonly fileBytes: number;
  readonly isRemote: boolean;
  /** The result of its probe; absent where there was none. */
  readonly reading?: Reading | undefined;
}

/** The level of a model, and the reason for it. */
export function readerLevel(
  { reader }: Pick<Settings["answer"], "reader">,
  { fileBytes, isRemote, reading }: ReaderFacts,
): ReaderVerdict {
  if (reader !== "auto") return { level: reader, why: "answer.reader" };
  if (reading !== undefined) {
    const { count, of, low } = readingScore(reading);
    const why = `${count} of ${of} probe questions answered correctly`;
    return { level: low >= ableScore ? "able" : "small", why };
  }
  if (isRemote) return { level: "able", why: "a provider's model" };
  const gigabytes = `a model file of ${(fileBytes / 1e9).toFixed(1)} GB`;
  return { level: fileBytes >= ableBytes ? "able" : "small", why: gigabytes };
}

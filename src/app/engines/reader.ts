import type { Settings } from "../../config/settings.ts";

/** How much a model makes of what it reads: a small one is led astray by more than the nearest lines. */
export type ReaderLevel = "small" | "able";

/** Tokens of passages that are shown where `answer.contextTokens` leaves it open. */
export const contextTokensBy: Readonly<Record<ReaderLevel, number>> = { small: 1600, able: 6000 };

/** Passages of documents that are shown at most where nobody asks for a number of them. */
export const passagesBy: Readonly<Record<ReaderLevel, number>> = { small: 5, able: 20 };

/** Size of a model file from which a local model counts as able: 3 billion weights of 4 to 5 bits. */
const ableBytes = 1_800_000_000;

/** The level of a model, and the reason for it. */
export function readerLevel(
  { reader }: Pick<Settings["answer"], "reader">,
  { fileBytes, isRemote }: { readonly fileBytes: number; readonly isRemote: boolean },
): { readonly level: ReaderLevel; readonly why: string } {
  if (reader !== "auto") return { level: reader, why: "answer.reader" };
  if (isRemote) return { level: "able", why: "the model of a provider" };
  const gigabytes = `a model file of ${(fileBytes / 1e9).toFixed(1)} GB`;
  return { level: fileBytes >= ableBytes ? "able" : "small", why: gigabytes };
}

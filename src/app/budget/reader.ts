import type { LanguageModel, WriteMode } from "../../core/answers/answer.ts";
import type { ReaderLevel } from "../../core/answers/reading.ts";
import type { AskRequest } from "../../core/app.ts";
import { modelRates } from "../../pipeline/budget/rates.ts";
import type { ServedModel } from "../engines/language-models.ts";
import { contextTokensBy, passagesBy, readerLevel } from "../engines/reader.ts";
import type { Home } from "../home.ts";
import { machineName } from "./machine.ts";

/** Who reads the passages of an answer, and how much of them is shown. */
export interface Reader {
  readonly level: ReaderLevel;
  /** Why it counts as that, for the log. */
  readonly why: string;
  /** What is made of the passages: a written answer, quotes, or quotes with a draft below. */
  readonly makes: "answer" | "quotes" | "draft";
  /** Budget of the passages together, in the model's tokens. */
  readonly contextTokens: number;
  /** Passages of documents, at most. */
  readonly passages: number;
  /** Share of the time of an answer within which it is asked about its own sentences; 0 for never. */
  readonly checkShare: number;
}

/** A model of this machine reads its passages for a check again; a provider does it in no time of ours. */
const localShare = 0.15;

/**
 * Tokens that a local model reads within `answer.firstToken`, by past measurements; `otherwise` without any.
 */
async function readInTime(
  id: string,
  fileBytes: number,
  otherwise: number,
  { rates, settings }: Pick<Home, "rates" | "settings">,
): Promise<number> {
  const known = await rates.of(machineName(), id);
  if (!known.has("prefill_ms_per_token")) return otherwise;
  const { prefillMsPerToken } = modelRates(known, fileBytes, true);
  return Math.floor(settings.answer.firstTokenMs / prefillMsPerToken);
}

/** What a reader of a level makes of the passages. */
function makesOf(level: ReaderLevel, write: WriteMode): Reader["makes"] {
  if (write === "never") return "quotes";
  if (level === "able") return "answer";
  return write === "always" ? "draft" : "quotes";
}

/**
 * The model for decisions beside an answer, such as the wording of a search or of SQL; null where it would
 * not write the answer either. `answer.reader` speaks of the model that answers: another is judged by itself.
 */
export async function openAuxiliaryModel(
  served: Pick<ServedModel, "model" | "outlook">,
  { rates, settings }: Pick<Home, "rates" | "settings">,
  answering?: Pick<ServedModel, "outlook">,
): Promise<LanguageModel | null> {
  const isOther = answering && (await served.outlook())?.id !== (await answering.outlook())?.id;
  const answer = isOther ? { ...settings.answer, reader: "auto" as const } : settings.answer;
  const { topK } = settings.retrieve;
  const reader = await resolveReader(served, { topK }, { rates, settings: { ...settings, answer } });
  return reader.makes === "answer" ? await served.model() : null;
}

/**
 * The reader of a question. Options that settings and request leave open follow from its level: an able one
 * gets whole pages, as many as it reads within the limit.
 */
export async function resolveReader(
  served: Pick<ServedModel, "outlook">,
  { topK, write }: Pick<AskRequest, "topK" | "write">,
  home: Pick<Home, "rates" | "settings">,
): Promise<Reader> {
  const { answer, retrieve } = home.settings;
  const outlook = (await served.outlook()) ?? { id: "", fileBytes: 0, isLoaded: false, isRemote: false };
  const { level, why } = readerLevel(answer, outlook);
  const makes = makesOf(level, write ?? answer.write);
  // Quotes are chosen from as much as a small model reads.
  const reading = makes === "answer" ? level : "small";
  const usual = contextTokensBy[reading];
  const inTime =
    reading === "small" || outlook.isRemote
      ? usual
      : Math.max(
          contextTokensBy.small,
          await readInTime(outlook.id, outlook.fileBytes, contextTokensBy.small, home),
        );
  return {
    level,
    why,
    makes,
    contextTokens: answer.contextTokens > 0 ? answer.contextTokens : Math.min(usual, inTime),
    checkShare: level === "small" ? 0 : outlook.isRemote ? 1 : localShare,
    passages: topK === retrieve.topK ? Math.max(topK, passagesBy[reading]) : topK,
  };
}

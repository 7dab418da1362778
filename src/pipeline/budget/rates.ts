import type { PhaseMetrics } from "../../core/run.ts";
import type { ModelRates, SearchRates } from "./plan.ts";

/** Measured costs of searching and of an answering model. The names are those of the registry's table. */
export type RateName =
  | "prepare_ms"
  | "search_ms"
  | "load_ms"
  | "prefill_ms_per_token"
  | "decode_ms_per_token"
  | "judge_ms_per_token"
  | "overhead_tokens"
  /** Writing a whole answer and judging it. */
  | "write_ms"
  /** When, milliseconds since 1970. */
  | "measured_at_ms";

/** Most recent measurements by name. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/** One measurement each. */
export type Measured = Readonly<Partial<Record<RateName, number>>>;

/** Measurements kept per rate: enough for a quartile, few enough to reflect a change in load. */
export const maxSamples = 12;

/** Defaults before anything is measured: those of a slow machine, so that the first estimate is kept. */
const assumedSearch: SearchRates = { prepareMs: 800, searchMs: 150 };
/** No machine is faster, whatever was measured. */
const fastestSearch: SearchRates = { prepareMs: 100, searchMs: 20 };

/**
 * Defaults of a model per 10⁹ bytes of its file: llama.cpp on two slow cores. Source: half the speed of a 1.5
 * B model at 4 bits on two cores of 2.6 GHz (docs/explanation/answering.md).
 */
const assumedPerGigabyte = { loadMs: 10_000, prefillMsPerToken: 22, decodeMsPerToken: 90 } as const;

/** Independent of the model. */
const assumedJudgeMs = 1;
const assumedOverheadTokens = 280;

/** Shorter runs are too short to measure a rate. */
const leastTokens = { prefill: 32, decode: 4 } as const;
/** A faster load, in ms, means that the model was already in memory. */
const leastLoadMs = 20;

/** The sample at quantile `share`, by nearest rank; undefined without samples. */
export function sampleQuantile(samples: readonly number[] = [], share: number): number | undefined {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** Exceeded by a quarter of the samples: cautious, and robust against a single outlier. */
const upperQuartile = (samples: readonly number[] | undefined): number | undefined =>
  sampleQuantile(samples, 0.75);

const searchPhases = /^(?:embed_query|retrieve|fuse|gather|rerank)(?:_again)?$/;
const writePhases: readonly string[] = ["load", "generate", "ground", "tools"];

/** Measurements of the search from the phases of an answered question; empty if nothing was searched. */
export function searchSamples(phases: readonly PhaseMetrics[]): Measured {
  const formulations = countOf(phases, "gather", "formulations");
  if (formulations === 0) return {};
  const searching = durationOf(phases, (phase) => searchPhases.test(phase));
  const rest = durationOf(phases, (phase) => !searchPhases.test(phase) && !writePhases.includes(phase));
  return { prepare_ms: rest, search_ms: searching / formulations };
}

/** Measurements of the answering model from the phases of an answered question; empty if none was used. */
export function modelSamples(phases: readonly PhaseMetrics[]): Measured {
  const evaluated = countOf(phases, "generate", "promptTokens") - countOf(phases, "generate", "reusedTokens");
  const written = countOf(phases, "generate", "outputTokens");
  const loadMs = durationOf(phases, (phase) => phase === "load");
  const overhead = countOf(phases, "generate", "promptTokens") - countOf(phases, "context", "tokens");
  const calls = Math.max(1, countOf(phases, "generate", "calls"));
  return {
    ...(loadMs < leastLoadMs ? {} : { load_ms: loadMs }),
    ...(evaluated < leastTokens.prefill
      ? {}
      : { prefill_ms_per_token: countOf(phases, "generate", "prefillMs") / evaluated }),
    ...(written < leastTokens.decode
      ? {}
      : {
          decode_ms_per_token: countOf(phases, "generate", "decodeMs") / written,
          judge_ms_per_token: durationOf(phases, (phase) => phase === "ground") / written,
        }),
    // Also for an answer that was cut off before its tokens were counted.
    ...(phases.some(({ phase }) => phase === "generate") && {
      write_ms: durationOf(phases, (phase) => phase === "generate" || phase === "ground") / calls,
    }),
    ...(calls === 1 && overhead > 0 ? { overhead_tokens: overhead } : {}),
  };
}

const countOf = (phases: readonly PhaseMetrics[], name: string, count: string): number =>
  phases.find(({ phase }) => phase === name)?.counts[count] ?? 0;

const durationOf = (phases: readonly PhaseMetrics[], isMeant: (phase: string) => boolean): number =>
  phases.filter(({ phase }) => isMeant(phase)).reduce((sum, { durationMs }) => sum + durationMs, 0);

/** The fastest past search, so that one slow start does not make a budget seem too short. */
export function fastestSearchMs(samples: Samples): SearchRates {
  const least = (name: RateName, otherwise: number): number =>
    Math.min(...(samples.get(name) ?? [otherwise]));
  return {
    prepareMs: least("prepare_ms", fastestSearch.prepareMs),
    searchMs: least("search_ms", fastestSearch.searchMs),
  };
}

/** Search rates from past questions, or defaults. */
export function searchRates(samples: Samples): SearchRates {
  return {
    prepareMs: upperQuartile(samples.get("prepare_ms")) ?? assumedSearch.prepareMs,
    searchMs: upperQuartile(samples.get("search_ms")) ?? assumedSearch.searchMs,
  };
}

/** Usual time to write an answer, ms; undefined if none was written yet. */
export const typicalWritingMs = (samples: Samples): number | undefined =>
  sampleQuantile(samples.get("write_ms"), 0.5);

/** Whether a model has enough measurements to plan with. */
export const isMeasured = (samples: Samples): boolean =>
  samples.has("prefill_ms_per_token") && samples.has("decode_ms_per_token");

/** Rates of a model from its past runs, or defaults by the size of its file. */
export function modelRates(samples: Samples, fileBytes: number, isLoaded: boolean): ModelRates {
  const of = (name: RateName): number | undefined => upperQuartile(samples.get(name));
  const gigabytes = fileBytes / 1e9;
  return {
    loadMs: isLoaded ? 0 : (of("load_ms") ?? assumedPerGigabyte.loadMs * gigabytes),
    prefillMsPerToken: of("prefill_ms_per_token") ?? assumedPerGigabyte.prefillMsPerToken * gigabytes,
    decodeMsPerToken: of("decode_ms_per_token") ?? assumedPerGigabyte.decodeMsPerToken * gigabytes,
    judgeMsPerToken: of("judge_ms_per_token") ?? assumedJudgeMs,
    overheadTokens: of("overhead_tokens") ?? assumedOverheadTokens,
  };
}

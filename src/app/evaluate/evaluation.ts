import type {
  DraftEvent,
  DraftRequest,
  EvalEvent,
  EvalOutcome,
  EvalReport,
  EvalRequest,
  Gate,
} from "../../core/answers/evaluation.ts";
import type { ReaderVerdict } from "../../core/answers/reading.ts";
import type { Run } from "../../core/run.ts";
import { parseGate, sortWorstFirst } from "../../pipeline/evaluate/summary.ts";
import { readerLevel } from "../engines/reader.ts";
import type { Home } from "../home.ts";
import type { Surface } from "../surface.ts";
import type { ProbeEvent } from "./probe.ts";

/** Measures answers on the user's own questions, within what the run's principal may read. */
export interface Evaluation {
  /** @throws USAGE_INVALID for a file without questions that can be evaluated */
  evaluate(request: EvalRequest, run: Run): AsyncGenerator<EvalEvent>;
  /** A gate as typed, e.g. `page_hit@5>=0.7`, on `topK` passages. @throws USAGE_INVALID */
  gate(text: string, topK: number): Gate;
  /** The questions of a report, the worst first. */
  worstFirst(report: EvalReport): readonly EvalOutcome[];
  /** @throws MODEL_MISSING, COLLECTION_EMPTY */
  draft(request: DraftRequest, run: Run): AsyncGenerator<DraftEvent>;
  /**
   * How well a model reads passages: the one that answers, or the one named by its id, its file or the name
   * of its provider. @throws NOT_FOUND, MODEL_MISSING, CONFIG_INVALID, PROVIDER_*
   */
  probe(reference: string | undefined, run: Run): AsyncGenerator<ProbeEvent>;
  /** The levels of models of this machine, by their ids. */
  readers(ids: readonly string[]): Promise<ReadonlyMap<string, ReaderVerdict>>;
}

/** Creates evaluations; their resources are loaded on first use. */
export function createEvaluationApi(parts: { readonly surface: Surface; readonly home: Home }): Evaluation {
  return {
    gate: parseGate,
    worstFirst: ({ outcomes }) => sortWorstFirst(outcomes),
    async *evaluate(request, run) {
      const { evaluate } = await import("./evaluate.ts");
      yield* evaluate(request, parts, run);
    },
    async *draft(request, run) {
      const { draftQuestions } = await import("./draft.ts");
      yield* draftQuestions(request, parts, run);
    },
    async *probe(reference, run) {
      const { probeModel } = await import("./probe.ts");
      yield* probeModel(reference, parts.home, run);
    },
    async readers(ids) {
      const { localModels, settings } = parts.home;
      const outlooks = await Promise.all(ids.map((id) => localModels.outlook(id)));
      return new Map(
        ids.flatMap((id, at) => {
          const outlook = outlooks[at] ?? null;
          return outlook === null ? [] : [[id, readerLevel(settings.answer, outlook)]];
        }),
      );
    },
  };
}

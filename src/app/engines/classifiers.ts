import { resolve } from "node:path";
import { isModelPath, type Settings } from "../../config/settings.ts";
import type { Entailment } from "../../core/answers/entailment.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import type { Reranker } from "../../core/retrieval.ts";
import type { PairSettings } from "../../drivers/classifiers/pairs.ts";
import type { Models } from "../../models/models.ts";
import { findCrossEncoder } from "../../models/own.ts";

/** Models that read two texts together, opened on first use. */
export interface Classifiers {
  /**
   * The model of `retrieve.rerankModel`. @throws MODEL_MISSING, MODEL_UNREADABLE, NOT_FOUND, CONFIG_INVALID
   */
  readonly reranker: () => Promise<Reranker>;
  /** The model of `answer.entailment`; null where that is off. @throws the same */
  readonly entailment: () => Promise<Entailment | null>;
}

/** Creates the classifiers of the settings; they are closed with `resources`. */
export function createClassifiers(
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
): Classifiers {
  const { threads } = settings.embed;
  return {
    reranker: lazy(async () => {
      const id = settings.retrieve.rerankModel;
      const { default: open } = await import("../../drivers/classifiers/reranker.ts");
      const files = await pairFiles(id, "rerank", "retrieve.rerankModel", models);
      return resources.use(await open({ ...files, threads }));
    }),
    entailment: lazy(async () => {
      const id = settings.answer.entailment;
      if (id === "off") return null;
      const { default: open } = await import("../../drivers/classifiers/entailment.ts");
      const files = await pairFiles(id, "entail", "answer.entailment", models);
      return resources.use(await open({ ...files, threads }));
    }),
  };
}

/** Files of a model of the manifest, or of a folder of the user's own. */
async function pairFiles(
  wanted: string,
  task: "rerank" | "entail",
  setting: string,
  open: () => Promise<Models>,
): Promise<Omit<PairSettings, "threads">> {
  if (isModelPath(wanted)) {
    const id = resolve(wanted);
    return { id, ...(await findCrossEncoder(id, setting)) };
  }
  const models = await open();
  const entry = models.entry(wanted);
  if (entry.task !== task) {
    throw new RagctlError("CONFIG_INVALID", `${setting} is ${entry.id}, a model for task ${entry.task}`, {
      hint: `\`ragctl models list\` shows the models for task ${task}`,
    });
  }
  const { precision } = entry.task === "rerank" ? entry.rerank : entry.entail;
  return { id: entry.id, precision, ...(await findCrossEncoder(await models.path(entry.id), setting)) };
}

import type { Settings } from "../../config/settings.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { Models } from "../../models/models.ts";
import { type Loader, uncachedLoader } from "./loader.ts";
import { fileFacts, languageModelSettings } from "./models.ts";
import type { ReaderFacts } from "./reader.ts";
import { emptyProbeResults, type ReadingSubject, type Readings } from "./readings.ts";

/** Facts about a model before it is opened. */
export interface ModelOutlook extends ReaderFacts, ReadingSubject {
  /** Whether it answers without being loaded first. */
  readonly isLoaded: boolean;
}

/** The answering models of this machine, by id, or with null the one of the settings. */
export interface LocalModels {
  /**
   * Opened once, on first use; null where it is not installed. @throws MODEL_MISSING, MODEL_UNREADABLE,
   * RUNTIME_MISSING
   */
  open(id: string | null): Promise<LanguageModel | null>;
  /** Without opening it; null where it is not installed. @throws MODEL_MISSING, MODEL_UNREADABLE */
  outlook(id: string | null): Promise<ModelOutlook | null>;
}

/** A home without any. */
export const noLocalModels: LocalModels = { open: async () => null, outlook: async () => null };

/** Creates access to the answering models. Opened models belong to `resources`. */
export function createLocalModels(
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
  loader: Loader = uncachedLoader,
  readings: Pick<Readings, "of"> = emptyProbeResults,
): LocalModels {
  const gpuUse = settings.embed.device === "cpu" ? false : "auto";
  const opened = new Set<string | null>();
  const settingsOf = async (id: string | null) => {
    const chosen = id === null ? settings : { ...settings, answer: { ...settings.answer, model: id } };
    return languageModelSettings(chosen, await models(), gpuUse, readings);
  };
  return {
    open: lazyMap(async (id: string | null) => {
      const found = await settingsOf(id);
      if (found === null) return null;
      const model = resources.use(await loader.languageModel(found));
      opened.add(id);
      return model;
    }),
    async outlook(id) {
      const found = await settingsOf(id);
      if (found === null) return null;
      const isLoaded = opened.has(id) || loader.holds?.(found) === true;
      return { id: found.id, isLoaded, ...(await fileFacts(found, readings)) };
    },
  };
}

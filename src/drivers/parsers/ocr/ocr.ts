import type { OcrEngine, OcrSettings, ParserOptions } from "../options.ts";

/** How OCR yields the turn to another page while it works in its own threads. */
interface OcrTurns {
  beside(engine: OcrEngine): OcrEngine;
}

/**
 * Options for a parser by the settings; the engine stays open over documents while the settings stay the
 * same.
 */
export function createOcrPool(): (settings: OcrSettings, turns: OcrTurns) => Promise<ParserOptions> {
  const state: { key: string; engine: OcrEngine | undefined } = { key: "", engine: undefined };
  return async (settings, turns) => {
    const { mode, languages, folder, pageTimeoutMs, workers, cacheFolder } = settings;
    if (mode === "off") return {};
    const key = JSON.stringify(settings);
    if (state.engine === undefined || state.key !== key) {
      await state.engine?.[Symbol.asyncDispose]();
      const [{ openOcrEngine }, { createOcrCache }] = await Promise.all([
        import("./engine.ts"),
        import("./cache.ts"),
      ]);
      const cache = cacheFolder === "" ? {} : { cache: createOcrCache(cacheFolder) };
      state.engine = openOcrEngine({ languages, folder, pageTimeoutMs, workers, ...cache });
      state.key = key;
    }
    // For each page being read another one is drawn, so that slow pages keep no thread waiting.
    return { ocr: { mode, engine: turns.beside(state.engine) }, pagesAtOnce: 2 * workers };
  };
}

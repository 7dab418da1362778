import type { Chunker } from "../../core/documents/chunk.ts";
import type { FlatPreset } from "./flat.ts";
import type { HybridOptions } from "./hybrid.ts";

/** The chunker of a preset, loaded on first use. */
export async function openChunker(preset: "hybrid" | FlatPreset, options: HybridOptions): Promise<Chunker> {
  if (preset === "hybrid") return (await import("./hybrid.ts")).default(options);
  return (await import("./flat.ts")).default({
    preset,
    maxTokens: options.maxTokens,
    titleOf: options.titleOf,
  });
}

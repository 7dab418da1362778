import type { Chunker } from "../../core/documents/chunk.ts";
import type { FlatPreset, GivenSizes } from "../../core/documents/chunk-sizes.ts";
import type { HybridOptions } from "./hybrid.ts";

/** The chunker of a preset, loaded on first use. */
export async function createChunker(
  preset: "hybrid" | FlatPreset,
  sizes: GivenSizes,
  options: HybridOptions,
): Promise<Chunker> {
  if (preset === "hybrid") return (await import("./hybrid.ts")).default(options);
  const { maxTokens, titleOf } = options;
  return (await import("./flat.ts")).default({ preset, sizes, maxTokens, titleOf });
}

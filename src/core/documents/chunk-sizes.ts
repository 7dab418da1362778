/** The presets that see running text: size and overlap in characters, of `window` in tokens. */
export const flatPresets = {
  recursive: { size: 1000, overlap: 200, unit: "characters" },
  sentence: { size: 512, overlap: 50, unit: "characters" },
  fixed: { size: 500, overlap: 50, unit: "characters" },
  window: { size: 600, overlap: 100, unit: "tokens" },
} as const;
export type FlatPreset = keyof typeof flatPresets;

/** Chunk sizes in the settings. */
export interface GivenSizes {
  /** 0: the preset's own. */
  readonly size: number;
  /** -1: the preset's own. */
  readonly overlap: number;
}

/** Size and overlap of a preset, its own where the settings leave them open. */
export function chunkSizes(preset: FlatPreset, { size, overlap }: GivenSizes) {
  const own = flatPresets[preset];
  return {
    size: size === 0 ? own.size : size,
    overlap: overlap === -1 ? own.overlap : overlap,
    unit: own.unit,
  };
}

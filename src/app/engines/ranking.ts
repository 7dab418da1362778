import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { lazy } from "../../core/lazy.ts";
import type { Ranking } from "../../pipeline/retrieve/formulate.ts";
import { openGlossary } from "../../pipeline/retrieve/glossary.ts";
import { readFeatureWeights } from "../../pipeline/retrieve/weigh.ts";

/** The glossary and the weights of the installation, read once a process. @throws CONFIG_INVALID */
export const loadRanking = lazy((): Ranking => {
  const read = (name: string): unknown =>
    parse(readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), "utf8"));
  const [glossary, weights] = ["config/glossary.yaml", "config/ranking.yaml"] as const;
  return {
    glossary: openGlossary(read(glossary), glossary),
    weights: readFeatureWeights(read(weights), weights),
  };
});

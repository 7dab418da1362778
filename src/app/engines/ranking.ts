import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { isNode, LineCounter, parseDocument } from "yaml";
import { homePaths } from "../../config/home.ts";
import { readRegularFile } from "../../config/read-file.ts";
import type { Settings } from "../../config/settings.ts";
import { lazy, lazyMap } from "../../core/lazy.ts";
import { parseMeasures } from "../../pipeline/measures/entries.ts";
import type { Ranking } from "../../pipeline/retrieve/formulate.ts";
import {
  createGlossary,
  type GlossaryFile,
  glossaryReadError,
  readGlossary,
} from "../../pipeline/retrieve/glossary.ts";
import { readFeatureWeights } from "../../pipeline/retrieve/rescore.ts";

/** The glossary and the weights that searches of a home use. */
export interface HomeRanking extends Ranking {
  /** Of all terms and weights. 32 hex characters. */
  readonly hash: string;
}

/** Largest glossary, bytes. */
const maxBytes = 1_000_000;

/** A file of YAML, with the lines of what it holds. @throws CONFIG_INVALID */
function parseGlossary(name: string, text: string): GlossaryFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    throw glossaryReadError(name, `line ${line}: ${broken.message.split("\n")[0]}`, broken);
  }
  return {
    name,
    content: document.toJS(),
    lineOf(path) {
      const node = document.getIn(path, true);
      return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined;
    },
  };
}

/** A YAML file of the installation, by its path from the root. @throws CONFIG_INVALID */
export const readInstalledYaml = (name: string): GlossaryFile =>
  parseGlossary(name, readRegularFile(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), maxBytes));

/** The weights of the installation, read once a process. @throws CONFIG_INVALID */
export const loadWeights = lazy(() => {
  const { name, content } = readInstalledYaml("config/ranking.yaml");
  return readFeatureWeights(content, name);
});

/** The glossary of the installation, read once a process. @throws CONFIG_INVALID */
const loadGlossaryEntries = lazy(() => readGlossary(readInstalledYaml("config/glossary.yaml")));

/** The measures of the installation, read once a process. */
export const loadMeasures = lazy(() =>
  parseMeasures(readInstalledYaml("config/measures.yaml").content, loadGlossaryEntries().kinds),
);

/** Separates the path and the text of a home's glossary. */
const separator = "\0";

/** Read once for each text that the file of a home had. */
const rankingWith = lazyMap((pathAndText: string): HomeRanking => {
  const at = pathAndText.indexOf(separator);
  const own = parseGlossary(pathAndText.slice(0, at), pathAndText.slice(at + 1));
  const entries = readGlossary(own, loadGlossaryEntries());
  const weights = loadWeights();
  const hash = createHash("sha256").update(JSON.stringify([entries, weights]));
  return { glossary: createGlossary(entries), weights, hash: hash.digest("hex").slice(0, 32) };
});

/**
 * The ranking of a home: the glossary of the installation with the home's own over it, as that is now, so
 * that an edit counts from the next question on. Undefined where the settings use none. @throws
 * CONFIG_INVALID
 */
export function rankingOf({ home, retrieve }: Pick<Settings, "home" | "retrieve">): HomeRanking | undefined {
  if (retrieve.features === "off") return undefined;
  const { glossary: path } = homePaths(home);
  return rankingWith(`${path}${separator}${ownGlossary(path)}`);
}

/** The text of a home's glossary; "" where there is none. */
function ownGlossary(path: string): string {
  try {
    return readRegularFile(path, maxBytes);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw glossaryReadError(path, error instanceof Error ? error.message : String(error), error);
  }
}

import type { Settings } from "../../../config/settings.ts";
import type { ModelState } from "../../../models/models.ts";
import type { Check } from "../../../shapes/machine.ts";
import { describeRemoteModel } from "../../engines/language-models.ts";
import type { ModelOutlook } from "../../engines/local-models.ts";
import { type ReaderFacts, readerLevel } from "../../engines/reader.ts";
import type { Home } from "../../home.ts";
import { answeringProvider } from "./provider.ts";

type Known = Pick<ModelState, "id" | "task"> & {
  readonly files: readonly { readonly sizeBytes: number | null }[];
};

/**
 * The answering model without opening it, null where there is none. `id`: the local one, or null for that of
 * the settings; an active provider takes its place.
 */
export async function answeringModelInfo(
  { providers, localModels, readings }: Pick<Home, "providers" | "localModels" | "readings">,
  id: string | null,
): Promise<ModelOutlook | null> {
  const provider = await answeringProvider(providers);
  if (provider === null) return localModels.outlook(id);
  return describeRemoteModel(String(provider.config["model"] ?? ""), provider.config, readings);
}

/** What answers are made of below able. */
const quotes = "answers quote lines of the documents";

/**
 * What the reader at hand is good for, and in the hint what makes answers more than quotes. `facts`: of the
 * answering model, null where there is none. `models`: those that can be fetched.
 */
export function readerUse(
  answer: Pick<Settings["answer"], "reader" | "write">,
  facts: ReaderFacts | null,
  models: readonly Known[],
): Pick<Check, "message" | "hint"> {
  const verdict = facts === null ? undefined : readerLevel(answer, facts);
  const reader = verdict === undefined ? "none" : `reads as ${verdict.level} (${verdict.why})`;
  if (answer.write === "never")
    return {
      message: `${reader}: ${quotes} (answer.write: never)`,
      hint: "to let a model write: ragctl config unset answer.write",
    };
  if (verdict?.level === "able")
    return {
      message: `${reader}: it answers in its own words, with tools that search, read, query and calculate`,
      hint: "",
    };
  const draft = verdict !== undefined && answer.write === "always" ? ", with a draft by the model below" : "";
  return {
    message: `${reader}: ${quotes}${draft}`,
    hint: `for answers in its own words: ${wayOf(answer, facts, models)}`,
  };
}

/** The setting, endpoint or file that makes a reader able. */
function wayOf(
  { reader }: Pick<Settings["answer"], "reader">,
  facts: ReaderFacts | null,
  models: readonly Known[],
): string {
  if (facts !== null && reader === "small") return "ragctl config unset answer.reader";
  if (facts?.isRemote === true)
    return "another model of the endpoint: ragctl providers set llm/PROVIDER --option model=NAME";
  const endpoint =
    "an endpoint: ragctl providers add llm/openai-compatible --option base_url=URL --option model=NAME";
  const file = smallestAble(models);
  if (file === undefined) return endpoint;
  const { id, bytes } = file;
  return `ragctl models pull ${id} (${(bytes / 1e9).toFixed(1)} GB) and ragctl config set answer.model ${id}, or ${endpoint}`;
}

/** The smallest model of the manifest whose size makes it able. */
function smallestAble(models: readonly Known[]): { readonly id: string; readonly bytes: number } | undefined {
  return models
    .filter(({ task }) => task === "generate")
    .map(({ id, files }) => ({ id, bytes: files.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0) }))
    .filter(
      ({ bytes }) => readerLevel({ reader: "auto" }, { fileBytes: bytes, isRemote: false }).level === "able",
    )
    .toSorted((one, other) => one.bytes - other.bytes)[0];
}

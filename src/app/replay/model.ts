import { basename } from "node:path";
import { isModelPath } from "../../config/settings.ts";
import type { Answer } from "../../core/answers/answer.ts";
import type { ReplayRecord, ReplayVersions } from "../../core/answers/replay.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { AskRun } from "../../registry/history/runs.ts";
import type { LocalModels } from "../engines/local-models.ts";
import { type Home, openHome } from "../home.ts";

/** What `answer.model` was when the question was asked; undefined where the record does not say. */
function settingOf({ settings }: ReplayRecord): string | undefined {
  const { answer } = settings;
  const model = typeof answer === "object" && answer !== null && "model" in answer ? answer["model"] : "";
  return typeof model === "string" && model !== "" ? model : undefined;
}

/**
 * The home with the answering model of the original run; unchanged where the present versions are meant, the
 * caller named a model, or none wrote the answer.
 */
export function replayHome(home: Home, earlier: ReplayRecord, against: ReplayVersions): Home {
  const { settings, localModels, isModelNamed = false } = home;
  const { model: its } = earlier;
  const own = settingOf(earlier);
  if (against === "now" || isModelNamed || its === null || own === undefined) return home;
  const setting = own === settings.answer.model ? null : own;
  // A question that a local model answered then is not sent to a provider that is active now.
  const isLocal = own !== "auto" && isSame(isModelPath(own) ? basename(own) : own, its);
  if (own !== "auto" && setting === null && !isLocal) return home;
  const chosen = async (id: string | null) =>
    own === "auto" ? chosenThen(its, [id, setting], localModels) : (id ?? setting);
  return openHome({
    ...home,
    isModelNamed: isLocal,
    settings: { ...settings, answer: { ...settings.answer, model: own } },
    localModels: {
      open: async (id) => localModels.open(await chosen(id)),
      outlook: async (id) => localModels.outlook(await chosen(id)),
    },
  });
}

/**
 * The model to open where `auto` chose `its` then: the largest may be another now, or an agent's model may
 * have been installed since. If no model of that id is on this machine, as when a provider answered, the
 * present choice.
 */
async function chosenThen(
  its: string,
  [named, setting]: readonly [string | null, string | null],
  localModels: LocalModels,
): Promise<string | null> {
  const now = named ?? setting;
  // The same under the name of now may be open already.
  if (isModelPath(its) || (await localModels.outlook(now))?.id === its) return now;
  try {
    return (await localModels.outlook(its)) === null ? now : its;
  } catch (error) {
    if (error instanceof RagctlError && error.code === "CONFIG_INVALID") return now;
    throw error;
  }
}

/** An error of the answer, which names a model that is gone as the one of the run. */
export function toReplayError(
  thrown: unknown,
  { id, replay }: AskRun,
  { settings }: Pick<Home, "settings">,
): unknown {
  const own = replay === null ? undefined : settingOf(replay);
  const isFile = own !== undefined && isModelPath(own);
  const isItsModel = isFile ? own === settings.answer.model : own !== undefined && own === replay?.model;
  if (!(isItsModel && thrown instanceof RagctlError && thrown.code === "MODEL_MISSING")) return thrown;
  const back = isFile ? "put the file back" : `run: ragctl models pull ${own}`;
  return new RagctlError("MODEL_MISSING", `the run was answered by ${own}, which is no longer installed`, {
    hint: `${back}, or choose another model: ragctl replay ${id} --set answer.model=MODEL`,
    cause: thrown,
  });
}

/**
 * How the answering model differs. An answer that needed no model, such as a refusal for lack of evidence, is
 * no difference. @throws MODEL_MISSING where a model was needed and is not installed
 */
export async function modelDifference(
  past: AskRun & { readonly replay: ReplayRecord },
  answer: Answer,
  record: ReplayRecord,
  home: Home,
  run: Run,
): Promise<string> {
  const { model: before, prompts } = past.replay;
  const { model: writer } = record;
  if (before === null) {
    const wasAsked = past.verdict?.status !== "refused";
    return writer === null || !wasAsked ? "" : `no model → ${writer}`;
  }
  if (writer !== null) return isSame(before, writer) ? "" : `${before} → ${writer}`;
  const agent = (await home.agents.list()).find(({ name }) => name === answer.agent) ?? null;
  const here = await (await home.languageModels.of("llm", agent, run)).outlook();
  if (here !== null) return here.id === "" || isSame(before, here.id) ? "" : `${before} → ${here.id}`;
  if (record.prompts.length >= prompts.length) return `${before} → no model`;
  throw new RagctlError("MODEL_MISSING", `the run was answered by ${before}, which is no longer installed`, {
    hint: `ragctl models pull ${before}`,
  });
}

/** Records of before name a model at a path by its file name alone. */
const isSame = (before: string, after: string): boolean => after === before || after.startsWith(`${before}@`);

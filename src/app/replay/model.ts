import { isModelPath } from "../../config/settings.ts";
import type { Answer } from "../../core/answers/answer.ts";
import type { ReplayOptions, ReplayRecord } from "../../core/answers/replay.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { AskRun } from "../../registry/history/runs.ts";
import { type Home, openHome } from "../home.ts";

/** What `answer.model` was when the question was asked; undefined where the record does not say. */
function settingOf({ settings }: ReplayRecord): string | undefined {
  const { answer } = settings;
  const model = typeof answer === "object" && answer !== null && "model" in answer ? answer["model"] : "";
  return typeof model === "string" && model !== "" ? model : undefined;
}

/**
 * The home with the answering model that the question was asked with, or as it is where now is meant, or no model
 * wrote the answer.
 */
export function homeOfReplay(home: Home, earlier: ReplayRecord, { against, model }: ReplayOptions): Home {
  const { settings, localModels } = home;
  const own = earlier.model === null ? undefined : settingOf(earlier);
  if (against === "now" || model === "settings" || own === undefined || own === settings.answer.model)
    return home;
  return openHome({
    ...home,
    settings: { ...settings, answer: { ...settings.answer, model: own } },
    localModels: {
      open: (id) => localModels.open(id ?? own),
      outlook: (id) => localModels.outlook(id ?? own),
    },
  });
}

/** An error of the answer, which names a file that is gone as the model of the run. */
export function ofRun(
  thrown: unknown,
  { id, replay }: AskRun,
  { settings }: Pick<Home, "settings">,
): unknown {
  const path = replay === null ? undefined : settingOf(replay);
  const isItsModel = path === settings.answer.model && path !== undefined && isModelPath(path);
  if (!(isItsModel && thrown instanceof RagctlError && thrown.code === "MODEL_MISSING")) return thrown;
  return new RagctlError("MODEL_MISSING", `the run was answered by ${path}, which is not here any more`, {
    hint: `put it back, or name another: ragctl replay ${id} --set answer.model=MODEL`,
    cause: thrown,
  });
}

/**
 * How the model that answered differs. An answer that no model was asked for, as a refusal for want of evidence,
 * is not the work of another one. @throws MODEL_MISSING where it would have been asked, and is not here
 */
export async function modelDifference(
  past: AskRun & { readonly replay: ReplayRecord },
  answer: Answer,
  record: ReplayRecord,
  home: Home,
  run: Run,
): Promise<string> {
  const { model: before, prompts } = past.replay;
  if (before === null) {
    const wasAsked = past.verdict?.status !== "refused";
    return answer.model === null || !wasAsked ? "" : `no model → ${answer.model}`;
  }
  if (answer.model !== null) return isSame(before, answer.model) ? "" : `${before} → ${answer.model}`;
  const agent = home.agents.list().find(({ name }) => name === answer.agent) ?? null;
  const here = await home.languageModels.of("llm", agent, run).outlook();
  if (here !== null) return here.id === "" || isSame(before, here.id) ? "" : `${before} → ${here.id}`;
  if (record.prompts.length >= prompts.length) return `${before} → no model`;
  throw new RagctlError("MODEL_MISSING", `the run was answered by ${before}, which is not here any more`, {
    hint: `ragctl models pull ${before}`,
  });
}

/** Records of before name a model at a path by its file name alone. */
const isSame = (before: string, after: string): boolean => after === before || after.startsWith(`${before}@`);

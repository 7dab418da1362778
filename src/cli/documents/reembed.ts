import type { Command } from "commander";
import { usageError } from "../../core/metadata/metadata.ts";
import { z } from "../../core/schema.ts";
import { text } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { duration, plural } from "../../operations/text.ts";
import type { ReembedReport } from "../../shapes/documents.ts";
import { reembedShape, reembedsShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { questionSource } from "../evaluate/files.ts";
import { defineCommand } from "../operations.ts";
import { forEachReporting } from "../shell/each.ts";
import { settingFields, shareField } from "../shell/options.ts";
import { lowerPriority } from "../shell/priority.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

const input = {
  collection: text("-c, --collection <name>", "re-embed only this collection (default: all)"),
  model: text("--model <id>", "embedding model (default: the collection's current one)"),
  scope: field(
    "--scope <scope>",
    z.enum(["latest", "all"]).default("latest"),
    "current versions only, or also the older versions that were kept",
  ),
  rollback: text("--rollback <collection>", "restore the vectors used before the last re-embedding"),
  gate: text(
    "--gate <questions>",
    "switch only if search on these questions gets no worse than --margin allows",
  ),
  margin: shareField("--margin <share>", 0.01, "largest drop in nDCG@10 that --gate allows"),
  threads: settingFields.threads,
};
type ReembedFlags = InputOf<typeof input>;

/** `ragctl reembed`: new vectors next to the old ones, swapped in when complete. */
export function registerReembed(program: Command): void {
  const examples = [
    "ragctl reembed --collection manuals --model bge-m3 --gate questions.jsonl",
    "ragctl reembed --rollback manuals",
  ];
  defineCommand(declare(program, "reembed"), { input, examples }, reembedAll);
}

async function reembedAll(session: Session, flags: ReembedFlags): Promise<void> {
  const { collection, model, rollback } = flags;
  if (rollback !== undefined && (model !== undefined || collection !== undefined)) {
    throw usageError("--rollback cannot be combined with --model or --collection", "remove them");
  }
  lowerPriority(session);
  session.onStop("stopping: searches keep using the old vectors; run the same command again to continue");
  const app = await session.app();
  const chosen = rollback ?? collection;
  const names =
    chosen === undefined ? (await app.collections(session.run)).map((each) => each.name) : [chosen];
  // Without a collection nothing else would notice.
  if (model !== undefined && names.length === 0) await app.background.checkModel(model);
  if (flags.gate === "-" && names.length > 1)
    throw usageError(
      `questions on standard input work for one collection only, not ${names.length}`,
      "pass --collection NAME, or pass --gate the questions as a file",
    );
  const work = (name: string) => reembed(name, flags, session);
  const reports = (await forEachReporting(names, String, work, session)).flat();
  session.output.result({
    text: reports.map(reembedText).join("\n") || "no collections",
    data: reembedsShape({ reembeds: reports }),
    lines: reports.map((each) => ({ event: "reembed-end", ...reembedShape(each) })),
  });
}

async function reembed(
  collection: string,
  { scope, model, rollback, gate: path, margin }: ReembedFlags,
  session: Session,
): Promise<readonly ReembedReport[]> {
  const { background } = await session.app();
  const reports: ReembedReport[] = [];
  const gate = path === undefined ? undefined : { questions: questionSource(path), margin };
  const request = { collection, scope, rollback: rollback !== undefined, ...defined({ model, gate }) };
  using progress = createProgress("reembed", "document", session.output);
  progress.stage(`opening ${collection}`);
  for await (const event of background.reembed(request, session.run)) {
    if (event.type === "reembed-end") reports.push(event.report);
    else {
      const { contents, chunks, total } = event.progress;
      progress.set(contents, total, collection);
      if (session.output.format === "jsonl")
        session.output.line({ event: event.type, collection, contents, chunks, total });
    }
  }
  return reports;
}

function reembedText({
  collection,
  from,
  to,
  contents,
  chunks,
  embeddedFromCache,
  truncated,
  gate,
  durationMs,
}: ReembedReport): string {
  const cut =
    truncated === 0
      ? ""
      : `\n  ${plural(truncated, "chunk")} too long for ${to.model} and cut; ingest the folder again to split them`;
  const back = from.store === to.store ? "" : `\n  to undo: ragctl reembed --rollback ${collection}`;
  const work =
    contents === 0
      ? "vectors already present"
      : `${plural(contents, "document")}, ${plural(chunks, "chunk")} (${embeddedFromCache} from the cache)`;
  return `${collection}: ${from.model} → ${to.model} (${to.store}); ${work}, ${duration(durationMs)}${cut}${gateText(gate)}${back}`;
}

function gateText(gate: ReembedReport["gate"]): string {
  if (gate === null) return "";
  const { metric, before, after, difference, low, high, questions, skipped } = gate;
  const shown = (value: number): string => value.toFixed(3);
  const others = skipped === 0 ? "" : `; ${plural(skipped, "other line")} of the file skipped`;
  return `\n  gate: ${metric} ${shown(before)} → ${shown(after)} (difference ${shown(difference)}, 95 % interval ${shown(low)} to ${shown(high)}) on ${plural(questions, "question")}${others}`;
}

import { type Command, Option } from "commander";
import type { ReembedReport } from "../../core/documents/reembed.ts";
import { RagctlError } from "../../core/errors.ts";
import { reembedShape, reembedsShape } from "../shapes/documents.ts";
import { eachOf } from "../shell/each.ts";
import { lowPriority, threadsOption } from "../shell/priority.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";
import { counted, duration } from "../shell/text.ts";

interface ReembedFlags {
  readonly collection?: string;
  readonly model?: string;
  readonly scope: "latest" | "all";
  readonly rollback?: string;
}

/** `ragctl reembed`: new vectors beside the old ones, swapped in when complete. */
export function registerReembed(program: Command): void {
  program
    .command("reembed")
    .description(
      "embed collections anew, e.g. by another model; searches go on with the old vectors until the new ones are complete",
    )
    .option("-c, --collection <name>", "this collection only (default: every one)")
    .option("--model <id>", "embedding model (default: the collection's own)")
    .addOption(
      new Option("--scope <scope>", "visible versions, or replaced ones that are kept too")
        .choices(["latest", "all"])
        .default("latest"),
    )
    .option("--rollback <collection>", "go back to the vectors before the last swap")
    .addOption(threadsOption())
    .addHelpText(
      "after",
      "\nExample:\n  ragctl reembed --collection manuals --model bge-m3\n  ragctl reembed --rollback manuals",
    )
    .action(
      action(async (session, { collection, model, scope, rollback }: ReembedFlags) => {
        if (rollback !== undefined && (model !== undefined || collection !== undefined)) {
          throw new RagctlError("USAGE_INVALID", "--rollback goes without --model and --collection", {
            hint: "ragctl reembed --rollback COLLECTION",
          });
        }
        lowPriority(session);
        session.onStop(
          "stopping: searches go on with the old vectors, and the same command goes on from there",
        );
        const app = await session.app();
        const chosen = rollback ?? collection;
        const names =
          chosen === undefined ? (await app.collections(session.run)).map((each) => each.name) : [chosen];
        const reembed = async (name: string): Promise<readonly ReembedReport[]> => {
          const ended: ReembedReport[] = [];
          const request = {
            collection: name,
            scope,
            rollback: rollback !== undefined,
            ...(model === undefined ? {} : { model }),
          };
          using progress = openProgress("reembed", "document", session.output);
          progress.stage(`opening ${name}`);
          for await (const event of app.inStep.reembed(request, session.run)) {
            if (event.type === "reembed-end") ended.push(event.report);
            else {
              progress.set(event.progress.contents, event.progress.total, name);
              if (session.output.format === "jsonl")
                session.output.line({ event: event.type, collection: name, ...event.progress });
            }
          }
          return ended;
        };
        const reports = (await eachOf(names, (name) => name, reembed, session)).flat();
        const text = reports.map(reembedText).join("\n");
        const data = reembedsShape({ reembeds: reports });
        session.output.result({
          text: text === "" ? "no collections" : text,
          data,
          lines: reports.map((each) => ({ event: "reembed-end", ...reembedShape(each) })),
        });
      }),
    );
}

function reembedText({
  collection,
  from,
  to,
  contents,
  chunks,
  embeddedFromCache,
  truncated,
  durationMs,
}: ReembedReport): string {
  const cut =
    truncated === 0
      ? ""
      : `\n  ${counted(truncated, "chunk")} longer than ${to.model} reads: ingest the folder again to cut them anew`;
  const back = from.store === to.store ? "" : `\n  back: ragctl reembed --rollback ${collection}`;
  return `${collection}: ${from.model} → ${to.model} (${to.store}); ${counted(contents, "document")}, ${counted(chunks, "chunk")} (${embeddedFromCache} from the cache), ${duration(durationMs)}${cut}${back}`;
}

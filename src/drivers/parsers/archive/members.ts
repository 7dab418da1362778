import type { Block, ParsedContent } from "../../../core/documents/document.ts";
import { asRagctlError, RagctlError } from "../../../core/errors.ts";
import { listed } from "../../../core/plural.ts";
import { shownName } from "../../../files.ts";
import { blockWithin, contentOf, emptyFileError, titleFromName } from "../blocks.ts";

/** A file within another. */
export interface Member {
  /** Path in its archive, `/` between parts. */
  readonly name: string;
  /** What it holds. @throws RagctlError of scope "document" */
  read(): Promise<ParsedContent>;
}

/** Members that are not read, by reason. */
export type SkippedMembers = Map<string, string[]>;

/** Notes that a file is not read. */
export function recordSkipped(left: SkippedMembers, why: string, name: string): void {
  if (!left.has(why)) left.set(why, []);
  left.get(why)?.push(name);
}

/** The error for a file of which no member was read, with the reasons. */
function unread(name: string, [first, ...others]: readonly string[]): RagctlError {
  if (first === undefined) return emptyFileError(name);
  const more = others.length === 0 ? "" : `; and ${others.length} more`;
  return new RagctlError("SOURCE_EMPTY", `nothing in ${name} was read: ${first}${more}`, {
    hint: "unpack it and ingest its files, or leave it out",
  });
}

/**
 * Members as one document, each below its name; one that cannot be read is named in a warning, and the others
 * are read. `left`: why others are not among the members, and their names; `told`: warnings about all.
 * @throws SOURCE_EMPTY
 */
export async function membersContent(
  name: string,
  members: AsyncIterable<Member>,
  left: SkippedMembers,
  told: readonly string[] = [],
): Promise<ParsedContent> {
  const blocks: Block[] = [];
  const warnings = [...told];
  for await (const member of members) {
    const text = shownName(member.name);
    try {
      const content = await member.read();
      const heading: Block = { kind: "heading", isName: true, level: 1, text, pages: [] };
      blocks.push(heading, ...content.blocks.map((block) => blockWithin(block, text, 1)));
      warnings.push(...content.warnings.map((warning) => `${text}: ${warning}`));
    } catch (error) {
      warnings.push(`${text} skipped: ${asRagctlError(error).message}`);
    }
  }
  // The reasons are gathered while the members are read.
  for (const [why, names] of left) warnings.push(`${listed(names, 3)}: ${why}`);
  if (blocks.every(({ isName, text }) => isName === true || text.trim() === "")) throw unread(name, warnings);
  return contentOf(name, blocks, { title: titleFromName(name), warnings });
}

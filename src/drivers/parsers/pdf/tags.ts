import type { PdfPage, StructNode } from "./open.ts";

/**
 * The structure tree of a page: the role of each tagged run of text, and the alternative texts of its
 * figures.
 */
export interface Tags {
  readonly roles: ReadonlyMap<string, string>;
  readonly pictures: readonly string[];
}

/** Of a page without tags. */
export const noTags: Tags = { roles: new Map(), pictures: [] };
/** Roles that decide the kind of a block; of nested ones the innermost counts. */
const decisiveRole = /^(?:Title|H[1-6]?|Caption|Code|Note|FENote)$/;
const maxNodes = 20_000;

/** The alternative text of a figure, "" where there is none. */
function alternativeText({ role, alt }: StructNode): string {
  return role === "Figure" ? (alt ?? "").trim() : "";
}

/** Reads a page's tags; a damaged tree counts as none. */
export async function readTags(page: PdfPage): Promise<Tags> {
  const tree = await page.getStructTree().catch(() => null);
  if (tree === null) return noTags;
  const roles = new Map<string, string>();
  const pictures: string[] = [];
  const pending: { node: StructNode; role: string }[] = [{ node: tree, role: "" }];
  for (let count = 0; count < maxNodes; count++) {
    const next = pending.pop();
    if (next === undefined) break;
    const { node } = next;
    if (node.id !== undefined && node.type === "content" && next.role !== "") roles.set(node.id, next.role);
    const alternative = alternativeText(node);
    if (alternative !== "") pictures.push(alternative);
    const role = decisiveRole.exec(node.role ?? "")?.[0] ?? next.role;
    for (const child of (node.children ?? []).toReversed()) pending.push({ node: child, role });
  }
  return { roles, pictures };
}

// The last lines of a page of docs/: links to the page before and the page after it in the index.
import { readFileSync } from "node:fs";
import { posix } from "node:path";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const mark = "<!-- previous, next -->";

/** Pages in the order in which an index names them, by their path from the root. */
const namedIn = (folder: string): readonly string[] =>
  Array.from(
    read(`${folder}/README.md`).matchAll(/\]\(([^)]+\.md)\)/g),
    ([, path = ""]) => `${folder}/${path}`,
  );

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? "";

/** Every page of docs/ with its footer, by its path from the root; `pages` has those that differ from their file. */
export function withFooters(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const text = (path: string): string => pages.get(path) ?? read(path);
  const footed = new Map(pages);
  for (const order of [namedIn("docs")])
    for (const [at, path] of order.entries()) {
      if (path.endsWith("README.md")) continue;
      const link = (target: string | undefined, label: (title: string) => string): readonly string[] =>
        target === undefined
          ? []
          : [`[${label(titleOf(text(target)))}](${posix.relative(posix.dirname(path), target)})`];
      const links = [
        ...link(order[at - 1], (title) => `← ${title}`),
        ...link(order[at + 1], (title) => `${title} →`),
      ];
      const [body = ""] = text(path).split(`\n${mark}`);
      footed.set(path, `${body.trimEnd()}\n\n${mark}\n\n${links.join(" · ")}\n`);
    }
  return footed;
}

import { readFileSync } from "node:fs";
import { commandsIndex, commandsText } from "./commands.ts";
import { withFooters } from "./footers.ts";
import { plots } from "./plots.ts";
import { routesIndex, routesText } from "./routes.ts";
import { settingsIndex, settingsText } from "./settings.ts";

type Parts = Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>>;

/** Page → the texts that the code gives, by the name that its comments `<!-- generated: NAME -->` and `<!-- end: NAME -->` enclose. */
const parts: Parts = {
  "docs/reference/commands.md": { commands: commandsIndex },
  "docs/reference/configuration.md": { settings: settingsIndex },
  "docs/reference/server.md": { routes: routesIndex },
};

/** In the site these are complete; in the repository they would repeat what the program prints. */
const siteParts: Parts = {
  "docs/reference/commands.md": { commands: commandsText },
  "docs/reference/configuration.md": { settings: settingsText },
  "docs/reference/server.md": { routes: routesText },
};

/** @throws Error when the page lacks the comments */
function withPart(page: string, name: string, part: string): string {
  const [start, end] = [`<!-- generated: ${name} -->\n`, `\n<!-- end: ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the comments around the generated part "${name}" are missing`);
  return `${page.slice(0, from)}${start}\n${part}\n${page.slice(to)}`;
}

async function filled(wanted: Parts): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for (const [path, named] of Object.entries(wanted)) {
    let text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    for (const [name, make] of Object.entries(named)) text = withPart(text, name, await make());
    pages.set(path, text);
  }
  return pages;
}

/** Every page with generated parts or a footer and every plot, by its path from the root, as it should be. */
export const generatedPages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([...plots(), ...withFooters(await filled(parts))]);

/** The pages that are longer in the site than in the repository, by their path from the root. */
export const sitePages = (): Promise<ReadonlyMap<string, string>> => filled(siteParts);

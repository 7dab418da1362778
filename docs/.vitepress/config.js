// The documentation as a static site: npm run site writes it to docs/.vitepress/dist and fails for a dead link.
// VitePress (MIT) is fetched for that run alone, so that installing ragctl does not bring it.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("..", import.meta.url));
const source = "https://github.com/OWNER/ragctl/blob/main/";

/** The pages of a folder under their headings, in the order of their names. */
const pages = (folder) =>
  readdirSync(`${docs}${folder}`)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => ({
      text: /^# (.+)$/m.exec(readFileSync(`${docs}${folder}/${name}`, "utf8"))[1],
      link: `/${folder}/${name.replace(/\.md$/, "")}`,
    }));

export default {
  title: "ragctl",
  description: "Ask your own documents and get answers with file and page, entirely on your machine.",
  rewrites: { "README.md": "index.md", "decisions/README.md": "decisions/index.md" },
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    html: false,
    config(md) {
      // Files outside of docs/ are not part of the site.
      const open = md.renderer.rules.link_open ?? ((tokens, at, options, _, self) => self.renderToken(tokens, at, options));
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const href = tokens[at].attrGet("href") ?? "";
        const target = new URL(href, `file:///docs/${env.relativePath}`).pathname;
        if (!/^[a-z]+:|^#/.test(href) && (!target.startsWith("/docs/") || !/\.md$|\/docs\/[^.]*$/.test(target)))
          tokens[at].attrSet("href", source + target.slice(1));
        return open(tokens, at, options, env, self);
      };
    },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: [
      { text: "Tutorials", items: pages("tutorials") },
      { text: "How-to", items: pages("how-to") },
      { text: "Reference", items: pages("reference") },
      { text: "Explanation", items: pages("explanation") },
      { text: "How it works", link: "/how-it-works" },
      { text: "Measurements", link: "/measurements" },
      { text: "Changelog", link: "/changelog" },
      { text: "Decisions", collapsed: true, items: pages("decisions") },
    ],
  },
};

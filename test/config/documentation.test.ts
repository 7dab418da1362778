import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { generatedPages } from "../../scripts/docs/pages.ts";
import { isKnownVariable } from "../../src/config/environment.ts";
import { notesIn } from "../../src/language/notes/notes.ts";

const root = join(import.meta.dirname, "../..");
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
    (name) => `${folder}/${name.replaceAll("\\", "/")}`,
  );
const pages = ["README.md", "AGENTS.md", "CONTRIBUTING.md", ...filesBelow("docs")].filter((name) =>
  name.endsWith(".md"),
);

test("every file and folder of the source that a page names exists", () => {
  const fromRoot = /(?<![\w./<-])(?:src|test|scripts|config|fixtures|docs|bin)\/(?:[\w.-]*[\w-]\/?)*/g;
  const module = /(?<![\w./<-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.ts\b/g;
  const folder = /`((?:agents|app|cli|core|drivers|pipeline|registry|tools)\/(?:[a-z-]+\/)*)`/g;
  const modules = ["src", "test", "scripts"].flatMap(filesBelow);
  const isModule = (path: string): boolean => modules.some((name) => `/${name}`.endsWith(`/${path}`));
  const missing = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    const paths = (text.match(fromRoot) ?? []).filter((path) => !existsSync(join(root, path)));
    const names = (text.match(module) ?? []).filter((path) => !isModule(path));
    const folders = Array.from(text.matchAll(folder), ([, path = ""]) => path).filter(
      (path) => !existsSync(join(root, "src", path)),
    );
    return [...paths, ...names, ...folders].map((path) => `${page}: ${path}`);
  });
  assert.deepEqual([...new Set(missing)], []);
});

test("every link between pages leads to a file", () => {
  const missing = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    return Array.from(text.matchAll(/\]\(([^)#:\s]+)(?:#[^)\s]*)?\)/g), ([, path = ""]) => path)
      .filter((path) => !existsSync(join(root, dirname(page), path)))
      .map((path) => `${page}: ${path}`);
  });
  assert.deepEqual(missing, []);
});

/** Anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): readonly string[] =>
  readFileSync(join(root, page), "utf8")
    .replace(/^```[\s\S]*?^```/gm, "")
    .split("\n")
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => line.replace(/^#+ /, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"))
    .map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-"),
    );

test("every link to a heading leads to one", () => {
  const missing = pages.flatMap((page) => {
    const links = readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g);
    return Array.from(links, ([, path = "", anchor = ""]) => ({
      target: path === "" ? page : join(dirname(page), path),
      anchor,
    }))
      .filter(({ target, anchor }) => target.endsWith(".md") && !anchorsOf(target).includes(anchor))
      .map(({ target, anchor }) => `${page}: ${target}#${anchor}`);
  });
  assert.deepEqual(missing, []);
});

test("the indexes of the documentation name every page once", () => {
  const named = ["docs", "docs/decisions"].flatMap((folder) =>
    Array.from(
      readFileSync(join(root, folder, "README.md"), "utf8").matchAll(/\]\(([^)]+\.md)\)/g),
      ([, path = ""]) => `${folder}/${path}`,
    ),
  );
  const listed = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  assert.deepEqual(named.toSorted(), listed.toSorted());
});

test("the generated parts of the documentation are what the code gives", async () => {
  for (const [path, text] of await generatedPages())
    assert.equal(readFileSync(join(root, path), "utf8"), text, `${path} is out of date: npm run docs`);
});

test("one sentence says what ragctl is, wherever somebody meets it", () => {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const { description }: { description: string } = JSON.parse(read("package.json"));
  assert.match(description, /^[A-Z].{40,95}\.$/);
  const places = [
    ...["README.md", "docs/README.md", "docs/.vitepress/config.js", "server.json"],
    ...["src/cli/program.ts", "src/server/page/index.html"],
  ];
  assert.deepEqual(
    places.filter((path) => !read(path).includes(description)),
    [],
  );
});

test("the pictures show texts that the program still has", async () => {
  const labels: readonly string[] = JSON.parse(readFileSync(join(root, "docs/images/labels.json"), "utf8"));
  const { english }: { english: Record<string, string> } = await import(
    new URL("../../src/server/page/text/en.js", import.meta.url).href
  );
  const texts = new Set(Object.values(english));
  assert.ok(labels.length > 10, "labels.json is written with the pictures");
  assert.deepEqual(
    labels.filter((label) => !texts.has(label)),
    [],
    "take the pictures again: node scripts/docs/images.ts HOME",
  );
  const terminal = readFileSync(join(root, "docs/images/terminal-light.svg"), "utf8");
  assert.ok(terminal.includes(`contradicted: ${notesIn("en").judged.otherValue("30", "[1]")}`));
});

test("a page types the program one way: ragctl, or npx ragctl", () => {
  const mixed = pages.filter((page) => {
    const code = readFileSync(join(root, page), "utf8").match(/^```[\s\S]*?^```/gm) ?? [];
    const starts = new Set(code.flatMap((block) => block.match(/^(?:\$ )?(?:npx )?ragctl(?= )/gm) ?? []));
    return new Set([...starts].map((start) => start.includes("npx"))).size > 1;
  });
  assert.deepEqual(mixed, []);
});

/** Variables of the two specifications that ragctl follows, and of the tools that they name. */
const specified = [
  ...["DATABASE_URL", "MILVUS_PUBLIC_URI", "MILVUS_PRIVATE_URI", "REDIS_URL", "CACHE_TTL", "KAFKA_BROKERS"],
  ...["BGE_M3_MODEL", "BGE_M3_USE_FP16", "BGE_M3_DEVICE", "BGE_M3_BATCH_SIZE", "BGE_M3_MAX_LENGTH"],
  ...["MMR_LAMBDA_DEFAULT", "MMR_TOP_K_DEFAULT", "DOCLING_ENABLE_OCR", "DOCLING_ENABLE_TABLE_STRUCTURE"],
  ...["LANGCHAIN_FALLBACK_ENABLED", "LLM_PROVIDER", "GEMINI_MODEL", "OLLAMA_MODEL", "COLLECTION_NAME"],
  ...["EMBEDDING_MODEL", "EMBEDDING_DIM", "CHUNK_SIZE", "CHUNK_OVERLAP"],
];

test("every variable of the specifications has its effect or is recognised, and is documented", () => {
  const page = readFileSync(join(root, "docs/reference/configuration.md"), "utf8");
  for (const name of specified) {
    assert.ok(isKnownVariable(name), name);
    assert.ok(page.includes(`\`${name}\``), `docs/reference/configuration.md lacks ${name}`);
  }
});

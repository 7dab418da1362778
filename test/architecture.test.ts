import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { z } from "../src/core/schema.ts";

const root = join(import.meta.dirname, "../src");

/** Folder (or file at the top) → what it may import from; itself always. Read it as the layer diagram. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  files: ["core"],
  lock: ["core"],
  language: ["core"],
  tables: ["core", "language"],
  pipeline: ["core", "files", "language", "tables"],
  drivers: ["core", "files", "tables/records.ts"],
  registry: ["core", "lock/process.ts"],
  cache: ["core", "files", "registry/database.ts", "registry/database/sqlite.ts"],
  agents: ["core", "language"],
  tools: ["core", "language", "tables"],
  models: ["core", "files", "lock"],
  config: ["core", "files"],
  log: ["core"],
  version: [],
  app: [
    "core",
    "files",
    "language",
    "tables",
    "pipeline",
    "drivers",
    "registry",
    "cache",
    "agents",
    "tools",
    "models",
    "lock",
    "resident",
    "config",
    "log",
    "version",
    // Reports have the types of what is printed of them.
    "shapes",
  ],
  // What it prints has the shapes and words of the command line, so that the two cannot drift apart.
  mcp: ["core", "app", "registry/rows.ts", "pipeline/answer/clean.ts", "shapes", "operations"],
  server: ["core", "files", "app", "config", "shapes", "operations"],
  shapes: ["core", "registry", "models/profile.ts"],
  operations: ["core", "files", "app", "config/caller.ts", "shapes"],
  cli: ["core", "files", "app", "config", "log", "models/profile.ts", "operations", "shapes", "version"],
  main: ["cli", "core/lazy.ts", "resident/lost-output.ts", "mcp", "server", "version"],
  resident: ["core", "cli", "config", "drivers/stores/lite-server.ts", "lock"],
  "start-resident": ["app/engines/pool.ts", "cli/remote.ts", "mcp", "resident", "version"],
};

/** Folders whose types alone another may import. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = { cli: ["models"] };

/**
 * npm package → the files (or folders, ending in a slash) that may import it. Its types may be named anywhere
 * in the door's folder.
 */
const doors: Readonly<Record<string, readonly string[]>> = {
  zod: ["core/schema.ts"],
  ioredis: ["cache/redis.ts"],
  "@platformatic/kafka": ["drivers/queues/kafka.ts"],
  "@opentelemetry/api": ["app/telemetry.ts"],
  "better-sqlite3": ["registry/database/sqlite.ts", "tools/database/sqlite-process.ts"],
  "@zilliz/milvus2-sdk-node": ["drivers/stores/milvus-connection.ts", "drivers/stores/milvus-schema.ts"],
  "node-llama-cpp": ["drivers/runtime/llama.ts"],
  "onnxruntime-node": ["drivers/runtime/onnx.ts"],
  protobufjs: ["drivers/runtime/graph/onnx-file.ts"],
  "@huggingface/tokenizers": ["drivers/runtime/tokenizer.ts"],
  "@huggingface/transformers": ["drivers/classifiers/classifier.ts"],
  "pdfjs-dist": ["drivers/parsers/pdf/open.ts"],
  "@napi-rs/canvas": ["drivers/parsers/image/canvas.ts"],
  sharp: ["drivers/parsers/image/shrink.ts"],
  "tesseract.js": ["drivers/parsers/ocr/tesseract.ts"],
  "postal-mime": ["drivers/parsers/mail/read-eml.ts"],
  "@kenjiuno/decompressrtf": ["drivers/parsers/mail/read-msg.ts"],
  "@kenjiuno/msgreader": ["drivers/parsers/mail/read-msg.ts"],
  execa: ["drivers/parsers/outside/command.ts", "tools/generic.ts", "app/fetch/repository.ts"],
  "ical.js": ["drivers/parsers/source/cards.ts"],
  ignore: ["pipeline/ingest/scope.ts"],
  chokidar: ["pipeline/ingest/watch.ts"],
  diff: ["app/documents/versions.ts"],
  "fastest-levenshtein": ["core/nearest.ts"],
  mathjs: ["tools/calculator/"],
  pg: ["registry/database/postgres-pool.ts", "tools/database/postgres.ts"],
  undici: ["tools/network/http.ts"],
  "ipaddr.js": ["tools/network/address.ts"],
  ajv: ["tools/schema.ts"],
  "dingbat-to-unicode": ["drivers/parsers/symbols.ts"],
  "mathml-to-latex": ["drivers/parsers/markup/seen.ts"],
  mammoth: ["drivers/parsers/office/word/docx.ts"],
  xlsx: ["drivers/parsers/office/sheets/xlsx.ts"],
  marked: ["drivers/parsers/markup/markdown.ts"],
  cheerio: ["drivers/parsers/"],
  entities: ["drivers/parsers/markup/markdown.ts", "drivers/parsers/source/"],
  chardet: ["drivers/parsers/guessed-charset.ts"],
  "iconv-lite": [
    "drivers/parsers/guessed-charset.ts",
    "drivers/parsers/markup/rtf.ts",
    "drivers/parsers/archive/names.ts",
  ],
  "jsonc-parser": ["app/assistants/json.ts"],
  "smol-toml": ["app/assistants/toml.ts"],
  yauzl: ["drivers/parsers/office/zip.ts", "pipeline/ingest/container.ts", "models/archive.ts"],
  fflate: ["drivers/parsers/office/zip.ts"],
  "file-type": ["pipeline/ingest/detect.ts"],
  "@vscode/tree-sitter-wasm": ["drivers/parsers/source/grammar.ts"],
  yaml: [
    "config/files.ts",
    "models/manifest.ts",
    "models/own.ts",
    "registry/",
    "app/ask/ask.ts",
    "app/engines/ranking.ts",
    "drivers/parsers/properties.ts",
    "tables/records.ts",
    "language/schema/read.ts",
  ],
  "intl-messageformat": ["language/notes/notes.ts"],
  "robots-parser": ["app/fetch/robots.ts"],
  pino: ["log.ts"],
  commander: ["cli/", "operations/derive/"],
  "@modelcontextprotocol/server": ["mcp/"],
  hono: ["server/"],
  "@hono/node-server": ["server/"],
  "prom-client": ["server/metrics.ts"],
  ws: ["server/serve.ts"],
  "content-disposition": ["server/files/multipart.ts"],
  tar: ["app/bundle/create.ts", "app/bundle/gpu.ts", "app/bundle/read.ts"],
  "@cyclonedx/cyclonedx-library": ["app/bundle/sbom.ts"],
  "string-width": ["cli/shell/output.ts", "operations/text.ts"],
};

/** Packages too slow to load for `ragctl --help`: only by `await import(…)`. */
const heavy = [
  "better-sqlite3",
  "ioredis",
  "@platformatic/kafka",
  "@zilliz/milvus2-sdk-node",
  "node-llama-cpp",
  "onnxruntime-node",
  "@huggingface/transformers",
  "@huggingface/tokenizers",
  "pdfjs-dist",
  "mammoth",
  "xlsx",
  "cheerio",
  "marked",
  "yauzl",
  "ical.js",
  "@vscode/tree-sitter-wasm",
  "@napi-rs/canvas",
  "sharp",
  "tesseract.js",
  "execa",
  "chokidar",
  "mathjs",
  "node-sql-parser",
  "pg",
  "undici",
  "ajv",
  "tar",
  "@cyclonedx/cyclonedx-library",
];

interface Import {
  readonly specifier: string;
  readonly kind: "static" | "type" | "dynamic";
}

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.replaceAll("\\", "/"))
  .sort();
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

const layer = (file: string): string =>
  file.includes("/") ? file.slice(0, file.indexOf("/")) : file.replace(/\.ts$/, "");
const packageOf = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
const targetOf = (file: string, specifier: string): string =>
  relative(root, join(root, dirname(file), specifier)).replaceAll("\\", "/");
const inside = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file === place || (place.endsWith("/") && file.startsWith(place)));

/** Source without comments, so that a word in a sentence is not taken for code. */
const code = (file: string): string =>
  (sources.get(file) ?? "").replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

function importsOf(file: string): readonly Import[] {
  const text = code(file);
  const found: Import[] = [];
  for (const [, type, named, specifier = ""] of text.matchAll(
    /^(?:import|export)\s+(type\s)?([^"'`;=()]*?\sfrom\s+)?"([^"]+)"/gm,
  )) {
    const names = /^\{([^}]*)\}/
      .exec(named ?? "")?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const onlyTypes =
      type !== undefined ||
      (names !== undefined && names.length > 0 && names.every((name) => name.startsWith("type ")));
    found.push({ specifier, kind: onlyTypes ? "type" : "static" });
  }
  for (const [, before = "", specifier = ""] of text.matchAll(/(.{0,7})\bimport\(\s*"([^"]+)"\s*\)/g)) {
    found.push({ specifier, kind: /typeof\s+$/.test(before) ? "type" : "dynamic" });
  }
  return found;
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const each = (visit: (file: string, found: Import) => string | undefined): string[] =>
  files.flatMap((file) => (imports.get(file) ?? []).flatMap((found) => visit(file, found) ?? []));
const local = ({ specifier }: Import): boolean => specifier.startsWith(".");
const packaged = ({ specifier }: Import): boolean =>
  !specifier.startsWith(".") && !specifier.startsWith("node:");

test("every folder is on the map", () => {
  assert.deepEqual(
    [...new Set(files.map(layer))].filter((name) => !Object.hasOwn(mayImport, name)),
    [],
  );
});

test("folders import inward only", () => {
  const wrong = each((file, found) => {
    if (!local(found)) return undefined;
    const [from, target] = [layer(file), targetOf(file, found.specifier)];
    const allowed = [
      from,
      ...(mayImport[from] ?? []),
      ...(found.kind === "type" ? (mayImportTypes[from] ?? []) : []),
    ];
    return allowed.some((name) => target === name || layer(target) === name || target.startsWith(`${name}/`))
      ? undefined
      : `${file} imports ${found.specifier}`;
  });
  assert.deepEqual(wrong, []);
});

test("every import leads to a file of ours and names it with its ending", () => {
  const wrong = each((file, found) =>
    local(found) && !sources.has(targetOf(file, found.specifier))
      ? `${file} imports ${found.specifier}`
      : undefined,
  );
  assert.deepEqual(wrong, []);
});

test("each package is imported through its door only", () => {
  const wrong = each((file, found) => {
    if (!packaged(found)) return undefined;
    const name = packageOf(found.specifier);
    const door = Object.hasOwn(doors, name) ? (doors[name] ?? []) : [];
    if (inside(file, door)) return undefined;
    if (found.kind === "type" && door.some((place) => layer(place) === layer(file))) return undefined;
    return `${file} imports ${name}, its door is ${door.join(", ") || "not in the table"}`;
  });
  assert.deepEqual(wrong, []);
});

test("each imported package is a declared dependency", () => {
  const declared = z
    .object({
      dependencies: z.record(z.string(), z.string()),
      devDependencies: z.record(z.string(), z.string()),
    })
    .parse(JSON.parse(readFileSync(join(root, "../package.json"), "utf8")));
  const wrong = each((file, found) => {
    if (!packaged(found)) return undefined;
    const name = packageOf(found.specifier);
    if (Object.hasOwn(declared.dependencies, name)) return undefined;
    return found.kind === "type" && Object.hasOwn(declared.devDependencies, name)
      ? undefined
      : `${file} imports ${name}`;
  });
  assert.deepEqual([...new Set(wrong)], []);
});

/** A package that no import names: data found by its folder. */
const namedOtherwise = ["@tesseract.js-data/eng"];

test("each declared dependency is imported", () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, "../package.json"), "utf8")));
  const text = files.map(code).join("\n");
  const unused = Object.keys(dependencies).filter(
    (name) => !namedOtherwise.includes(name) && !text.includes(`"${name}"`) && !text.includes(`"${name}/`),
  );
  assert.deepEqual(unused, []);
});

test("every door is used", () => {
  const unused = Object.entries(doors).flatMap(([name, places]) =>
    places
      .filter((place) => !files.some((file) => inside(file, [place]) && code(file).includes(`"${name}`)))
      .map((place) => `${name} by ${place}`),
  );
  assert.deepEqual(unused, []);
});

test("no folder holds more than 16 files beside each other", () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 16),
    [],
  );
});

test("rooms beside each other import in one direction", () => {
  const arrows = new Map<string, string>();
  for (const [file, list] of imports) {
    for (const found of list.filter(local)) {
      const [from, to] = [file.split("/"), targetOf(file, found.specifier).split("/")];
      const shared = from.findIndex((part, index) => part !== to[index]);
      // Files of a parent folder are its door and what its rooms share; both directions are theirs.
      if (from.length <= shared + 1 || to.length <= shared + 1) continue;
      const place = from.slice(0, shared).join("/");
      arrows.set(`${place}: ${from[shared]} → ${to[shared]}`, `${file} imports ${found.specifier}`);
    }
  }
  const back = (arrow: string): string => arrow.replace(/: (.*) → (.*)$/, ": $2 → $1");
  assert.deepEqual(
    [...arrows].filter(([arrow]) => arrows.has(back(arrow))).map(([, example]) => example),
    [],
  );
});

test("heavy packages are loaded on first use", () => {
  const wrong = each((file, found) =>
    found.kind === "static" && heavy.includes(packageOf(found.specifier))
      ? `${file} imports ${found.specifier}`
      : undefined,
  );
  assert.deepEqual(wrong, []);
});

test("the general help loads no command and no schema", () => {
  const reached = new Set(["main.ts"]);
  for (const file of reached)
    for (const found of imports.get(file) ?? [])
      if (found.kind === "static" && local(found)) reached.add(targetOf(file, found.specifier));
  const early = [...reached].filter(
    (file) => file === "core/schema.ts" || /^cli\/(?!shell\/)\w+\//.test(file),
  );
  assert.deepEqual(early, []);
});

test("the protocol of assistants is loaded by its own command and by a request to the server alone", () => {
  const loading = each((file, found) => {
    const outside = local(found) && layer(file) !== "mcp" && layer(targetOf(file, found.specifier)) === "mcp";
    return outside ? `${file}: ${found.kind} ${found.specifier}` : undefined;
  });
  assert.deepEqual(loading, [
    "main.ts: dynamic ./mcp/stdio.ts",
    "main.ts: dynamic ./mcp/http.ts",
    "start-resident.ts: dynamic ./mcp/stdio.ts",
  ]);
});

test("only a registry in PostgreSQL loads what talks to it", () => {
  const of = /^registry\/database\/postgres/;
  const ways = each((file, found) =>
    local(found) && found.kind !== "type" && of.test(targetOf(file, found.specifier)) && !of.test(file)
      ? `${file} ${found.kind} ${found.specifier}`
      : undefined,
  );
  assert.deepEqual(ways, ["registry/registry.ts dynamic ./database/postgres.ts"]);
});

test("only main.ts loads the server, and only when it is asked for", () => {
  const ways = each((file, found) =>
    local(found) && layer(file) !== "server" && layer(targetOf(file, found.specifier)) === "server"
      ? `${file} ${found.kind} ${found.specifier}`
      : undefined,
  );
  assert.deepEqual(ways, ["main.ts dynamic ./server/serve.ts", "main.ts dynamic ./server/audit/copy.ts"]);
});

test("no import cycle", () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (path.includes(file) || done.has(file)) return;
    for (const found of imports.get(file) ?? [])
      if (local(found)) visit(targetOf(file, found.specifier), [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(cycles, []);
});

test("every exported function and constant is used in another file, be it a test", () => {
  const others = ["test", "scripts", "bin"].flatMap((folder) =>
    readdirSync(join(root, "..", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[jt]s$/.test(name))
      .map((name) => readFileSync(join(root, "..", folder, name), "utf8")),
  );
  const readers = new Map<string, number>();
  for (const text of [...sources.values(), ...others])
    for (const name of new Set(text.match(/[\w$]+/g))) readers.set(name, (readers.get(name) ?? 0) + 1);
  const unused = files.flatMap((file) =>
    [
      ...(sources.get(file) ?? "").matchAll(
        /^export (?:async )?(?:function\*?|const|class) (?<name>[\w$]+)/gm,
      ),
    ]
      .filter(({ groups }) => readers.get(groups?.["name"] ?? "") === 1)
      .map(({ groups }) => `${file}: ${groups?.["name"]}`),
  );
  assert.deepEqual(unused, []);
});

/** Most lines of a room. A change that takes lines away lowers them; none raises them. */
const ceilings: Readonly<Record<string, number>> = {
  agents: 1601,
  app: 19322,
  cli: 5754,
  config: 1879,
  core: 4464,
  drivers: 26449,
  language: 4278,
  lock: 274,
  mcp: 1522,
  models: 2304,
  operations: 3440,
  pipeline: 14994,
  registry: 7744,
  resident: 1657,
  server: 5617,
  shapes: 2318,
  tables: 3018,
  tools: 4917,
  "app/ask": 4073,
  "pipeline/answer": 5947,
  "pipeline/measures": 1239,
  "pipeline/tables": 1802,
};

test("only one file knows how the cells of a row are told apart in text", () => {
  const readers = [...sources].filter(([, text]) => /\.(?:includes|split)\(" \| "\)/.test(text));
  assert.deepEqual(
    readers.map(([file]) => file),
    ["core/documents/table-text.ts"],
  );
});

test("no room has more lines than its ceiling", () => {
  const linesOf = (room: string): number =>
    [...sources]
      .filter(([file]) => file.startsWith(`${room}/`))
      .reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0);
  assert.deepEqual(
    Object.entries(ceilings)
      .map(([room, most]) => ({ room, most, lines: linesOf(room) }))
      .filter(({ most, lines }) => lines > most),
    [],
  );
});

test("no source file is longer than 400 lines", () => {
  const long = [...sources]
    .map(([file, text]) => ({ file, lines: text.trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > 400);
  assert.deepEqual(long, []);
});

const using = (pattern: RegExp, allowed: readonly string[]): string[] =>
  files.filter((file) => pattern.test(code(file)) && !inside(file, allowed));

/** What a command reads, prints and ends with is its terminal's: another process may run it for a caller. */
// cli/machine/mcp.ts hands stdin to the protocol.
const streams = ["cli/machine/mcp.ts", "cli/shell/terminal.ts", "resident/", "log.ts", "main.ts"];
/** Results, help, and the line end after a Ctrl-C at a prompt. */
// mcp/stdio.ts writes the protocol to the stream it is given.
const printers = ["cli/shell/output.ts", "cli/program.ts", "cli/answers/chat-input.ts", "mcp/stdio.ts"];

test("only cli/shell/terminal.ts and the launcher know stdout, signals.ts and main.ts mind its closing, and nothing uses console", () => {
  assert.deepEqual(using(/\bconsole\s*\./, []), []);
  assert.deepEqual(
    using(/\bprocess\.stdout\b(?!\.on\()/, [
      "cli/shell/terminal.ts",
      "cli/shell/signals.ts",
      "resident/attach.ts",
    ]),
    [],
  );
  assert.deepEqual(using(/\bterminal\(\)\.output\.write|\boutput\.write\(/, printers), []);
  assert.deepEqual(using(/\bprocess\.(?:stdin|stderr|exitCode)\b/, streams), []);
  assert.deepEqual(
    using(/\bprocess\.stdout\.on\(/, ["main.ts", "cli/shell/signals.ts", "resident/attach.ts"]),
    [],
  );
});

test("only the configuration and the launcher read the environment and the working folder", () => {
  // The resident process holds its own environment against the callers'.
  // One variable is set, never read: only so does a library keep off the network.
  const readers = ["config/", "resident/", "drivers/runtime/telemetry.ts"];
  assert.deepEqual(using(/\bprocess\.env\b/, readers), []);
  assert.deepEqual(using(/\bprocess\.cwd\(/, ["config/caller.ts", "resident/"]), []);
});

test("a module keeps no state of its own but what core/lazy.ts makes on first use", () => {
  assert.deepEqual(using(/^(?:export )?let\b/m, []), []);
  const emptyCollection =
    /^(?:export )?const \w+(?:: [^=\n]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<[^\n]*>)?\(\)|\{\}|\[\]);$/m;
  // The entry of a process of its own, which holds one database; validators kept no longer than their schema.
  const allowed = ["tools/database/sqlite-process.ts", "tools/schema.ts"];
  assert.deepEqual(using(emptyCollection, allowed), []);
});

test("the text of a question is read by question.ts alone; others show it, or split it into questions", () => {
  const allowed = [
    "question.ts",
    "prompt.ts",
    "context.ts",
    "tools/passages.ts",
    "check/holds.ts",
    "check/mend.ts",
    "check/tie.ts",
    "kinds/mentions.ts",
  ].map((file) => `pipeline/answer/${file}`);
  const ofQuestion = /\b(?:asked|question)\.text\b|\btext\b[^}\n]*\}: (?:Pick<)?Question\b/;
  const readers = using(ofQuestion, allowed).filter((file) => file.startsWith("pipeline/answer/"));
  assert.deepEqual(readers, []);
});

test("no any and no ignored type errors", () => {
  assert.deepEqual(using(/(?::|<|\bas)\s*any\b(?!\s*:)/, []), []);
  assert.deepEqual(
    files.filter((file) => /@ts-(?:ignore|nocheck|expect-error)/.test(sources.get(file) ?? "")),
    [],
  );
});

test("the built program imports built files only", () => {
  const dist = join(root, "../dist");
  if (!existsSync(dist)) return;
  const wrong = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .filter((name) => {
      // The page's scripts name types of the source in comments.
      const code = readFileSync(join(dist, name), "utf8").replace(/^\s*\/\*\*.*\*\/$/gm, "");
      return /import\(\s*"\.[^"]*\.ts"\s*\)|from "\.[^"]*\.ts"/.test(code);
    });
  assert.deepEqual(wrong, []);
});

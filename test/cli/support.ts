import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { z } from "../../src/core/schema.ts";
import { stopHost } from "../../src/resident/client.ts";
import { skipLite, testHome } from "../contracts/store.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const binary = join(root, "bin/ragctl.js");
/** The command in one process, without the launcher and the resident process. */
export const builtCommand = [process.execPath, join(root, "dist/main.js")];
export const documents = join(root, "fixtures/documents");
const embedder = "bge-small-en-v1.5-int8";
export const answerer = "smollm2-135m-instruct-q4_1";
const modelFolder = (id: string) => join(testHome, "models", id);

/** Reason to skip tests that run the whole chain, or false. */
export const skipChain = !existsSync(join(root, "dist/main.js"))
  ? "ragctl is not built: npm run build"
  : !existsSync(join(modelFolder(embedder), "model.onnx")) && !existsSync(modelFolder(embedder))
    ? `no embedding model in ${testHome}: run ragctl setup, or set RAGCTL_TEST_HOME`
    : skipLite;
export const skipAnswerer =
  skipChain !== false
    ? skipChain
    : existsSync(modelFolder(answerer))
      ? false
      : `no ${answerer} in ${testHome}`;

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** A ragctl home of its own, with the test home's models linked into it. */
export interface Home extends AsyncDisposable {
  /** Temporary folder; the home and whatever a test writes are inside. */
  readonly base: string;
  readonly path: string;
  start(parameters: readonly string[], input?: string): Started;
  run(parameters: readonly string[], input?: string): Promise<Ended>;
  /** Runs with `--format json` and parses stdout; the status must be one of `statuses` (default 0). */
  json(parameters: readonly string[], statuses?: readonly number[]): Promise<Record<string, unknown>>;
  /** Writes files under the base and returns the folder's path. */
  folder(name: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string>;
}

/** What a child sees: nothing of the developer's own settings. */
function environment(home: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, RAGCTL_ANSWER_THREADS } = process.env;
  const given = Object.entries({ PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, RAGCTL_ANSWER_THREADS }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...Object.fromEntries(given), RAGCTL_HOME: home, NO_COLOR: "1" };
}

/** Starts a program and collects what it prints; its input is left open where `input` is null. */
export function start(
  home: string,
  cwd: string,
  command: readonly string[],
  input: string | null = "",
): Started {
  const [program = "", ...parameters] = command;
  const child = spawn(program, parameters, { cwd, env: environment(home), stdio: ["pipe", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {}); // the child may end without reading it
  if (input !== null) child.stdin.end(input);
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  child.once("error", reject);
  child.once("close", (status, signal) => resolve({ status, signal, stdout, stderr }));
  return { child, ended: promise };
}

/**
 * Makes a home; `models` names what is linked into it (default: the embedder and Milvus Lite, so answers are
 * extractive).
 */
export async function openHome(
  settings = "",
  models: readonly string[] = [embedder, "milvus-lite-2.5.1"],
): Promise<Home> {
  const base = await mkdtemp(join(tmpdir(), "ragctl-cli-"));
  const path = join(base, "home");
  await mkdir(join(path, "models"), { recursive: true, mode: 0o700 });
  for (const id of models)
    if (existsSync(modelFolder(id))) await symlink(modelFolder(id), join(path, "models", id));
  if (settings !== "") await writeFile(join(path, "settings.yaml"), settings, { mode: 0o600 });
  const home: Home = {
    base,
    path,
    start: (parameters, input) => start(path, base, [process.execPath, binary, ...parameters], input),
    run: (parameters, input) => home.start(parameters, input).ended,
    async json(parameters, statuses = [0]) {
      const { status, stdout, stderr } = await home.run([...parameters, "--format", "json"]);
      assert.ok(
        status !== null && statuses.includes(status),
        `ragctl ${parameters.join(" ")} ended with ${status}: ${stderr}`,
      );
      return record(JSON.parse(stdout));
    },
    async folder(name, files) {
      const folder = join(base, name);
      await mkdir(folder, { recursive: true });
      for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
      return folder;
    },
    async [Symbol.asyncDispose]() {
      await stopHost(path);
      await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  return home;
}

export const record = (value: unknown): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(value);
export const records = (value: unknown): Record<string, unknown>[] =>
  z.array(z.record(z.string(), z.unknown())).parse(value);
/** NDJSON, one object per line, and nothing else. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => record(JSON.parse(line)));
/** The code of the error on stderr of a run with --format json. */
export function errorOf({ stderr }: Ended): Record<string, unknown> {
  const line = stderr.split("\n").findLast((text) => text.startsWith("{"));
  assert.ok(line !== undefined, `no JSON error in: ${stderr}`);
  const value = record(JSON.parse(line));
  assertFits("error", value);
  return record(value["error"]);
}

const schemaFolder = join(root, "config/schemas");
const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
const validators = new Map<string, ValidateFunction>(
  readdirSync(schemaFolder).map((name) => [
    name.replace(".schema.json", ""),
    ajv.compile(record(JSON.parse(readFileSync(join(schemaFolder, name), "utf8")))),
  ]),
);

/** Fails with the places where `value` differs from config/schemas/`name`.schema.json. */
export function assertFits(name: string, value: unknown): void {
  const validate = validators.get(name);
  assert.ok(validate, `there is no schema ${name}`);
  const problems = validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  assert.deepEqual(problems, [], name);
}

/** `file` → state and code of an ingest's JSON report. */
export function states(report: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    records(report["files"]).map((file) => [
      String(file["name"]),
      `${file["state"]}${file["code"] === "" ? "" : ` ${file["code"]}`}`,
    ]),
  );
}

/** Polls until `condition` holds; false when it did not in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

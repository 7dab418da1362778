import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertFits, binary, errorOf, type Home, openHome, record, root } from "./support.ts";

const skip = existsSync(join(root, "dist/main.js")) ? false : "ragctl is not built: npm run build";

describe("the command line", { skip }, () => {
  let home: Home;
  before(async () => {
    home = await openHome("# mine\nretrieve:\n  topK: 4 # few\n", []);
    await mkdir(join(home.base, "bin"));
    writeFileSync(
      join(home.base, "bin", "ragctl"),
      `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`,
      { mode: 0o755 },
    );
  });
  after(() => home[Symbol.asyncDispose]());
  const file = (): string => readFileSync(join(home.path, "settings.yaml"), "utf8");

  it("refuses an unknown command also with --help, and names the nearest", async () => {
    for (const line of [
      "serch --help",
      "-q serch -h",
      "help serch",
      "--home x serch --help",
      "-q help serch",
    ]) {
      const { status, stdout, stderr } = await home.run(line.split(" "));
      assert.deepEqual([status, stdout], [2, ""], line);
      assert.match(stderr, /unknown command 'serch'\n\(Did you mean search\?\)/);
    }
    const { status, stderr } = await home.run(["models", "pul", "--help"]);
    assert.deepEqual([status, /Did you mean pull/.test(stderr)], [2, true]);
    for (const line of ["ask serve --help", "models --help", "help models", "models pull --help"])
      assert.equal((await home.run(line.split(" "))).status, 0, line);
  });

  it("says in JSON what is wrong with a command line that asks for JSON", async () => {
    for (const [line, message] of [
      ["serch --json", "unknown command 'serch'; did you mean search?"],
      ["search x --format jsonl --topk 3", "unknown option '--topk'; did you mean --top-k?"],
      ["--format=json show", "missing required argument 'document'"],
      ["agents --json", "missing subcommand"],
    ] as const) {
      const ended = await home.run(line.split(" "));
      assert.deepEqual([ended.status, ended.stdout], [2, ""], line);
      const { code, message: said, hint } = errorOf(ended);
      assert.deepEqual(
        [code, said, hint],
        ["USAGE_INVALID", message, "run with --help for options and an example"],
      );
    }
  });

  it("groups the commands in its help and names each once", async () => {
    const { stdout } = await home.run(["--help"]);
    for (const heading of [
      "Get started:",
      "Documents:",
      "Questions:",
      "Company and permissions:",
      "This machine:",
    ])
      assert.ok(stdout.includes(`\n${heading}\n`), heading);
    assert.ok(!stdout.includes("completion-names"));
    assert.match(
      (await home.run(["collections", "--help"])).stdout,
      /^Usage: ragctl collections \[options\] \[command\]\n/,
    );
  });

  it("writes a setting into the home's file, keeps the rest of it, and takes it out again", async () => {
    const set = await home.json(["config", "set", "mmr.lambda", "0.7"]);
    assertFits("setting", set);
    assert.deepEqual(
      [set["changed"], record(set["setting"])["value"], record(set["setting"])["origin"]],
      [true, 0.7, "home file"],
    );
    assert.equal(file(), "# mine\nretrieve:\n  topK: 4 # few\nmmr:\n  lambda: 0.7\n");
    assert.equal(statSync(join(home.path, "settings.yaml")).mode & 0o777, 0o600);
    assert.equal((await home.json(["config", "set", "mmr.lambda", "0.7"]))["changed"], false);
    const unset = await home.json(["config", "unset", "mmr.lambda"]);
    assert.deepEqual(
      [record(unset["setting"])["value"], file()],
      [0.5, "# mine\nretrieve:\n  topK: 4 # few\n"],
    );
    await home.run(["config", "set", "answer.model", "./own.gguf"]);
    assert.ok(file().includes(join(home.base, "own.gguf")), "a path holds from every folder");
    await home.run(["config", "unset", "answer.model"]);
  });

  it("shows one setting or those of a group, though they have their defaults", async () => {
    const keys = async (key: string) => {
      const shown = await home.json(["config", "show", key]);
      assertFits("settings", shown);
      return (shown["settings"] as { key: string }[]).map((row) => row.key);
    };
    assert.deepEqual(await keys("mmr.lambda"), ["mmr.lambda"]);
    const group = await keys("retrieve");
    assert.ok(group.length > 1 && group.every((key) => key.startsWith("retrieve.")), group.join(" "));
  });

  it("refuses a setting that is none, a value out of its range and values that contradict each other, and writes nothing", async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["set", "mmr.lamda", "1"], /"mmr\.lamda".*did you mean "mmr\.lambda"/],
      [["show", "mmr.lamda"], /"mmr\.lamda".*did you mean "mmr\.lambda"/],
      [["unset", "mmr.lamda"], /"mmr\.lamda".*did you mean "mmr\.lambda"/],
      [["set", "mmr.lambda", "7"], /mmr\.lambda cannot be "7": .*a number from 0 to 1/],
      [["set", "chunk.minTokens", "4000"], /chunk\.minTokens \(4000\) is greater/],
      [["set", "home", "/x"], /cannot set the home/],
    ];
    const before = file();
    for (const [words, message] of cases) {
      const ended = await home.run(["config", ...words, "--format", "json"]);
      assert.deepEqual([ended.status, errorOf(ended)["code"]], [2, "CONFIG_INVALID"]);
      assert.match(String(errorOf(ended)["message"]), message);
    }
    assert.equal(file(), before);
  });

  it("says that a variable comes before what was written", async () => {
    const { stderr } = await home.run(["config", "set", "output.color", "always"]);
    assert.match(stderr, /environment:NO_COLOR overrides/);
  });

  it("prints the registry to stdout for -, and makes no file of that name", async () => {
    const { stdout, status } = await home.run(["registry", "export", "-"]);
    assert.deepEqual(
      [status, /^# |^[a-z_]+:/m.test(stdout), existsSync(join(home.base, "-"))],
      [0, true, false],
    );
  });

  it("takes a format in any case and with a dot, and refuses one there is not by those there are", async () => {
    const { status, stderr } = await home.run(["search", "x", "--type", "docs"]);
    assert.equal(status, 2);
    assert.match(stderr, /'docs' is invalid\. .*pdf, docx, xlsx.*\. Did you mean docx\?/);
    for (const type of ["PDF", ".pdf", ".Pdf"])
      assert.doesNotMatch((await home.run(["search", "x", "--type", type])).stderr, /is invalid/);
  });

  it("refuses at once what an evaluation or an export could only fail on at its end", async () => {
    const questions = join(root, "fixtures/questions.jsonl");
    for (const [words, message] of [
      [["eval", questions, "--gate", "containmant>=0.5"], /containmant; did you mean "containment"/],
      [["eval", questions, "--html", join(home.base, "none", "x.html")], /cannot write/],
      [
        ["show", "x", "--export", "markdown", "--format", "json"],
        /markdown cannot be combined with --format json/,
      ],
      [["setup", "--language", "qq"], /must be a language code/],
    ] as const) {
      const { status, stdout, stderr } = await home.run([...words]);
      assert.deepEqual([status, stdout], [2, ""], stderr);
      assert.match(stderr, message);
    }
  });

  /** What bash would offer for a line whose last word is being typed. */
  const completions = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stdout: script } = await home.run(["completion", "bash"]);
    const list = words.map((word) => `'${word}'`).join(" ");
    const text = `${script}\nCOMP_WORDS=(ragctl ${list}); COMP_CWORD=${words.length}; _ragctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = {
      ...process.env,
      PATH: `${join(home.base, "bin")}${delimiter}${process.env["PATH"]}`,
      RAGCTL_HOME: home.path,
    };
    return execFileSync("bash", ["-c", text], { encoding: "utf8", env, cwd: home.base })
      .trimEnd()
      .split("\n");
  };

  it("completes commands, values and names in bash, and files only where a file is wanted", async () => {
    await home.run(["agents", "seed"]);
    assert.deepEqual(await completions("coll"), ["collections"]);
    assert.deepEqual(await completions("models", ""), ["list", "pull", "import", "verify", "path", "probe"]);
    assert.deepEqual(await completions("search", "--mode", ""), ["hybrid", "dense", "lexical", "colbert"]);
    assert.deepEqual(await completions("-q", "--home", home.path, "search", "x", "--format", "json"), [
      "json",
      "jsonl",
    ]);
    assert.deepEqual(await completions("search", "--mo"), ["--mode"]);
    assert.deepEqual(await completions("search", ""), [""]);
    assert.deepEqual(await completions("ingest", "settings"), [""]);
    assert.deepEqual(await completions("ingest", "bi"), ["bin"]);
    assert.deepEqual(await completions("agents", "show", "HR"), ["HR\\ Assistant"]);
    assert.ok((await completions("ask", "--as", "")).includes("hr_manager"));
    assert.ok((await completions("models", "pull", "bge-small")).includes("bge-small-en-v1.5-int8"));
    assert.deepEqual(await completions("completion", ""), ["bash", "zsh", "fish"]);
  });

  it("gives scripts that their shells accept, and no name to anybody but the owner", async () => {
    for (const shell of ["bash", "zsh"]) {
      const { stdout } = await home.run(["completion", shell]);
      execFileSync("bash", ["-n"], { input: stdout });
    }
    assert.match(
      (await home.run(["completion", "fish"])).stdout,
      /-l mode -r -f -a 'hybrid dense lexical colbert'/,
    );
    assert.equal((await home.run(["completion-names", "agents", "--as", "hr_manager"])).status, 4);
  });
});

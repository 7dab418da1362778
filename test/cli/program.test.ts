import assert from "node:assert/strict";
import { test } from "node:test";
import { type Command, InvalidArgumentError, Option } from "commander";
import { buildProgram } from "../../src/cli/program.ts";
import { settingTable } from "../../src/config/settings.ts";
import { commands } from "../../src/operations/command-list.ts";

const none = () => Promise.reject(new Error("not started here"));
const services = { mcp: none, server: none, serveCopy: none };

test("the general help reads the same whether outlined or complete", async () => {
  const outlined = await buildProgram("0", services, undefined);
  const complete = await buildProgram("0", services, "all");
  assert.equal(outlined.helpInformation(), complete.helpInformation());
  const names = complete.commands.map((command) => command.name());
  assert.deepEqual([...names].sort(), Object.values(commands).flatMap(Object.keys).sort());
});

test("the command that runs is complete, and the others are outlines", async () => {
  const program = await buildProgram("0", services, "search");
  const flags = (name: string) =>
    program.commands.find((command) => command.name() === name)?.options.map(({ long }) => long);
  assert.ok(flags("search")?.includes("--top-k"));
  assert.ok(!flags("ask")?.includes("--top-k"));
});

const everyCommand = async (): Promise<Command[]> => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  return all(await buildProgram("0", services, "all"));
};

test("the help of every command ends with an example, and calls several so", async () => {
  const faults: string[] = [];
  for (const command of await everyCommand()) {
    if (command.commands.length > 0 || command.name() === "completion-names") continue;
    let help = "";
    const collect = (text: string): void => {
      help += text;
    };
    command.configureOutput({ writeOut: collect }).outputHelp();
    const [, heading = "none", examples = ""] = /\n(Examples?):\n((?: {2}.+\n)+)/.exec(help) ?? [];
    const wanted = examples.trim().split("\n").length > 1 ? "Examples" : "Example";
    if (heading !== wanted) faults.push(`${command.parent?.name()} ${command.name()}: ${heading}`);
  }
  assert.deepEqual(faults, []);
});

test("the flags of a question are under headings in the help, none among other options", async () => {
  for (const name of ["ask", "search"]) {
    const { commands } = await buildProgram("0", services, name);
    const help = commands.find((command) => command.name() === name)?.helpInformation() ?? "";
    const headings = [...help.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    const own = ["Question", "Narrowing", "Models and stores", "Output"];
    assert.deepEqual(headings, ["Arguments", ...own, "Every command"]);
  }
});

test("the general help fits into 80 columns", async () => {
  const help = (await buildProgram("0", services, undefined)).helpInformation();
  assert.deepEqual(
    help.split("\n").filter((line) => line.length > 80),
    [],
  );
});

test("a setting that the help of a flag names exists, and its default is the one that the help says", async () => {
  const named = (await everyCommand()).flatMap(({ options }) =>
    options.flatMap(({ description }) => [
      ...description.matchAll(/\((?:default: )?(?<key>[a-z]+\.[A-Za-z]+)(?:, (?<value>[^)]+))?[;)]/g),
    ]),
  );
  assert.ok(named.length >= 8, `${named.length} flags name a setting`);
  for (const { groups: { key = "", value } = {} } of named) {
    const setting = settingTable.get(key);
    assert.ok(setting !== undefined, key);
    if (value !== undefined) assert.equal(value, String(setting.fallback), key);
  }
});

test("a flag that falls back to a setting says to which value", async () => {
  const flags = new Map<string, string>(
    (await everyCommand()).flatMap((command) =>
      command.options.map(({ long, description }) => [`${command.name()} ${long}`, description] as const),
    ),
  );
  for (const flag of ["ask --top-k", "search --top-k", "chat --top-k"])
    assert.match(flags.get(flag) ?? "", /\(default: \w+\.\w+, \d+\)$/, flag);
  for (const flag of ["ask --budget", "ask --context-window", "ingest --chunk-size", "sync --threads"])
    assert.match(flags.get(flag) ?? "", /\(\w+\.\w+; default: [^)]+\)$/, flag);
});

/** Every flag and argument of every command that checks its value, as its usage names it. */
async function checkedValues(): Promise<{ readonly name: string; parse(value: string): unknown }[]> {
  return (await everyCommand()).flatMap((command) =>
    [...command.options, ...command.registeredArguments].flatMap((each) => {
      const { parseArg } = each;
      if (parseArg === undefined) return [];
      const name = each instanceof Option ? each.flags : `<${each.name()}>`;
      return [{ name: `${command.name()} ${name}`, parse: (value) => parseArg(value, undefined) }];
    }),
  );
}

/** What is wrong with a text of whole sentences, or "". */
function faultOf(text: string): string {
  if (!/^\p{Lu}/u.test(text)) return "begins without a capital";
  if (!/[.?]$/.test(text)) return "has no end";
  // A capitalised word within a sentence begins the next one.
  return /[^.?!] \p{Lu}\p{Ll}/u.test(text) ? "has sentences that run together" : "";
}

test("a value that a flag or an argument refuses is refused in whole sentences", async () => {
  const faults: string[] = [];
  const refusing = new Set<string>();
  for (const { name, parse } of await checkedValues())
    for (const value of ["§ none ¶", "-1", "2.5", "9-1", "pdg", "headings", "tables", " ", ""])
      try {
        parse(value);
      } catch (error) {
        assert.ok(error instanceof InvalidArgumentError, `${name} ${value}: ${error}`);
        refusing.add(name);
        const fault = faultOf(error.message);
        if (fault !== "") faults.push(`${name} "${value}" ${fault}: ${error.message}`);
      }
  assert.ok(refusing.size > 60, `${refusing.size} values are checked`);
  assert.deepEqual([...new Set(faults)], []);
});

test("a number that is blank is refused, not read as 0", async () => {
  const values = (await checkedValues()).filter(({ name }) => /<(?:n|share|seconds)>/.test(name));
  assert.ok(values.length > 10);
  for (const { name, parse } of values)
    for (const blank of ["", " "]) assert.throws(() => parse(blank), InvalidArgumentError, name);
});

test("a choice that is nearly right is told what was meant", async () => {
  const refusal = async (flag: string, value: string): Promise<string> => {
    const found = (await checkedValues()).find(({ name }) => name.startsWith(`ask ${flag} `));
    try {
      found?.parse(value);
    } catch (error) {
      if (error instanceof Error) return error.message;
    }
    return "";
  };
  assert.match(await refusal("--type", "pdg"), /^Allowed choices are pdf, .*\. Did you mean pdf\?$/);
  assert.match(await refusal("--type", "§"), /^Allowed choices are pdf, .*zip\.$/);
  assert.match(await refusal("--content-type", "tables"), /Did you mean table\?$/);
});

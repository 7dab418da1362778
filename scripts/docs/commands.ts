import { type Argument, Command, type Option } from "commander";
import { buildProgram } from "../../src/cli/program.ts";
import { globalOptions } from "../../src/cli/shell/global-options.ts";
import { escaped, item, paragraph, sentence } from "./markdown.ts";

const noService = (): never => {
  throw new Error("no command runs while its help is read");
};

/** The whole program, to read its help; none of its commands can run. */
export const helpProgram = (): Promise<Command> =>
  buildProgram("", { mcp: noService, server: noService, serveCopy: noService }, "all");

/** The choices and the default of an option, where its description does not name them. */
function limitsOf({ argChoices = [], defaultValue, description }: Option): string {
  const hasDefault = typeof defaultValue === "string" || typeof defaultValue === "number";
  const parts = [
    ...(argChoices.every((choice) => description.includes(choice)) ? [] : [argChoices.join(", ")]),
    ...(hasDefault ? [`default: ${defaultValue}`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

const optionItem = (option: Option): string =>
  item(`\`${option.flags}\`: ${escaped(option.description + limitsOf(option))}`);

function argumentItem(argument: Argument): readonly string[] {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  const choices = argument.argChoices?.join(", ") ?? "";
  const text = [argument.description, choices].filter((part) => part !== "").join(": ");
  return text === "" ? [] : [item(`\`${argument.required ? `<${name}>` : `[${name}]`}\`: ${escaped(text)}`)];
}

/** What help prints below the options: notes as text, and as code the examples that show more than the arguments. */
function examplesOf(command: Command, words: string): readonly string[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const after = help.slice(command.helpInformation().length).trim().split("\n");
  const examples = after.filter((line) => line.startsWith("  ")).map((line) => line.trim());
  const code = examples.filter((line) => !line.startsWith(`ragctl ${words}`) || line.includes(" -"));
  const notes = after.filter((line) => /^\S/.test(line) && !/^Examples?:$/.test(line));
  return [
    ...notes.map((note) => paragraph(escaped(note))),
    ...(code.length === 0 ? [] : [`\`\`\`sh\n${code.join("\n")}\n\`\`\``]),
  ];
}

/** Options of a command: in full where they are new, by name where an earlier command has described them. */
function optionItems(command: Command, words: string, described: Map<string, string>): readonly string[] {
  const shared = new Set(globalOptions(new Command()).options.map(({ flags }) => flags));
  const items: string[] = [];
  const repeated = new Map<string, string[]>();
  for (const option of command.options) {
    if (option.hidden || shared.has(option.flags)) continue;
    const text = optionItem(option);
    const earlier = described.get(text);
    if (earlier === undefined) {
      described.set(text, words);
      items.push(text);
    } else repeated.set(earlier, [...(repeated.get(earlier) ?? []), `\`${option.long}\``]);
  }
  const references = [...repeated].map(([earlier, names]) =>
    item(`as in [${earlier}](#${earlier.replaceAll(" ", "-")}): ${names.join(", ")}`),
  );
  return [...items, ...references];
}

const childrenOf = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");

function section(command: Command, words: string, described: Map<string, string>): readonly string[] {
  const items = [
    ...command.registeredArguments.flatMap(argumentItem),
    ...optionItems(command, words, described),
  ];
  return [
    `### ${words}`,
    paragraph(escaped(sentence(command.description()))),
    ...(items.length === 0 ? [] : [items.join("\n")]),
    ...examplesOf(command, words),
    ...childrenOf(command).flatMap((child) => section(child, `${words} ${child.name()}`, described)),
  ];
}

const globalItems = (): string => globalOptions(new Command()).options.map(optionItem).join("\n");

const groupsOf = (program: Command): readonly (readonly [string, readonly Command[]])[] =>
  [...Map.groupBy(childrenOf(program), (command) => command.helpGroup())].map(([heading, commands]) => [
    heading.replace(/:$/, ""),
    commands,
  ]);

/** The names of commands and their parts under the headings of `ragctl --help`. */
export async function commandsIndex(): Promise<string> {
  const nameOf = (command: Command): string => {
    const parts = childrenOf(command).map((child) => child.name());
    return `\`${command.name()}${parts.length === 0 ? "" : ` ${parts.join("|")}`}\``;
  };
  return groupsOf(await helpProgram())
    .map(([heading, commands]) => item(`**${heading}**: ${commands.map(nameOf).join(" · ")}`))
    .join("\n");
}

/** Options of every command, then each command in full under the headings of `ragctl --help`, as Markdown. */
export async function commandsText(): Promise<string> {
  const described = new Map<string, string>();
  return [
    "## Options of every command",
    globalItems(),
    ...groupsOf(await helpProgram()).flatMap(([heading, commands]) => [
      `## ${heading}`,
      ...commands.flatMap((command) => section(command, command.name(), described)),
    ]),
  ].join("\n\n");
}

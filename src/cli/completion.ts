import { Argument, type Command } from "commander";
import { action } from "./session.ts";

/** `ragctl completion SHELL`: a script that completes commands and flags. */
export function registerCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", "\nExample:\n  ragctl completion bash > ~/.local/share/bash-completion/completions/ragctl")
    .action(
      action(async (session, shell: "bash" | "zsh" | "fish") => {
        const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](describe(program));
        session.output.result({ text: script, data: { schema_version: 1, shell, script } });
      }),
    );
}

interface Described {
  /** Command words after `ragctl`, e.g. `models pull`; "" is ragctl itself. */
  readonly words: string;
  readonly children: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly { readonly name: string; readonly description: string }[];
}

function describe(command: Command, prefix: readonly string[] = []): readonly Described[] {
  const own: Described = {
    words: prefix.join(" "),
    children: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
    flags: command.options.flatMap((option) =>
      option.long === undefined || option.long === null ? [] : [{ name: option.long, description: option.description }],
    ),
  };
  return [own, ...command.commands.flatMap((child) => describe(child, [...prefix, child.name()]))];
}

function candidates({ children, flags }: Described): string {
  return [...children.map((child) => child.name), ...flags.map((flag) => flag.name)].join(" ");
}

function bashScript(commands: readonly Described[]): string {
  const cases = commands.map((command) => `    "${command.words}") words="${candidates(command)}" ;;`);
  return `_ragctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${cases.join("\n")}
    esac
    [ -n "$words" ] && break
    case "$path" in *" "*) path="\${path% *}" ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ "$current" == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _ragctl ragctl
`;
}

function zshScript(commands: readonly Described[]): string {
  return `#compdef ragctl
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

function fishScript(commands: readonly Described[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ words, children, flags }) => {
    const when =
      words === ""
        ? "__fish_use_subcommand"
        : words
            .split(" ")
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join("; and ");
    return [
      ...children.map((child) => `complete -c ragctl -f -n ${quoted(when)} -a ${child.name} -d ${quoted(child.description)}`),
      ...flags.map((flag) => `complete -c ragctl -n ${quoted(when)} -l ${flag.name.slice(2)} -d ${quoted(flag.description)}`),
    ];
  });
  return `${lines.join("\n")}\n`;
}

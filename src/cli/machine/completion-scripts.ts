import type { Described, Values } from "./completion-commands.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Bash: sets the candidates of a place. */
function bashValues(values: Values): string {
  switch (values.kind) {
    case "words":
      return `words=${quoted(values.words.join("\n"))}`;
    case "names":
      return `words="$(ragctl completion-names ${values.of} 2>/dev/null)"`;
    case "files":
      return "files=1";
    case "free":
      return ":";
  }
}

/** A completion script for bash. */
export function bashScript(commands: readonly Described[]): string {
  const withValue = new Set(
    commands.flatMap(({ flags }) =>
      flags.flatMap((flag) =>
        flag.values === null ? [] : [flag.long, flag.short].filter((name) => name !== ""),
      ),
    ),
  );
  const valueCases = commands.flatMap(({ words, flags }) =>
    flags.flatMap(({ long, short, values }) =>
      values === null
        ? []
        : [
            `    ${[long, short]
              .filter((name) => name !== "")
              .map((name) => quoted(`${words}|${name}`))
              .join("|")}) ${bashValues(values)} ;;`,
          ],
    ),
  );
  const flagCases = commands.map(
    ({ words, flags }) =>
      `      ${quoted(words)}) words=${quoted(flags.map(({ long }) => long).join("\n"))} ;;`,
  );
  const placeCases = commands.map(({ words, children, argument }) => {
    const names = children.map(({ name }) => name);
    return `      ${quoted(words)}) ${bashValues(names.length > 0 ? { kind: "words", words: names } : argument)} ;;`;
  });
  const commandCases = commands.filter(({ words }) => words !== "").map(({ words }) => quoted(words));
  return `_ragctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words="" files="" skip="" IFS=$'\\n'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
      ${[...withValue].join("|")}) skip=1 ;;
      -*) ;;
      *) case "\${path:+$path }$word" in ${commandCases.join("|")}) path="\${path:+$path }$word" ;; esac ;;
    esac
  done
  case "$path|$previous" in
${valueCases.join("\n")}
    *) if [[ "$current" == -* ]]; then case "$path" in
${flagCases.join("\n")}
    esac; else case "$path" in
${placeCases.join("\n")}
    esac; fi ;;
  esac
  COMPREPLY=()
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    # Without their quotes and backslashes, as the names themselves are.
    current="\${current//[\\\\\\"\\']/}"
    for word in $words; do [[ "$word" == "$current"* ]] && COMPREPLY+=("$(printf %q "$word")"); done
  fi
}
complete -F _ragctl ragctl
`;
}

/** A completion script for zsh, by its bash emulation. */
export function zshScript(commands: readonly Described[]): string {
  return `#compdef ragctl
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

/** fish: the options of `complete` for the possible values in a place. */
function fishValues(values: Values): string {
  switch (values.kind) {
    case "words":
      return `-f -a ${fishQuoted(values.words.join(" "))}`;
    case "names":
      return `-f -a '(ragctl completion-names ${values.of} 2>/dev/null)'`;
    case "files":
      return "-F";
    case "free":
      return "-f";
  }
}

const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A completion script for fish. */
export function fishScript(commands: readonly Described[]): string {
  const lines = commands.flatMap(({ words, children, flags, argument }) => {
    const seen = words.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = children.map(({ name }) => name);
    const inner = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(" ")}`];
    const when = fishQuoted(words === "" ? "__fish_use_subcommand" : [...seen, ...inner].join("; and "));
    const place = children.length === 0 ? [`complete -c ragctl -n ${when} ${fishValues(argument)}`] : [];
    return [
      ...place,
      ...children.map(
        ({ name, description }) =>
          `complete -c ragctl -f -n ${when} -a ${name} -d ${fishQuoted(description)}`,
      ),
      ...flags.map(({ long, short, description, values }) => {
        const form = `-l ${long.slice(2)}${short === "" ? "" : ` -s ${short.slice(1)}`}`;
        return `complete -c ragctl -n ${when} ${form}${values === null ? "" : ` -r ${fishValues(values)}`} -d ${fishQuoted(description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

import { Argument, type Command } from "commander";
import { completionNamesShape, completionShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { action } from "../shell/session.ts";
import { describeCommands } from "./completion-commands.ts";
import { bashScript, fishScript, zshScript } from "./completion-scripts.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/**
 * `ragctl completion SHELL`: a script that completes commands, flags, their values and names; and where it
 * takes the names from.
 */
export function registerCompletion(program: Command): void {
  declared(program, "completion")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      "\nExample:\n  ragctl completion bash > ~/.local/share/bash-completion/completions/ragctl",
    )
    .action(
      action(async (session, shell: keyof typeof scripts) => {
        const script = scripts[shell](describeCommands(program));
        session.output.result({ text: script, data: completionShape({ shell, script }) });
      }),
    );

  // The scripts run this at a prompt: it opens only the registry.
  declared(program, "completion-names")
    .argument("<kind>", "collections, documents, rooms, principals, agents, tools or models")
    .action(
      action(async (session, wanted: string) => {
        await session.ownerOnly("list every name");
        const { nameKinds, namesOf } = await loadNames();
        const kind = nameKinds.find((each) => each === wanted);
        const names = kind === undefined ? [] : await namesOf(kind, session.settings);
        session.output.result({ text: names.join("\n"), data: completionNamesShape({ names }) });
      }),
    );
}

const loadNames = () => import("../../app/owner/names.ts");

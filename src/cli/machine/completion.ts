import type { Command } from "commander";
import { z } from "../../core/schema.ts";
import { field } from "../../operations/operation.ts";
import { completionNamesShape, completionShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { describeCommands } from "./completion-commands.ts";
import { bashScript, fishScript, zshScript } from "./completion-scripts.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/**
 * `ragctl completion SHELL`: a script that completes commands, flags, their values and names; and where it
 * takes the names from.
 */
export function registerCompletion(program: Command): void {
  const script = {
    input: { shell: field("<shell>", z.enum(["bash", "zsh", "fish"]), "") },
    examples: ["ragctl completion bash > ~/.local/share/bash-completion/completions/ragctl"],
  };
  defineCommand(declare(program, "completion"), script, async ({ output }, { shell }) => {
    const script = scripts[shell](describeCommands(program));
    output.result({ text: script, data: completionShape({ shell, script }) });
  });
  // The scripts run this at a prompt: it opens only the registry.
  const kinds = "collections, documents, rooms, principals, agents, tools or models";
  defineCommand(
    declare(program, "completion-names"),
    { input: { kind: field("<kind>", z.string(), kinds) } },
    async (session, { kind: wanted }) => {
      await session.ownerOnly("list every name");
      const { nameKinds, namesOf } = await loadNames();
      const kind = nameKinds.find((each) => each === wanted);
      const names = kind === undefined ? [] : await namesOf(kind, session.settings);
      session.output.result({ text: names.join("\n"), data: completionNamesShape({ names }) });
    },
  );
}

const loadNames = () => import("../../app/owner/names.ts");

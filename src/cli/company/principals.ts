import type { Command } from "commander";
import { Option } from "commander";
import { RagctlError } from "../../core/errors.ts";
import { type AddedPrincipal, principalShape, principalsShape } from "../shapes/permissions.ts";
import { listOption } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";

interface SetFlags {
  readonly department?: readonly string[];
  readonly departments?: false;
  readonly root?: readonly string[];
  readonly roots?: false;
  readonly kind?: "person" | "service";
}

/** `ragctl principals …`: who asks. */
export function registerPrincipals(program: Command): void {
  const principals = program
    .command("principals")
    .description("who asks: people, services and the owner, with their departments");
  const kind = (): Option => new Option("--kind <kind>", "what it is").choices(["person", "service"]);
  const department = (text: string): Option => listOption("--department <name>", text);
  const root = (text: string): Option => listOption("--root <folder>", text);

  principals
    .command("list")
    .description("list the principals")
    .addHelpText("after", "\nExample:\n  ragctl principals list")
    .action(
      action(async (session) => {
        const known = (await session.app()).administration.principals(session.run);
        session.output.result({
          text: listText(known),
          data: principalsShape(known),
          lines: known.map(principalShape),
        });
      }),
    );

  principals
    .command("show")
    .description("show one principal")
    .argument("<principal>", "name or id")
    .addHelpText("after", "\nExample:\n  ragctl principals show ada")
    .action(
      action(async (session, reference: string) => {
        show(session, "", (await session.app()).administration.getPrincipal(reference, session.run));
      }),
    );

  principals
    .command("add")
    .description("add a principal")
    .argument("<name>", "unique name, whatever its case")
    .addOption(department("department it belongs to; may be repeated"))
    .addOption(root("folder it may ingest from, with all below; may be repeated (default: none)"))
    .addOption(kind().default("person"))
    .addHelpText("after", "\nExample:\n  ragctl principals add ada --department hr --root /srv/hr")
    .action(
      action(async (session, name: string, flags: SetFlags) => {
        const { administration } = await session.app();
        const input = {
          name,
          kind: flags.kind ?? "person",
          departments: [...(flags.department ?? [])],
          roots: [...(flags.root ?? [])],
        };
        show(session, "added ", administration.addPrincipal(input, session.run));
      }),
    );

  principals
    .command("set")
    .description("change a principal's departments, folders or kind; what is not named stays")
    .argument("<principal>", "name or id")
    .addOption(department("department it belongs to, in place of those it has; may be repeated"))
    .option("--no-departments", "take all its departments away")
    .addOption(root("folder it may ingest from, in place of those it has; may be repeated"))
    .option("--no-roots", "let it ingest from no folder")
    .addOption(kind())
    .addHelpText("after", "\nExample:\n  ragctl principals set ada --department hr --department finance")
    .action(
      action(async (session, reference: string, flags: SetFlags) => {
        const { administration } = await session.app();
        const departments = wholeList("department", flags.department, flags.departments);
        const roots = wholeList("root", flags.root, flags.roots);
        if (departments === undefined && roots === undefined && flags.kind === undefined)
          throw new RagctlError("USAGE_INVALID", "nothing to change is named", {
            hint: "use --department, --no-departments, --root, --no-roots or --kind",
          });
        const changes = {
          ...(departments === undefined ? {} : { departments: [...departments] }),
          ...(roots === undefined ? {} : { roots: [...roots] }),
          ...(flags.kind === undefined ? {} : { kind: flags.kind }),
        };
        show(session, "changed ", administration.setPrincipal(reference, changes, session.run));
      }),
    );

  for (const [name, enabled, what] of [
    ["enable", true, "let a principal in again"],
    ["disable", false, "deny a principal everything, and keep it with its rules"],
  ] as const) {
    principals
      .command(name)
      .description(what)
      .argument("<principal>", "name or id")
      .addHelpText("after", `\nExample:\n  ragctl principals ${name} ada`)
      .action(
        action(async (session, reference: string) => {
          show(
            session,
            `${name}d `,
            (await session.app()).administration.setPrincipal(reference, { enabled }, session.run),
          );
        }),
      );
  }

  principals
    .command("remove")
    .description("remove a principal and the rules about it by name; those of its departments stay")
    .argument("<principal>", "name or id")
    .addHelpText("after", "\nExample:\n  ragctl principals remove ada")
    .action(
      action(async (session, reference: string) => {
        show(
          session,
          "removed ",
          (await session.app()).administration.removePrincipal(reference, session.run),
        );
      }),
    );
}

/** A list as its flags state it: what `--name` gave, none for `--no-names`, undefined where neither was given. */
function wholeList(
  name: string,
  given: readonly string[] | undefined,
  none: false | undefined,
): readonly string[] | undefined {
  if (none !== false) return given;
  if (given === undefined) return [];
  throw new RagctlError("USAGE_INVALID", `--${name} and --no-${name}s exclude each other`, {
    hint: "leave one of them out",
  });
}

function show(session: Session, done: string, principal: AddedPrincipal): void {
  session.output.result({ text: `${done}${principalText(principal)}`, data: principalsShape([principal]) });
}

/** One line: `ada: person, hr, ingests from /srv/hr`. */
export function principalText({ name, kind, departments, roots = [], enabled }: AddedPrincipal): string {
  const from = kind === "owner" ? "everywhere" : roots.join(", ") || "nowhere";
  return `${name}: ${kind}, ${departments.join(", ") || "no department"}, ingests from ${from}${enabled ? "" : ", disabled"}`;
}

function listText(principals: readonly AddedPrincipal[]): string {
  const rows = principals.map(({ name, kind, departments, enabled }) => [
    name,
    kind,
    departments.join(", "),
    enabled ? "yes" : "no",
  ]);
  return table(["principal", "kind", "departments", "enabled"], rows);
}

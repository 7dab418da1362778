import type { Command } from "commander";
import { Option } from "commander";
import { RagctlError } from "../../core/errors.ts";
import { type AddedPrincipal, principalsShape } from "../../shapes/permissions.ts";
import { declared } from "../commands.ts";
import { listOption } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { registerKeys } from "./keys.ts";
import { given } from "./registry-flags.ts";
import { type Rows, registerReading, registerSwitching } from "./rows.ts";
import { registerSignIns } from "./sign-ins.ts";

interface SetFlags {
  readonly department?: readonly string[];
  readonly departments?: false;
  readonly root?: readonly string[];
  readonly roots?: false;
  readonly kind?: "person" | "service";
}

const rows: Rows<AddedPrincipal> = {
  noun: "principal",
  reference: "name or id",
  example: "ada",
  help: {
    list: "list principals",
    enable: "restore a disabled principal's access",
    disable: "suspend all of a principal's access; its rules are kept",
    remove: "remove a principal and its rules; rules of its departments are kept",
  },
  list: (app, run) => app.permissions.principals(run),
  get: (app, reference, run) => app.permissions.getPrincipal(reference, run),
  setEnabled: (app, reference, enabled, run) => app.permissions.setPrincipal(reference, { enabled }, run),
  remove(app, reference, session) {
    print(session, app.permissions.removePrincipal(reference, session.run), "removed ");
  },
  printAll(session, principals) {
    const cells = principals.map(({ name, kind, departments, enabled }) => [
      name,
      kind,
      departments.join(", "),
      enabled ? "yes" : "no",
    ]);
    session.output.result({
      text: table(["principal", "kind", "departments", "enabled"], cells),
      data: principalsShape(principals),
    });
  },
  print,
};

const kindOption = (): Option =>
  new Option("--kind <kind>", "person or service").choices(["person", "service"]);

/** `ragctl principals …`: who asks. */
export function registerPrincipals(program: Command): void {
  const principals = declared(program, "principals");
  registerReading(principals, rows);
  registerAdd(principals);
  registerSet(principals);
  registerSwitching(principals, rows);
  registerKeys(principals);
  registerSignIns(principals);
}

function registerAdd(principals: Command): void {
  principals
    .command("add")
    .description("add a principal")
    .argument("<name>", "unique name, not case-sensitive")
    .addOption(listOption("--department <name>", "department it belongs to; may be repeated"))
    .addOption(
      listOption(
        "--root <folder>",
        "folder it may ingest from, including subfolders; may be repeated (default: none)",
      ),
    )
    .addOption(kindOption().default("person"))
    .addHelpText("after", "\nExample:\n  ragctl principals add ada --department hr")
    .action(
      action(async (session, name: string, flags: SetFlags) => {
        const { permissions } = await session.app();
        const input = {
          name,
          kind: flags.kind ?? "person",
          departments: [...(flags.department ?? [])],
          roots: [...(flags.root ?? [])],
        };
        print(session, permissions.addPrincipal(input, session.run), "added ");
      }),
    );
}

function registerSet(principals: Command): void {
  principals
    .command("set")
    .description("change a principal's departments, folders or kind; anything you do not name is unchanged")
    .argument("<principal>", "name or id")
    .addOption(
      listOption(
        "--department <name>",
        "department it belongs to; may be repeated; replaces the existing departments",
      ),
    )
    .option("--no-departments", "remove it from all departments")
    .addOption(
      listOption(
        "--root <folder>",
        "folder it may ingest from; may be repeated; replaces the existing folders",
      ),
    )
    .option("--no-roots", "revoke ingesting from any folder")
    .addOption(kindOption())
    .addHelpText("after", "\nExample:\n  ragctl principals set ada --department hr --department finance")
    .action(
      action(async (session, reference: string, flags: SetFlags) => {
        const { permissions } = await session.app();
        print(session, permissions.setPrincipal(reference, changesOf(flags), session.run), "changed ");
      }),
    );
}

/** @throws USAGE_INVALID where the flags change nothing or exclude each other */
function changesOf(flags: SetFlags) {
  const changes = given({
    departments: wholeList("department", flags.department, flags.departments),
    roots: wholeList("root", flags.root, flags.roots),
    kind: flags.kind,
  });
  if (Object.keys(changes).length === 0)
    throw new RagctlError("USAGE_INVALID", "nothing to change", {
      hint: "pass --department, --no-departments, --root, --no-roots or --kind",
    });
  return changes;
}

/**
 * A list as its flags state it: what `--name` gave, none for `--no-names`, undefined where neither was given.
 */
function wholeList(
  name: string,
  values: readonly string[] | undefined,
  none: false | undefined,
): string[] | undefined {
  if (none !== false) return values && [...values];
  if (values === undefined) return [];
  throw new RagctlError("USAGE_INVALID", `--${name} cannot be combined with --no-${name}s`, {
    hint: "remove one of them",
  });
}

function print(session: Session, principal: AddedPrincipal, done: string): void {
  session.output.result({ text: `${done}${principalText(principal)}`, data: principalsShape([principal]) });
}

/** One line: `ada: person, hr, ingests from /srv/hr`. */
export function principalText({ name, kind, departments, roots = [], enabled }: AddedPrincipal): string {
  const from = kind === "owner" ? "everywhere" : roots.join(", ") || "nowhere";
  return `${name}: ${kind}, ${departments.join(", ") || "no department"}, ingests from ${from}${enabled ? "" : ", disabled"}`;
}

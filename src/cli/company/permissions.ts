import type { Command } from "commander";
import { Argument, Option } from "commander";
import type { ServeCopy } from "../../app/audit/served.ts";
import type { Explanation } from "../../app/owner/permissions.ts";
import { RagctlError } from "../../core/errors.ts";
import { type AccessLevel, accessLevels, type Grant, type Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import { decisionsShape, explanationShape, permissionsShape } from "../../shapes/permissions.ts";
import { declared } from "../commands.ts";
import { positiveInteger } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { timeOf } from "../shell/text.ts";
import { registerAudit } from "./audit.ts";
import { principalText } from "./principals.ts";
import { given } from "./registry-flags.ts";

interface RuleFlags {
  readonly department?: string;
  readonly principal?: string;
  readonly kind: Grant["resourceKind"];
  readonly instance?: Instance;
}

interface RevokeFlags extends RuleFlags {
  readonly denial?: boolean;
}

const kinds = ["collection", "agent", "tool", "room"] as const;

interface ExplainFlags extends Pick<RuleFlags, "instance"> {
  readonly kind: Resource["kind"];
  readonly agent?: string;
}

interface DecisionFlags {
  readonly principal?: string;
  readonly denied?: boolean;
  readonly limit: number;
}

/** `ragctl permissions …`: who may do what, why, and whether it holds. */
export function registerPermissions(
  program: Command,
  { serveCopy }: { readonly serveCopy: ServeCopy },
): void {
  const permissions = declared(program, "permissions");
  registerRule(permissions, "grant", {
    description: "grant a department or principal access to a resource",
    example: "ragctl permissions grant read hr_private_docs --department hr",
  });
  registerRule(permissions, "deny", {
    description: "deny a level of access and all levels above it; overrides grants",
    example: "ragctl permissions deny read hr_private_docs --principal ada",
  });
  registerRevoke(permissions);
  registerList(permissions);
  registerExplain(permissions);
  registerDecisions(permissions);
  registerAudit(permissions, serveCopy);
}

const levelArgument = (): Argument =>
  new Argument("<level>", "each level includes the previous ones").choices(accessLevels);

function subjectOptions(command: Command, [department, principal] = subjects): Command {
  return command
    .addOption(new Option("--department <name>", department).conflicts("principal"))
    .option("--principal <name>", principal);
}

/** What --department and --principal name where a rule is written. */
const subjects: readonly [string, string] = [
  "all principals and agents of this department",
  "this principal only",
];

function resourceOptions(command: Command, choices: readonly string[] = kinds): Command {
  return command
    .addOption(new Option("--kind <kind>", "kind of resource").choices(choices).default("collection"))
    .addOption(
      new Option(
        "--instance <instance>",
        "Milvus instance of the collection (default: its current one)",
      ).choices(["public", "private"]),
    );
}

function registerRule(
  permissions: Command,
  name: "grant" | "deny",
  { description, example }: { readonly description: string; readonly example: string },
): void {
  const command = permissions
    .command(name)
    .description(description)
    .addArgument(levelArgument())
    .argument("<resource>", "name, or * for all");
  resourceOptions(subjectOptions(command))
    .addHelpText("after", `\nExample:\n  ${example}`)
    .action(
      action(async (session, level: AccessLevel, resource: string, flags: RuleFlags) => {
        const { permissions } = await session.app();
        const { kind: resourceKind, instance } = flags;
        const effect = name === "grant" ? "allow" : "deny";
        const { rule, notes } = permissions.putRule(
          { ...subjectOf(flags), effect, level, resourceKind, resource, ...given({ instance }) },
          session.run,
        );
        for (const note of notes) session.output.note(`note: ${note}`);
        session.output.result({ text: ruleText(rule), data: permissionsShape([rule]) });
      }),
    );
}

function registerRevoke(permissions: Command): void {
  const command = permissions
    .command("revoke")
    .description("remove a grant, or with --denial a denial; takes effect with the next command")
    .argument("<rule>", "id of a rule, or the name of its resource");
  resourceOptions(subjectOptions(command))
    .option("--denial", "remove a denial instead of a grant")
    .addHelpText("after", "\nExample:\n  ragctl permissions revoke hr_private_docs --department hr")
    .action(
      action(async (session, reference: string, flags: RevokeFlags) => {
        const { permissions } = await session.app();
        const removed = permissions.removeRules(revokedBy(reference, flags), session.run);
        session.output.result({
          text: removed.map((rule) => `removed: ${ruleText(rule)}`).join("\n"),
          data: permissionsShape(removed),
        });
      }),
    );
}

/** The rules that `revoke` means: one by its id, or those of a subject about a resource. */
function revokedBy(reference: string, flags: RevokeFlags) {
  if (flags.department === undefined && flags.principal === undefined) return { id: reference };
  const { kind: resourceKind, instance, denial } = flags;
  const effect = denial === true ? ("deny" as const) : ("allow" as const);
  return { ...subjectOf(flags), effect, resourceKind, resource: reference, ...given({ instance }) };
}

function registerList(permissions: Command): void {
  const command = permissions
    .command("list")
    .description("list permission rules")
    .argument("[resource]", "only rules about this resource");
  subjectOptions(command, ["only rules about this department", "only rules about this principal"])
    .addOption(new Option("--kind <kind>", "only rules about this kind of resource").choices(kinds))
    .addHelpText("after", "\nExample:\n  ragctl permissions list --department finance")
    .action(
      action(async (session, resource: string | undefined, flags: Partial<RuleFlags>) => {
        const anyone = flags.department === undefined && flags.principal === undefined;
        const filter = {
          ...(anyone ? {} : subjectOf(flags)),
          ...given({ resourceKind: flags.kind, resource }),
        };
        const rules = (await session.app()).permissions.rules(filter, session.run);
        session.output.result({
          text: rulesText(rules, Object.keys(filter).length > 0),
          data: permissionsShape(rules),
        });
      }),
    );
}

function registerExplain(permissions: Command): void {
  const command = permissions
    .command("explain")
    .description("show whether a principal may do something, and which rule decided it")
    .argument("<principal>", "name or id")
    .addArgument(levelArgument())
    .argument("<resource>", "name of the resource; for --kind folder, a path to ingest");
  resourceOptions(command, [...kinds, "folder"])
    .option("--agent <name>", "agent acting for the principal")
    .addHelpText(
      "after",
      "\nExample:\n  ragctl permissions explain ada read finance_private_docs --agent 'HR Assistant'",
    )
    .action(
      action(
        async (session, principal: string, level: AccessLevel, resource: string, flags: ExplainFlags) => {
          const { instance, kind: resourceKind, agent = null } = flags;
          const request = {
            principal,
            action: level,
            resourceKind,
            resource,
            agent,
            ...given({ instance }),
          };
          const explanation = (await session.app()).permissions.explain(request, session.run);
          session.output.result({ text: explanationText(explanation), data: explanationShape(explanation) });
        },
      ),
    );
}

function registerDecisions(permissions: Command): void {
  permissions
    .command("decisions")
    .description("show recent access decisions, newest first")
    .option("--principal <name>", "only decisions about this principal")
    .option("--denied", "only denials")
    .option("-n, --limit <n>", "number of decisions to show", positiveInteger, 20)
    .addHelpText("after", "\nExample:\n  ragctl permissions decisions --principal ada --denied")
    .action(
      action(async (session, { principal, denied, limit }: DecisionFlags) => {
        const filter = {
          limit,
          ...given({ principal }),
          ...(denied === true ? { effect: "deny" as const } : {}),
        };
        const isFiltered = principal !== undefined || denied === true;
        const decisions = (await session.app()).permissions.decisions(filter, session.run);
        const rows = decisions.map((each) => [
          timeOf(each.decidedAt),
          each.principal,
          each.agent,
          each.action,
          `${each.resource.kind} ${each.resource.name}`,
          each.effect,
          each.rule,
        ]);
        const text =
          rows.length === 0
            ? isFiltered
              ? "no matching decisions"
              : "no decisions yet"
            : table(["when", "principal", "agent", "action", "resource", "effect", "rule"], rows);
        session.output.result({
          text,
          data: decisionsShape(decisions),
        });
      }),
    );
}

function subjectOf({ department, principal }: Partial<RuleFlags>) {
  if (department !== undefined) return { subjectKind: "department" as const, subject: department };
  if (principal !== undefined) return { subjectKind: "principal" as const, subject: principal };
  throw new RagctlError("USAGE_INVALID", "no department or principal given", {
    hint: "pass --department NAME or --principal NAME",
  });
}

/** `the department hr may read the collection x (private)`. */
function ruleText({ subjectKind, subject, effect, level, resourceKind, resource, instance }: Grant): string {
  const what = resource === "*" ? `every ${resourceKind}` : `the ${resourceKind} ${resource}`;
  return `the ${subjectKind} ${subject} ${effect === "allow" ? "may" : "may not"} ${level} ${what}${instance === "" ? "" : ` (${instance})`}`;
}

/** The rules as a table; `isFiltered`: there may be others. */
function rulesText(rules: readonly Grant[], isFiltered: boolean): string {
  if (rules.length === 0)
    return isFiltered
      ? "no matching rules; `ragctl permissions list` shows all"
      : "no rules: everyone can read public collections; the owner can do everything";
  const rows = rules.map(({ id, subjectKind, subject, effect, level, resourceKind, resource, instance }) => [
    subjectKind,
    subject,
    effect,
    level,
    resourceKind,
    resource,
    instance,
    id,
  ]);
  return table(["subject", "name", "effect", "level", "kind", "resource", "instance", "rule"], rows);
}

function explanationText({
  principal,
  agent,
  action: level,
  resource,
  exists,
  effect,
  rule,
  reason,
  grant,
}: Explanation): string {
  const through = agent === null ? "" : ` through the agent ${agent}`;
  const place =
    resource.instance === "" ? "" : ` (${resource.instance}${exists ? "" : ", does not exist yet"})`;
  return [
    `${effect}: ${principal.name}${through}, ${level} ${resource.kind} ${resource.name}${place}`,
    `rule: ${rule}`,
    `reason: ${reason}`,
    ...(grant === null ? [] : [`decided by: ${ruleText(grant)} (rule ${grant.id})`]),
    principalText(principal),
  ].join("\n");
}

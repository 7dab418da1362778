import type { Command } from "commander";
import { Argument, Option } from "commander";
import type { Explanation } from "../../app/owner/permissions.ts";
import { RagctlError } from "../../core/errors.ts";
import { type AccessLevel, accessLevels, type Grant, type Resource } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import {
  decisionShape,
  decisionsShape,
  explanationShape,
  permissionsShape,
  ruleShape,
} from "../shapes/permissions.ts";
import { positiveInteger } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { registerAudit } from "./audit.ts";
import { principalText } from "./principals.ts";

interface RuleFlags {
  readonly department?: string;
  readonly principal?: string;
  readonly kind: Grant["resourceKind"];
  readonly instance?: Instance;
}

const kinds = ["collection", "agent", "tool", "room"] as const;

interface ExplainFlags extends Pick<RuleFlags, "instance"> {
  readonly kind: Resource["kind"];
  readonly agent?: string;
}

/** `ragctl permissions …`: who may do what, why, and whether it holds. */
export function registerPermissions(program: Command): void {
  const permissions = program
    .command("permissions")
    .description("who may read, write and administer what; a denial beats every grant");
  const level = (): Argument =>
    new Argument("<level>", "each includes the ones before it").choices(accessLevels);
  const subjects = (command: Command): Command =>
    command
      .addOption(
        new Option("--department <name>", "everyone of this department, and its agents").conflicts(
          "principal",
        ),
      )
      .option("--principal <name>", "this principal alone");
  const resources = (command: Command, choices: readonly string[] = kinds): Command =>
    command
      .addOption(new Option("--kind <kind>", "what the resource is").choices(choices).default("collection"))
      .addOption(
        new Option(
          "--instance <instance>",
          "for a collection: where it is (default: where it is now)",
        ).choices(["public", "private"]),
      );

  for (const [name, effect, what, example] of [
    [
      "grant",
      "allow",
      "allow a department or a principal something",
      "ragctl permissions grant read hr_private_docs --department hr",
    ],
    [
      "deny",
      "deny",
      "deny something, and the levels above it, whatever is granted",
      "ragctl permissions deny read hr_private_docs --principal ada",
    ],
  ] as const) {
    resources(
      subjects(
        permissions
          .command(name)
          .description(what)
          .addArgument(level())
          .argument("<resource>", "name, or * for every one"),
      ),
    )
      .addHelpText("after", `\nExample:\n  ${example}`)
      .action(
        action(async (session, wanted: AccessLevel, resource: string, flags: RuleFlags) => {
          const { administration } = await session.app();
          const { kind: resourceKind, instance } = flags;
          const { rule, notes } = administration.putRule(
            {
              ...subjectOf(flags),
              effect,
              level: wanted,
              resourceKind,
              resource,
              ...(instance === undefined ? {} : { instance }),
            },
            session.run,
          );
          for (const note of notes) session.output.note(`note: ${note}`);
          session.output.result({ text: ruleText(rule), data: permissionsShape([rule]) });
        }),
      );
  }

  resources(
    subjects(
      permissions
        .command("revoke")
        .description("remove a grant, or with --denial a denial; it holds from the next command on")
        .argument("<rule>", "id of a rule, or the resource of one"),
    ),
  )
    .option("--denial", "remove a denial, not a grant")
    .addHelpText("after", "\nExample:\n  ragctl permissions revoke hr_private_docs --department hr")
    .action(
      action(async (session, reference: string, flags: RuleFlags & { readonly denial?: boolean }) => {
        const { administration } = await session.app();
        const named = flags.department !== undefined || flags.principal !== undefined;
        const { kind: resourceKind, instance } = flags;
        const effect = flags.denial === true ? ("deny" as const) : ("allow" as const);
        const removed = administration.removeRules(
          named
            ? {
                ...subjectOf(flags),
                effect,
                resourceKind,
                resource: reference,
                ...(instance === undefined ? {} : { instance }),
              }
            : { id: reference },
          session.run,
        );
        session.output.result({
          text: removed.map((rule) => `removed: ${ruleText(rule)}`).join("\n"),
          data: permissionsShape(removed),
        });
      }),
    );

  subjects(
    permissions
      .command("list")
      .description("list the rules")
      .argument("[resource]", "only those about this resource"),
  )
    .addOption(new Option("--kind <kind>", "only those about this kind").choices(kinds))
    .addHelpText("after", "\nExample:\n  ragctl permissions list --department finance")
    .action(
      action(async (session, resource: string | undefined, flags: Partial<RuleFlags>) => {
        const rules = (await session.app()).administration.rules(
          {
            ...(flags.department === undefined && flags.principal === undefined ? {} : subjectOf(flags)),
            ...(flags.kind === undefined ? {} : { resourceKind: flags.kind }),
            ...(resource === undefined ? {} : { resource }),
          },
          session.run,
        );
        session.output.result({
          text: rulesText(rules),
          data: permissionsShape(rules),
          lines: rules.map(ruleShape),
        });
      }),
    );

  resources(
    permissions
      .command("explain")
      .description("say whether a principal may do something, and the rule that decides")
      .argument("<principal>", "who asks")
      .addArgument(level())
      .argument("<resource>", "what is asked for; of the kind folder, a path to ingest"),
    [...kinds, "folder"],
  )
    .option("--agent <name>", "the agent that acts for the principal")
    .addHelpText(
      "after",
      "\nExample:\n  ragctl permissions explain ada read finance_private_docs --agent 'HR Assistant'",
    )
    .action(
      action(
        async (session, principal: string, wanted: AccessLevel, resource: string, flags: ExplainFlags) => {
          const { instance, kind: resourceKind, agent = null } = flags;
          const request = {
            principal,
            action: wanted,
            resourceKind,
            resource,
            agent,
            ...(instance === undefined ? {} : { instance }),
          };
          const explanation = (await session.app()).administration.explain(request, session.run);
          session.output.result({ text: explanationText(explanation), data: explanationShape(explanation) });
        },
      ),
    );

  permissions
    .command("decisions")
    .description("show what was decided lately, newest first")
    .option("--principal <name>", "only decisions about this principal")
    .option("--denied", "only denials")
    .option("-n, --limit <n>", "how many", positiveInteger, 20)
    .addHelpText("after", "\nExample:\n  ragctl permissions decisions --principal ada --denied")
    .action(
      action(
        async (
          session,
          flags: { readonly principal?: string; readonly denied?: boolean; readonly limit: number },
        ) => {
          const { principal, denied, limit } = flags;
          const filter = {
            limit,
            ...(principal === undefined ? {} : { principal }),
            ...(denied === true ? { effect: "deny" as const } : {}),
          };
          const decisions = (await session.app()).administration.decisions(filter, session.run);
          const rows = decisions.map((each) => [
            ...[
              each.decidedAt.slice(0, 19),
              each.principal,
              each.agent,
              each.action,
              `${each.resource.kind} ${each.resource.name}`,
            ],
            ...[each.effect, each.rule],
          ]);
          const text =
            rows.length === 0
              ? "no decisions yet"
              : table(["when", "principal", "agent", "action", "resource", "effect", "rule"], rows);
          session.output.result({
            text,
            data: decisionsShape(decisions),
            lines: decisions.map(decisionShape),
          });
        },
      ),
    );

  registerAudit(permissions);
}

function subjectOf({ department, principal }: Partial<RuleFlags>) {
  if (department !== undefined) return { subjectKind: "department" as const, subject: department };
  if (principal !== undefined) return { subjectKind: "principal" as const, subject: principal };
  throw new RagctlError("USAGE_INVALID", "whom the rule is about is not named", {
    hint: "add --department NAME or --principal NAME",
  });
}

/** `the department hr may read the collection x (private)`. */
function ruleText({ subjectKind, subject, effect, level, resourceKind, resource, instance }: Grant): string {
  const what = resource === "*" ? `every ${resourceKind}` : `the ${resourceKind} ${resource}`;
  return `the ${subjectKind} ${subject} ${effect === "allow" ? "may" : "may not"} ${level} ${what}${instance === "" ? "" : ` (${instance})`}`;
}

function rulesText(rules: readonly Grant[]): string {
  if (rules.length === 0) return "no rules: everyone may read what is public, the owner everything";
  const rows = rules.map(({ id, subjectKind, subject, effect, level, resourceKind, resource, instance }) => [
    ...[subjectKind, subject, effect, level, resourceKind, resource, instance, id],
  ]);
  return table(["subject", "name", "effect", "level", "kind", "resource", "instance", "rule"], rows);
}

function explanationText({
  principal,
  agent,
  action: wanted,
  resource,
  exists,
  effect,
  rule,
  reason,
  grant,
}: Explanation): string {
  const through = agent === null ? "" : ` through the agent ${agent}`;
  const place = resource.instance === "" ? "" : ` (${resource.instance}${exists ? "" : ", not there yet"})`;
  return [
    `${effect}: ${principal.name}${through}, ${wanted} ${resource.kind} ${resource.name}${place}`,
    `rule: ${rule}`,
    `reason: ${reason}`,
    ...(grant === null ? [] : [`decided by: ${ruleText(grant)} (rule ${grant.id})`]),
    principalText(principal),
  ].join("\n");
}

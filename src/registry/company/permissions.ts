import { RagctlError } from "../../core/errors.ts";
import { accessLevels, type Grant } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { parseRow } from "../rows.ts";
import { roomName, rowName, strictRow, word } from "./definitions.ts";
import { createRowRepository, type Repository } from "./repository.ts";
import { defineRow } from "./row.ts";

export type { AccessLevel, Grant } from "../../core/permission.ts";

/** Who may, or may not, do what with what: one rule for its effect, subject and resource. */
const ruleRow = defineRow({
  name: "rule",
  table: "permissions",
  schema: strictRow({
    subjectKind: z.enum(["department", "principal"]),
    subject: rowName,
    effect: z.enum(["allow", "deny"]),
    level: z.enum(accessLevels).default("read"),
    resource: z.union([roomName, z.literal("*")], "a name is required, or * for all"),
    resourceKind: z.enum(["collection", "agent", "tool", "room"]).default("collection"),
    instance: z.enum(["", "public", "private"]).default(""),
  })
    .refine(({ subjectKind, subject }) => subjectKind === "principal" || word.safeParse(subject).success, {
      path: ["subject"],
      message: "a department has lowercase letters, digits and underscores, and starts with a letter",
    })
    .refine(({ resourceKind, instance }) => resourceKind === "collection" || instance === "", {
      path: ["instance"],
      message: "only collections have an instance",
    }),
  key: ["id"],
  json: {},
  order: "subject_kind, lower(subject), resource_kind, instance, lower(resource), effect",
  what: { added: "the rule", changed: "the rule" },
});

/** Fields of a rule as an operator states them. */
export type RuleInput = z.input<typeof ruleRow.schema>;

/** Selects rules; an absent member matches any. */
export type RuleFilter = Partial<
  Pick<Grant, "subjectKind" | "subject" | "effect" | "resourceKind" | "resource" | "instance">
>;

/** By subject and resource. */
export interface Permissions extends Pick<Repository<typeof ruleRow>, "list" | "items" | "insertIfAbsent"> {
  /** By id. @throws NOT_FOUND */
  get(id: string): Promise<Grant>;
  /**
   * Writes a rule; the level of one of the same effect, subject and resource is replaced. @throws
   * USAGE_INVALID naming the field
   */
  put(rule: RuleInput): Promise<Grant>;
  /** Removes the rules that fit. @throws NOT_FOUND when none does */
  remove(filter: RuleFilter | { readonly id: string }): Promise<readonly Grant[]>;
}

/** Access to the rules of a registry. */
export function createPermissionRepository(database: Database): Permissions {
  const rows = createRowRepository(database, ruleRow);
  const { list, items, insertIfAbsent } = rows;
  const get = async (id: string): Promise<Grant> => {
    const grant = await rows.find(id);
    if (grant !== undefined) return grant;
    throw noRule();
  };
  return {
    list,
    items,
    insertIfAbsent,
    get,
    put: (input) =>
      database.write(async () => {
        const isNew = await insertIfAbsent(input);
        const { level, ...which } = parseRow(ruleRow.schema, input, "the rule");
        const [grant] = await list(which);
        if (grant === undefined) throw noRule();
        return isNew ? grant : await rows.set(grant.id, { level });
      }),
    remove: (filter) =>
      database.write(async () => {
        const grants = "id" in filter ? [await get(filter.id)] : await list(filter);
        if (grants.length === 0) throw noRule();
        for (const { id } of grants) await rows.remove(id);
        return grants;
      }),
  };
}

function noRule(): RagctlError {
  return new RagctlError("NOT_FOUND", "no such rule", {
    hint: "`ragctl permissions list` shows every rule with its id",
  });
}

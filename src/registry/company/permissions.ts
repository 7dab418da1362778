import { randomUUID } from "node:crypto";
import { RagctlError } from "../../core/errors.ts";
import { type AccessLevel, accessLevels, type Grant } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { parseRow } from "../rows.ts";
import { roomName, rowName, strictRow, word } from "./definitions.ts";

export type { AccessLevel, Grant } from "../../core/permission.ts";

const everyOne = z.literal("*");

const ruleFields = {
  subjectKind: z.enum(["department", "principal"]),
  subject: rowName,
  effect: z.enum(["allow", "deny"]),
  level: z.enum(accessLevels).default("read"),
  resource: z.union([roomName, everyOne], "a name is required, or * for all"),
  resourceKind: z.enum(["collection", "agent", "tool", "room"]).default("collection"),
  instance: z.enum(["", "public", "private"]).default(""),
};

const rule = strictRow(ruleFields)
  .refine(({ subjectKind, subject }) => subjectKind === "principal" || word.safeParse(subject).success, {
    path: ["subject"],
    message: "a department has lowercase letters, digits and underscores, and starts with a letter",
  })
  .refine(({ resourceKind, instance }) => resourceKind === "collection" || instance === "", {
    path: ["instance"],
    message: "only collections have an instance",
  });

/** Fields of a rule as an operator states them. */
export type RuleInput = z.input<typeof rule>;

/** Selects rules; an absent member matches any. */
export type RuleFilter = Partial<
  Pick<Grant, "subjectKind" | "subject" | "effect" | "resourceKind" | "resource" | "instance">
>;

export interface Permissions {
  /** By subject and resource. */
  list(filter?: RuleFilter): readonly Grant[];
  /** By id. @throws NOT_FOUND */
  get(id: string): Grant;
  /**
   * Writes a rule; the level of one of the same effect, subject and resource is replaced. @throws
   * USAGE_INVALID naming the field
   */
  put(rule: RuleInput): Grant;
  /** Removes the rules that fit. @throws NOT_FOUND when none does */
  remove(filter: RuleFilter | { readonly id: string }): readonly Grant[];
  /** Adds a department's grant of a collection unless it has one, of any level; true when it was added. */
  insertIfAbsent(grant: {
    readonly department: string;
    readonly collection: string;
    readonly instance: Instance;
    readonly level: AccessLevel;
  }): boolean;
  /**
   * Adds a rule unless one of the same effect, subject and resource is there, of any level; true when it was
   * added.
   */
  addIfAbsent(rule: RuleInput): boolean;
}

const columns = `id, subject_kind AS subjectKind, subject, effect, resource_kind AS resourceKind, resource, instance, level, created_at AS createdAt`;
const fitting = `(:subjectKind IS NULL OR subject_kind = :subjectKind) AND (:subject IS NULL OR lower(subject) = lower(:subject))
  AND (:effect IS NULL OR effect = :effect) AND (:resourceKind IS NULL OR resource_kind = :resourceKind)
  AND (:resource IS NULL OR lower(resource) = lower(:resource)) AND (:instance IS NULL OR instance = :instance)`;
const open = {
  subjectKind: null,
  subject: null,
  effect: null,
  resourceKind: null,
  resource: null,
  instance: null,
};

/** Access to the rules of a registry: who may, or may not, do what with what. */
export function createPermissionRepository(
  database: Database,
  now: () => Date = () => new Date(),
): Permissions {
  const list = (filter: RuleFilter = {}): readonly Grant[] => {
    const rows = database.statement<Grant>(
      `SELECT ${columns} FROM permissions WHERE ${fitting} ORDER BY subject_kind, lower(subject), resource_kind, instance, lower(resource), effect`,
    );
    return database.read(() => rows.all({ ...open, ...filter }));
  };
  const get = (id: string): Grant => {
    const grant = database.read(() =>
      database.statement<Grant>(`SELECT ${columns} FROM permissions WHERE id = ?`).get(id),
    );
    if (grant === undefined) throw noRule();
    return grant;
  };
  const insert = (input: RuleInput): boolean => {
    const values = { id: randomUUID(), ...parseRow(rule, input, "the rule"), createdAt: now().toISOString() };
    const { changes } = database
      .statement(
        `INSERT INTO permissions (id, subject_kind, subject, effect, resource_kind, resource, instance, level, created_at)
         VALUES (:id, :subjectKind, :subject, :effect, :resourceKind, :resource, :instance, :level, :createdAt) ON CONFLICT DO NOTHING`,
      )
      .run(values);
    return changes > 0;
  };
  const put = (input: RuleInput): Grant => {
    const { level, ...which } = parseRow(rule, input, "the rule");
    if (!insert(input))
      database.statement(`UPDATE permissions SET level = :level WHERE ${fitting}`).run({ ...which, level });
    const [grant] = list(which);
    if (grant === undefined) throw noRule();
    return grant;
  };
  const addIfAbsent = (input: RuleInput): boolean => database.write(() => insert(input));
  return {
    list,
    get,
    put: (input) => database.write(() => put(input)),
    remove: (filter) =>
      database.write(() => {
        const grants = "id" in filter ? [get(filter.id)] : list(filter);
        if (grants.length === 0) throw noRule();
        for (const { id } of grants) database.statement("DELETE FROM permissions WHERE id = ?").run(id);
        return grants;
      }),
    insertIfAbsent: ({ department, collection, instance, level }) =>
      addIfAbsent({
        subjectKind: "department",
        subject: department,
        effect: "allow",
        resourceKind: "collection",
        resource: collection,
        instance,
        level,
      }),
    addIfAbsent,
  };
}

function noRule(): RagctlError {
  return new RagctlError("NOT_FOUND", "no such rule", {
    hint: "`ragctl permissions list` shows every rule with its id",
  });
}

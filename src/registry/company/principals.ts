import { RagctlError } from "../../core/errors.ts";
import type { Principal } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { rootList, rowName, strictRow, word } from "./definitions.ts";
import { createRowRepository, type RowRepository } from "./repository.ts";
import { defineRow } from "./row.ts";

/** A principal as the registry keeps it. */
export interface PrincipalRecord extends Principal {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly roots: readonly string[];
}

/** Departments, each once. */
export const departmentsOf = (department: typeof word) =>
  z
    .array(department)
    .max(100, "at most 100")
    .transform((names) => [...new Set(names)].sort())
    .default([]);

/** Fields of a principal as an operator states them. */
export const principalSchema = strictRow({
  name: rowName,
  kind: z.enum(["person", "service"]).default("person"),
  enabled: z.boolean().default(true),
  departments: departmentsOf(word),
  roots: rootList.default([]),
});

/** Who asks. Anything older than a principal is not its own. */
const principalRow = defineRow({
  name: "principal",
  table: "principals",
  schema: principalSchema,
  key: ["name"],
  json: { roots: { schema: rootList, repair: "--root FOLDER" } },
  words: { departments: { table: "principal_departments", owner: "principal_id", word: "department" } },
  order: "kind <> 'owner', lower(name)",
  rules: "subject",
  what: { added: "the principal", changed: "the change" },
  hint: (names) =>
    `principals: ${names.slice(0, 20).join(", ")}; to add one: \`ragctl principals add NAME --department D\``,
  /** The owner can be given departments only. */
  settled(next, _, before) {
    if (before?.("kind") !== "owner") return next;
    const name = String(before("name"));
    if (next.kind !== undefined || next.enabled === false) throw ownerStays(name);
    if (next.roots !== undefined && next.roots.length > 0) throw ownerEverywhere(name);
    return next;
  },
});

/** Fields of a new principal; the registry makes id and time. */
export type PrincipalInput = z.input<typeof principalSchema>;
/** Fields to change; absent ones are unchanged. */
export type PrincipalChanges = Partial<Omit<PrincipalInput, "name">>;

type Rows = RowRepository<
  PrincipalRecord,
  PrincipalInput,
  PrincipalChanges,
  z.output<typeof principalSchema>
>;

/** By name, the owner first; it can be given departments only. */
export interface Principals extends Omit<Rows, "remove"> {
  /** Removes it with the rules about it. @throws NOT_FOUND, USAGE_INVALID for the owner */
  remove(reference: string): Promise<PrincipalRecord>;
}

/** Access to the principals of a registry. */
export function createPrincipalRepository(database: Database): Principals {
  const rows: Rows = createRowRepository(database, principalRow);
  return {
    ...rows,
    remove: (reference) =>
      database.write(async () => {
        const principal = await rows.get(reference);
        if (principal.kind === "owner") throw ownerStays(principal.name);
        await rows.remove(reference);
        return principal;
      }),
  };
}

function ownerEverywhere(name: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `${name} may already ingest from every folder except ragctl's own home`,
    { hint: "assign folders to other principals" },
  );
}

function ownerStays(name: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `${name} is the owner of this home and cannot be disabled, removed or given another kind`,
    { hint: "to limit its access, add a denial: ragctl permissions deny read COLLECTION --principal owner" },
  );
}

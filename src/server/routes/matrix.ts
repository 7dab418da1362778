import { accessLevels } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import { schemaVersion } from "../../shapes/shape.ts";
import { type Endpoint, endpoint, withTag } from "../define-route.ts";
import { json } from "../reply.ts";

const level = z.enum(accessLevels);

/** Principals of one answer; who has more names those of interest. */
const mostPrincipals = 500;

/** `GET /v1/permissions/matrix`. */
export const matrixSchema = z.object({
  schema_version: z.literal(schemaVersion),
  action: level,
  collections: z.array(z.string()),
  principals: z.array(
    z.object({
      name: z.string(),
      departments: z.array(z.string()),
      effects: z.array(z.enum(["allow", "deny"])).describe("One entry per collection, in the same order."),
    }),
  ),
});

/** Who may do what with every collection at once; a cell is explained by its own route. */
export const matrix: readonly Endpoint[] = withTag("Principals and permissions", [
  endpoint(
    "GET /v1/permissions/matrix",
    "Show who may read, write or administer which collections",
    {
      query: z.strictObject({
        action: level.default("read"),
        limit: z.coerce.number().int().min(1).max(mostPrincipals).default(100),
        offset: z.coerce.number().int().min(0).default(0),
      }),
      answers: { 200: { description: "The matrix", schema: matrixSchema } },
    },
    async ({ query: { action, limit, offset } }, { server: { app }, run }) => {
      const { collections, principals } = await app.permissions.matrix(action, offset, limit, run);
      const rows = principals.map(({ name, departments, effects }) => ({ name, departments, effects }));
      return json({ schema_version: schemaVersion, action, collections, principals: rows });
    },
  ),
]);

import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "../../src/core/schema.ts";
import { openApi } from "../../src/server/openapi.ts";
import { listEndpoints } from "../../src/server/route-list.ts";

const media = z.looseObject({
  schema: z.unknown().optional(),
  "x-events": z.record(z.string(), z.unknown()).optional(),
});
const operation = z.looseObject({
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), media).optional() })),
});

/** The description as a reader of /openapi.json gets it. */
export const description: Record<string, unknown> = JSON.parse(
  JSON.stringify(openApi(listEndpoints(false), "0.0.0", "ragctl_session_7070")),
);

const { paths } = z
  .looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) })
  .parse(description);

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ ...description, $id: "http://openapi.test/" });

/** Every route, as `GET /v1/documents`. */
export const routes: readonly string[] = Object.entries(paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
);

const pointer = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1");

function check(at: readonly string[], value: unknown, what: string): void {
  const validate = ajv.getSchema(
    `http://openapi.test/#/${at.map(pointer).map(encodeURIComponent).join("/")}`,
  );
  assert.ok(validate, `nothing is described at ${at.join(" ")}`);
  const problems = validate(value) === true ? [] : (validate.errors ?? []);
  assert.deepEqual(
    problems.map(({ instancePath, message }) => `${instancePath} ${message}`),
    [],
    what,
  );
}

/** The described path that a request is of; undefined for one that is not described. */
function pathOf(pathname: string): string | undefined {
  return Object.keys(paths)
    .filter((path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname))
    .toSorted((one, two) => one.split("{").length - two.split("{").length)[0];
}

/** Checks that a response is one of those that are described; its route, undefined where there is none. */
export async function checkDescribed(
  method: string,
  pathname: string,
  response: Response,
): Promise<string | undefined> {
  const path = pathOf(pathname);
  const described = path === undefined ? undefined : paths[path]?.[method.toLowerCase()];
  if (path === undefined || described === undefined) return undefined;
  const what = `${method} ${pathname} ${response.status}`;
  const status = String(response.status) in described.responses ? String(response.status) : "default";
  assert.ok(status !== "default" || response.status >= 400, `${what} is not described`);
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const content = described.responses[status]?.content ?? {};
  const at = ["paths", path, method.toLowerCase(), "responses", status, "content", type];
  if ([204, 304, 416].includes(response.status)) return `${method} ${path}`;
  assert.ok(type in content || "application/octet-stream" in content, `${what}: ${type} is not described`);
  if (type === "application/json") check([...at, "schema"], await response.json(), what);
  if (type === "text/event-stream")
    for (const block of (await response.text()).split("\n\n")) {
      const name = /^event: (.+)$/m.exec(block)?.[1];
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (name !== undefined && data !== undefined)
        check([...at, "x-events", name], JSON.parse(data), `${what} ${name}`);
    }
  return `${method} ${path}`;
}

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createToolRepository } from "../../../src/registry/company/tools.ts";
import { exportRegistry, importRegistry } from "../../../src/registry/exchange/exchange.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace } from "../support.ts";

async function tools(context: TestContext) {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  return { database, tools: createToolRepository(database) };
}
const endpoint = (more: Record<string, string | Record<string, string>>) => ({
  endpoints: [{ name: "e", description: "d", url: "https://h.example/v1", ...more }],
});

test("a database's address with a password is refused, and the variable for the whole address named", async (context) => {
  const { database, tools: rows } = await tools(context);
  for (const url of [
    "postgresql://reader:pgpassw0rd@db/plant",
    "postgres://reader:p@ss@db/plant",
    "postgresql://:p@db/plant",
    "postgresql://reader:p/w@db/plant",
    "postgresql://reader@db/plant?password=pgpassw0rd",
    "postgresql://reader@db/plant?sslpassword=x",
  ]) {
    const tool = { name: "PG", type: "database_query", config: { url } } as const;
    await assert.rejects(() => rows.add(tool), { code: "USAGE_INVALID", message: /url_secret/ }, url);
    await assert.rejects(
      () => importRegistry(database, JSON.stringify({ version: 1, tools: [tool] }), { name: "r" }),
      { message: /url_secret/ },
      url,
    );
  }
  for (const url of ["postgresql://reader@db:5432/plant?sslmode=require", "postgres://db/plant"])
    await rows.add({ name: url, type: "database_query", config: { url } });
  await rows.add({ name: "S", type: "database_query", config: { url_secret: "PG_URL" } });
  assert.ok(!(await exportRegistry(database)).includes("pgpassw0rd"));
});

test("a key that stands in an endpoint itself is refused, one that is named passes", async (context) => {
  const { tools: rows } = await tools(context);
  const add = (config: ReturnType<typeof endpoint>) =>
    rows.add({ name: `t${Math.random()}`, type: "api_call", config });
  for (const headers of [
    { Authorization: "Bearer sk-LIVE-abc" },
    { authorization: "sk-LIVE-abc" },
    { "X-Api-Key": "k" },
    { "x-auth-token": "t" },
    { Cookie: "session=1" },
    { "x-other": "Bearer abc" },
    { "private-token": "glpat-1" },
  ])
    await assert.rejects(
      () => add(endpoint({ headers })),
      { code: "USAGE_INVALID", message: /\{secret:NAME\}/ },
      JSON.stringify(headers),
    );
  for (const url of [
    "https://u:p@h.example/v1",
    "https://u@h.example/v1",
    "https://h.example/v1?api_key=abc",
    "https://h.example/v1?q={q}&access_token=abc",
    "https://h.example/v1?key=AIzaSyA1234567890",
    "https://h.example/v1?TOKEN=a",
    "https://h.example/{secret:K}/v1",
  ])
    await assert.rejects(() => add(endpoint({ url })), { code: "USAGE_INVALID", message: /url: / }, url);
  await add(
    endpoint({
      headers: {
        authorization: "Bearer {secret:K}",
        "x-api-key": "{secret:K}",
        accept: "application/json",
        "x-tokens": "3",
      },
    }),
  );
  for (const url of [
    "https://h.example/{id}?key=title&q={q}",
    "https://h.example/v1?api_key={secret:K}",
    "https://h.example/v1?token={token}",
    "https://h.example/%zz?a=%zz",
  ])
    await add(endpoint({ url }));
  const search = (endpoint: string) =>
    rows.add({ name: `w${Math.random()}`, type: "web_search", config: { endpoint } });
  await assert.rejects(() => search("https://s.example/search?format=json&api_key=abc"), {
    code: "USAGE_INVALID",
    message: /endpoint: /,
  });
  await assert.rejects(() => search("https://u:p@s.example/search"), {
    code: "USAGE_INVALID",
    message: /endpoint: /,
  });
  await search("https://s.example/search?format=json");
  await search("");
});

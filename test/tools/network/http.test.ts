import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it, test } from "node:test";
import { toolConfigSchemas } from "../../../src/registry/company/tool-config.ts";
import { type Lookup, privateRange } from "../../../src/tools/network/address.ts";
import openApi, { filledUrl } from "../../../src/tools/network/api-call.ts";
import { guardedFetch, type HttpRules } from "../../../src/tools/network/http.ts";
import openSearch from "../../../src/tools/network/web-search.ts";
import { callOf, drivers, run } from "../support.ts";

const { signal } = new AbortController();
let server: Server;
let port = 0;
const seen: { url: string; headers: Record<string, unknown>; body: string }[] = [];

const routes: Record<string, RequestListener> = {
  "/json": (_, response) => void response.setHeader("content-type", "application/json").end('{"ok":true}'),
  "/loop": (_, response) => void response.writeHead(302, { location: "/loop" }).end(),
  "/to-json": (_, response) => void response.writeHead(302, { location: "/json" }).end(),
  "/to-loopback": (_, response) =>
    void response.writeHead(302, { location: `http://127.0.0.1:${port}/json` }).end(),
  "/to-metadata": (_, response) =>
    void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  "/to-other": (_, response) =>
    void response.writeHead(307, { location: `http://other.test:${port}/json` }).end(),
  "/to-file": (_, response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/slow": () => undefined,
  "/drip": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const timer = setInterval(() => response.write("x"), 50);
    response.on("close", () => clearInterval(timer));
  },
  "/flood": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  },
  "/image": (_, response) => void response.setHeader("content-type", "image/png").end("PNG"),
  "/malformed": (_, response) => void response.setHeader("content-type", "application/json").end('{"ok":'),
  "/fail": (_, response) => void response.writeHead(500, { "content-type": "text/plain" }).end("no"),
  "/search": (_, response) =>
    void response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        results: [
          { title: "<b>One</b>\u202e", url: "https://a.test/1", content: "first <script>x</script>" },
          { title: "Two", url: "https://a.test/2" },
        ],
      }),
    ),
};

before(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      seen.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(parts).toString() });
      const route = routes[(request.url ?? "").split("?")[0] ?? ""] ?? routes["/json"];
      route?.(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens has an address with a port.
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const toHere: Lookup = async () => [{ address: "127.0.0.1", family: 4 }];
const rules = (parts: Partial<HttpRules> = {}): HttpRules => ({
  hosts: [`api.test:${port}`],
  allowPrivate: true,
  timeoutMs: 3000,
  maxBytes: 100_000,
  lookup: toHere,
  ...parts,
});
const get = (
  path: string,
  parts: Partial<HttpRules> = {},
  host = "api.test",
  headers: Record<string, string> = {},
) => guardedFetch({ url: `http://${host}:${port}${path}`, method: "GET", headers }, rules(parts), signal);

describe("an address", () => {
  it("is public only when it is plainly so", () => {
    for (const address of ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
      assert.equal(privateRange(address), null, address);
    for (const address of [
      "127.0.0.1",
      "10.1.2.3",
      "172.16.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "224.0.0.1",
      "255.255.255.255",
      "::1",
      "::",
      "fe80::1",
      "fc00::1",
      "ff02::1",
      "::ffff:127.0.0.1",
      "::ffff:10.0.0.1",
      "64:ff9b::7f00:1",
      "2002:7f00:1::",
      new URL("http://[::127.0.0.1]").hostname.slice(1, -1),
      "not an address",
    ]) {
      assert.notEqual(privateRange(address), null, address);
    }
  });
});

describe("a guarded request", () => {
  it("asks an allowed host at its checked address, and follows redirects within it", async () => {
    assert.equal((await get("/json")).text, '{"ok":true}');
    assert.equal((await get("/to-json")).url, `http://api.test:${port}/json`);
  });

  it("refuses hosts that are not listed, other protocols and names in addresses", async () => {
    await assert.rejects(get("/json", {}, "evil.test"), {
      code: "TOOL_REFUSED",
      message: /not an allowed host/,
    });
    await assert.rejects(get("/json", {}, "api.test.evil.test"), { code: "TOOL_REFUSED" });
    for (const url of [
      "file:///etc/passwd",
      "ftp://api.test/",
      `http://user:pw@api.test:${port}/`,
      "http://api.test@evil.test/",
    ]) {
      await assert.rejects(
        guardedFetch({ url, method: "GET", headers: {} }, rules(), signal),
        { code: "TOOL_REFUSED" },
        url,
      );
    }
    await assert.rejects(guardedFetch({ url: "nonsense", method: "GET", headers: {} }, rules(), signal), {
      code: "TOOL_INVALID",
    });
  });

  it("refuses private addresses, by name, by number and in every spelling", async () => {
    const before = seen.length;
    await assert.rejects(get("/json", { allowPrivate: false }), {
      code: "TOOL_REFUSED",
      message: /127\.0\.0\.1 \(loopback\)/,
    });
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "127.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
    ]) {
      const hosts = [new URL(`http://${host}:${port}`).host];
      await assert.rejects(
        get("/json", { allowPrivate: false, hosts }, host),
        { code: "TOOL_REFUSED", message: /not on the public internet/ },
        host,
      );
    }
    const mixed: Lookup = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ];
    await assert.rejects(get("/json", { allowPrivate: false, lookup: mixed }), { code: "TOOL_REFUSED" });
    assert.equal(seen.length, before);
  });

  it("connects to the address that was checked when the name answers differently the next time", async () => {
    let calls = 0;
    // Nothing listens at the first address; this server listens at the second.
    const rebinding: Lookup = async () => {
      calls += 1;
      return [{ address: calls === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
    };
    const before = seen.length;
    await assert.rejects(get("/json", { lookup: rebinding, timeoutMs: 2000 }), (error) =>
      /^TOOL_(TIMEOUT|FAILED)$/.test(String(Object(error).code)),
    );
    assert.equal(calls, 1, "the name is resolved once for a connection");
    assert.equal(seen.length, before, "nothing reached the second address");
  });

  it("checks every redirect again: other hosts, loopback, metadata, files, and ends a loop", async () => {
    for (const path of ["/to-loopback", "/to-metadata", "/to-other", "/to-file"])
      await assert.rejects(get(path), { code: "TOOL_REFUSED" }, path);
    await assert.rejects(get("/loop"), { code: "TOOL_FAILED", message: /redirected more than 3/ });
    const turning: Lookup = async () => [{ address: "10.0.0.1", family: 4 }];
    await assert.rejects(
      get("/to-other", {
        hosts: [`api.test:${port}`, `other.test:${port}`],
        lookup: turning,
        allowPrivate: false,
      }),
      {
        code: "TOOL_REFUSED",
      },
    );
  });

  it("does not take the tool's headers to another host", async () => {
    await get("/to-other", { hosts: [`api.test:${port}`, `other.test:${port}`] }, "api.test", {
      authorization: "Bearer secret",
    });
    assert.equal(seen.at(-2)?.headers["authorization"], "Bearer secret");
    assert.equal(seen.at(-1)?.headers["authorization"], undefined);
  });

  it("ends what is slow, endless or no text", async () => {
    await assert.rejects(get("/slow", { timeoutMs: 200 }), { code: "TOOL_TIMEOUT", message: /api\.test/ });
    await assert.rejects(get("/drip", { timeoutMs: 300 }), { code: "TOOL_TIMEOUT" });
    await assert.rejects(get("/flood"), { code: "TOOL_FAILED", message: /more than 100000 bytes/ });
    await assert.rejects(get("/image"), { code: "TOOL_FAILED", message: /image\/png/ });
    await assert.rejects(get("/json", { lookup: () => new Promise(() => {}), timeoutMs: 200 }), {
      code: "TOOL_TIMEOUT",
    });
    await assert.rejects(get("/json", { lookup: () => Promise.reject(new Error("ENOTFOUND")) }), {
      code: "TOOL_FAILED",
      message: /resolved/,
    });
  });

  it("does not wait for a name when the run has ended before", async () => {
    const stopped = new Error("stopped");
    const endless = rules({ lookup: () => new Promise(() => {}), timeoutMs: 500 });
    const asked = { url: `http://api.test:${port}/json`, method: "GET", headers: {} } as const;
    await assert.rejects(guardedFetch(asked, endless, AbortSignal.abort(stopped)), stopped);
  });
});

const row = (type: "api_call" | "web_search", config: Record<string, unknown>) => ({
  name: "Orders",
  type,
  config,
  permissions: {},
});
const endpoints = (url: string, more: Record<string, unknown> = {}) => ({
  allowed_hosts: ["api.test", `api.test:${port}`],
  allow_private: true,
  timeout_ms: 1000,
  endpoints: [
    {
      name: "order",
      description: "Looks up an order.",
      url,
      parameters: {
        type: "object",
        properties: { id: { type: "string" }, page: { type: "integer" } },
        required: ["id"],
        additionalProperties: false,
      },
      ...more,
    },
  ],
});

const withKey = drivers({ secret: (name) => (name === "KEY" ? "s3&cret" : undefined) });

test("a list of hosts binds every tool alike, and a row that it does not fit is refused when it is written", async () => {
  const at = (host: string) => `http://${host}:${port}/search`;
  const search = async (allowed_hosts?: readonly string[]) => {
    const config = { endpoint: at("api.test"), allow_private: true, ...(allowed_hosts && { allowed_hosts }) };
    await using tool = await openSearch(row("web_search", config), drivers(), toHere);
    return tool.call(callOf("Web", "web_search", { query: "x" }), "?", run());
  };
  const order = async (allowed_hosts?: readonly string[]) => {
    const { allowed_hosts: _, ...config } = endpoints(at("api.test"));
    await using tool = await openApi(
      row("api_call", { ...config, ...(allowed_hosts && { allowed_hosts }) }),
      drivers(),
      toHere,
    );
    return tool.call(callOf("Orders", "api_call", { endpoint: "order", id: "1" }), "?", run());
  };
  for (const ask of [search, order]) {
    await ask();
    await ask([`API.test:${port}`]);
    await assert.rejects(ask(["other.test"]), { code: "TOOL_REFUSED" });
  }
  const writes = (type: "api_call" | "web_search", config: object) =>
    toolConfigSchemas[type].safeParse(config).success;
  const endpoint = { name: "order", description: "Orders.", url: "https://api.test/x" };
  for (const [fits, allowed_hosts] of [
    [true, ["api.test"]],
    [true, ["other.test", "API.TEST:443"]],
    [false, ["other.test"]],
    [false, ["api.test:8443"]],
    [false, ["api.test", "https://api.test/"]],
    [false, ["api.test", "*.test"]],
    [false, ["api.test", "api.test/x"]],
    [false, ["api.test", "a b"]],
  ] as const) {
    assert.equal(writes("api_call", { endpoints: [endpoint], allowed_hosts }), fits, allowed_hosts.join());
    assert.equal(writes("web_search", { endpoint: endpoint.url, allowed_hosts }), fits, allowed_hosts.join());
  }
});

describe("an API call", () => {
  it("fills a secret into the query, which no argument can name and no result shows", async () => {
    const config = endpoints(`http://api.test:${port}/orders/{id}?api_key={secret:KEY}`);
    await using tool = await openApi(row("api_call", config), withKey, toHere);
    const { data, findings } = await tool.call(
      callOf("Orders", "api_call", { endpoint: "order", id: "{secret:KEY}" }),
      "?",
      run(),
    );
    assert.equal(seen.at(-1)?.url, "/orders/%7Bsecret%3AKEY%7D?api_key=s3%26cret");
    assert.ok(!/s3/.test(JSON.stringify([data, findings])));
  });

  it("fills the declared address, encodes arguments and sends the operator's headers", async () => {
    const config = endpoints(`http://api.test:${port}/orders/{id}`, {
      headers: { Authorization: "Bearer {secret:KEY}" },
    });
    await using tool = await openApi(
      row("api_call", config),
      drivers({ secret: (name) => (name === "KEY" ? "s3cret" : undefined) }),
      toHere,
    );
    const { data, findings } = await tool.call(
      callOf("Orders", "api_call", { endpoint: "order", id: '1" or 1==1/../..?x=#', page: 2 }),
      "?",
      run(),
    );
    assert.deepEqual(data["body"], { ok: true });
    assert.equal(seen.at(-1)?.url, "/orders/1%22%20or%201%3D%3D1%2F..%2F..%3Fx%3D%23?page=2");
    assert.equal(seen.at(-1)?.headers["authorization"], "Bearer s3cret");
    assert.equal(findings[0]?.source, "Orders: order");
    assert.ok(!JSON.stringify([data, findings]).includes("s3cret"));
  });

  it("posts what the address does not name as JSON", async () => {
    await using tool = await openApi(
      row("api_call", endpoints(`http://api.test:${port}/json`, { method: "POST" })),
      drivers(),
      toHere,
    );
    await tool.call(callOf("Orders", "api_call", { endpoint: "order", id: "7" }), "?", run());
    assert.equal(seen.at(-1)?.body, '{"id":"7"}');
  });

  it("refuses arguments that do not fit the schema or leave their place", async () => {
    await using tool = await openApi(
      row("api_call", endpoints(`http://api.test:${port}/orders/{id}`)),
      drivers(),
      toHere,
    );
    for (const given of [
      {},
      { id: 7 },
      { id: "1", other: "x" },
      { id: "1", page: "two" },
      { endpoint: "nope", id: "1" },
    ]) {
      await assert.rejects(tool.call(callOf("Orders", "api_call", given), "?", run()), {
        code: "TOOL_INVALID",
      });
    }
    for (const id of ["..", ".", ""])
      assert.throws(() => filledUrl("http://api.test/{id}", { id }), { code: "TOOL_REFUSED" });
  });

  it("is off until configured, and names what is wrong with a configuration", async () => {
    await using off = await openApi(row("api_call", {}), drivers());
    await assert.rejects(off.call(callOf("Orders", "api_call"), "?", run()), {
      code: "TOOL_REFUSED",
      message: /no endpoint/,
    });
    await assert.rejects(openApi(row("api_call", endpoints("http://evil.test/{id}")), drivers()), {
      code: "TOOL_REFUSED",
    });
    await assert.rejects(openApi(row("api_call", endpoints("http://{id}.api.test/")), drivers()), {
      code: "CONFIG_INVALID",
      message: /host/,
    });
    await assert.rejects(
      openApi(
        row("api_call", endpoints("http://api.test/", { parameters: { type: "nonsense" } })),
        drivers(),
      ),
      {
        code: "CONFIG_INVALID",
      },
    );
    await assert.rejects(openApi(row("api_call", { timeout_ms: "soon" }), drivers()), {
      code: "CONFIG_INVALID",
      message: /config\.timeout_ms/,
    });
    await using unset = await openApi(
      row(
        "api_call",
        endpoints(`http://api.test:${port}/json`, { headers: { Authorization: "{secret:NONE}" } }),
      ),
      drivers(),
      toHere,
    );
    await assert.rejects(unset.call(callOf("Orders", "api_call", { id: "1" }), "?", run()), {
      code: "CONFIG_INVALID",
      message: /NONE/,
    });
  });

  it("reports a failing status and malformed JSON", async () => {
    for (const [path, message] of [
      ["/fail", /status 500/],
      ["/malformed", /malformed JSON/],
    ] as const) {
      await using tool = await openApi(
        row("api_call", endpoints(`http://api.test:${port}${path}`)),
        drivers(),
        toHere,
      );
      await assert.rejects(tool.call(callOf("Orders", "api_call", { id: "1" }), "?", run()), {
        code: "TOOL_FAILED",
        message,
      });
    }
  });
});

describe("a web search", () => {
  it("asks the endpoint and gives plain results with their addresses", async () => {
    await using tool = await openSearch(
      row("web_search", {
        endpoint: `http://api.test:${port}/search?format=json&token={secret:KEY}`,
        allow_private: true,
      }),
      withKey,
      toHere,
    );
    const { findings } = await tool.call(callOf("Web", "web_search", { query: "a & b" }), "?", run());
    assert.equal(seen.at(-1)?.url, "/search?format=json&token=s3%26cret&q=a+%26+b");
    assert.deepEqual(
      findings.map(({ source, section }) => [source, section]),
      [
        ["One", "https://a.test/1"],
        ["Two", "https://a.test/2"],
      ],
    );
    assert.equal(findings[0]?.text, "One\nfirst x");
  });

  it("is off until configured and refuses private addresses and answers of another form", async () => {
    await using off = await openSearch(row("web_search", {}), drivers());
    await assert.rejects(off.call(callOf("Web", "web_search", { query: "x" }), "?", run()), {
      code: "TOOL_REFUSED",
    });
    await using inside = await openSearch(
      row("web_search", { endpoint: `http://api.test:${port}/search` }),
      drivers(),
      toHere,
    );
    await assert.rejects(inside.call(callOf("Web", "web_search", { query: "x" }), "?", run()), {
      code: "TOOL_REFUSED",
    });
    await using odd = await openSearch(
      row("web_search", { endpoint: `http://api.test:${port}/json`, allow_private: true }),
      drivers(),
      toHere,
    );
    await assert.rejects(odd.call(callOf("Web", "web_search", { query: "x" }), "?", run()), {
      code: "TOOL_FAILED",
      message: /did not return a JSON list/,
    });
  });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createWriteStream, existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ServedApp } from "../../src/app/serving.ts";
import { z } from "../../src/core/schema.ts";
import { readJson } from "../../src/server/body.ts";
import { createUploadFolder } from "../../src/server/files/uploads.ts";
import { startServer } from "../../src/server/serve.ts";
import { openWorld } from "../app/world.ts";
import { jsonBody, openSite, openSocketSite, refusal, servedApp } from "./support.ts";

/** What a server says to bytes that never become a request, until it closes. */
function answerTo(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (data) => {
      said += data.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(said));
  });
}

test("headers and bodies that do not come are not waited for", async (context) => {
  const limits = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 100 };
  const { url, authorization, send } = await openSocketSite(context, {}, {}, limits);
  const { host } = new URL(url);
  const [headers, body] = await Promise.all([
    answerTo(url, `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Half: `),
    answerTo(
      url,
      `POST /v1/search HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query": `,
    ),
  ]);
  assert.match(headers, /^HTTP\/1\.1 408/);
  assert.match(body, /^HTTP\/1\.1 408/);
  // On a busy machine a whole request may come too late as well.
  let status = 408;
  while (status === 408) status = (await send("/health")).status;
  assert.equal(status, 200);
});

test("a connection goes on after a body that was too large, or the answer says that it is closed", async (context) => {
  const { url, authorization } = await openSocketSite(context);
  const host = `Host: ${new URL(url).host}\r\n`;
  const search = `POST /v1/search HTTP/1.1\r\n${host}Authorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const last = `GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  const filler = " ".repeat(2 ** 21);
  const whole = await answerTo(url, `${search}Content-Length: ${2 ** 21}\r\n\r\n${filler}${last}`);
  assert.match(whole, /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200/);
  for (const head of [
    `Content-Length: ${2 ** 30}\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n200000\r\n${filler}\r\n`,
  ]) {
    const closed = await answerTo(url, `${search}${head}`);
    assert.match(closed, /^HTTP\/1\.1 413 /);
    assert.match(closed, /\r\nconnection: close\r\n/i);
    assert.match(closed, /the connection is closed/);
  }
});

test("an answer may take longer than a socket may be idle, a body of a client may not", async (context) => {
  const limits = { idleSocketMs: 150 };
  const search: ServedApp["search"] = async ({ query, topK }) => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    return { query, topK, hits: [], named: [], unavailable: [], phases: [] };
  };
  const { url, authorization, send } = await openSocketSite(context, { search }, {}, limits);
  const slow = await send("/v1/search", jsonBody({ query: "policy" }));
  assert.equal(slow.status, 200);
  await slow.text();
  const began = performance.now();
  const half = `POST /v1/search HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query": `;
  await answerTo(url, half);
  assert.ok(performance.now() - began < 60_000, "it was given the usual two minutes");
});

test("a JSON body that comes drop by drop is given up", async () => {
  let left = 1000;
  const drops = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (left-- > 0) controller.enqueue(Buffer.from(" "));
      else controller.close();
    },
  });
  const slow = new Request("http://127.0.0.1/v1/session", {
    method: "POST",
    body: drops,
    duplex: "half",
    headers: { "content-type": "application/json" },
  });
  await assert.rejects(readJson(slow, 100_000, 200), { code: "REQUEST_INVALID", message: /0\.2 s/ });
  assert.ok(left > 0);
});

const skipTls = existsSync("/usr/bin/openssl") ? false : "no openssl to make a certificate with";

test("a certificate of one's own brings TLS, and nothing is said in the clear", {
  skip: skipTls,
}, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-tls-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", tlsKey, "-out", tlsCert], {
    stdio: "ignore",
  });
  const world = await openWorld(context);
  const parts = {
    app: servedApp(world.core),
    settings: world.core.settings,
    programVersion: "0.0.0",
    run: { ...world.run("owner"), log: { event: () => undefined, warn: () => undefined } },
  };
  const how = { host: "127.0.0.1", port: 0, auth: true, behindProxy: false, origins: [] };
  const running = await startServer({ ...how, tlsCert, tlsKey }, parts);
  try {
    assert.match(running.link, /^https:\/\/127\.0\.0\.1:\d+\/\?key=/);
    const ca = await readFile(tlsCert);
    const ask = (address: string) =>
      new Promise<{ readonly status: number | undefined; readonly headers: NodeJS.Dict<string | string[]> }>(
        (resolve, reject) => {
          const asked = request(address, { ca, agent: false }, (response) => {
            response
              .resume()
              .on("end", () => resolve({ status: response.statusCode, headers: response.headers }));
          });
          asked.once("error", reject).end();
        },
      );
    const health = await ask(`${running.url}/health`);
    assert.equal(health.status, 200);
    assert.match(String(health.headers["strict-transport-security"]), /max-age=/);
    const signedIn = await ask(running.link);
    assert.match(String(signedIn.headers["set-cookie"]), /; Secure/);
    await assert.rejects(
      fetch(`${running.url}/health`),
      "a certificate that nobody vouches for is not trusted",
    );
    const plain = await answerTo(
      running.url,
      `GET /health HTTP/1.1\r\nHost: ${new URL(running.url).host}\r\n\r\n`,
    );
    assert.doesNotMatch(plain, /200|version/);
    assert.equal((await ask(`${running.url}/health`)).status, 200);
  } finally {
    await running.stop();
  }
  const other = join(folder, "other.pem");
  execFileSync(
    "openssl",
    ["req", "-x509", ...kind, ...subject, "-keyout", other, "-out", join(folder, "c")],
    {
      stdio: "ignore",
    },
  );
  const wrong = [
    [{ tlsCert, tlsKey: other }, /other\.pem does not match .*cert\.pem/],
    [{ tlsCert: tlsKey, tlsKey }, /cannot use the certificate .*key\.pem/],
    [{ tlsCert, tlsKey: join(folder, "nothing.pem") }, /nothing\.pem/],
  ] as const;
  for (const [files, message] of wrong)
    await assert.rejects(startServer({ ...how, ...files }, parts), { code: "CONFIG_INVALID", message });
});

const skipFull = existsSync("/dev/full") ? false : "no /dev/full here";

test("a disk that fills up during an upload ends it with a clear error, and leaves nothing", {
  skip: skipFull,
}, async (context) => {
  const { world } = await openSite(context);
  const { home } = world.core.settings;
  const uploads = createUploadFolder({ home, maxBytes: 1e6, open: () => createWriteStream("/dev/full") });
  const { send } = await openSite(context, { uploads });
  const address = "/v1/documents?name=big.pdf&collection=hr_private_docs";
  const response = await send(address, { method: "POST", body: "x".repeat(100_000) });
  assert.deepEqual(await refusal(response), [507, "DISK_FULL"]);
  const left = await readdir(join(home, "uploads"), { recursive: true });
  assert.deepEqual(
    left.filter((name) => name !== "incoming"),
    [],
  );
  assert.equal((await send("/v1/search", jsonBody({ query: "policy" }))).status, 200);
});

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const label = `${name}="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
// "Nan" is how the client library writes it; Prometheus reads numbers without regard to case.
const sampleLine = new RegExp(
  `^(${name})(?:\\{(${label}(?:,${label})*)?\\})? (Nan|[+-]Inf|-?[\\d.]+(?:e[+-]?\\d+)?)$`,
);

test("the metrics are in the text format of Prometheus, and their histograms add up", async (context) => {
  const { send } = await openSite(context);
  await send("/v1/search", jsonBody({ query: "policy" }));
  await send("/v1/ask", jsonBody({ query: 'What does "the policy" say?\n' }));
  const response = await send("/metrics");
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  assert.ok(text.endsWith("\n"));
  const types = new Map<string, string>();
  const buckets = new Map<string, number[]>();
  const counts = new Map<string, number>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, kind, of = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "TYPE") types.set(of, z.enum(["counter", "gauge", "histogram", "summary"]).parse(rest));
    if (kind !== undefined) continue;
    const [, sample = "", labels = "", value = ""] = sampleLine.exec(line) ?? [];
    assert.notEqual(sample, "", `no sample: ${line}`);
    const family = types.has(sample) ? sample : sample.replace(/_(?:bucket|sum|count|total)$/, "");
    assert.ok(types.has(family), `${sample} has no type`);
    const series = `${family} ${labels.replace(/,?le="[^"]*",?/, "")}`;
    if (sample.endsWith("_bucket")) buckets.set(series, [...(buckets.get(series) ?? []), Number(value)]);
    if (sample.endsWith("_count")) counts.set(series, Number(value));
  }
  assert.ok(buckets.size > 0 && text.includes('route="/v1/search"'));
  for (const [series, values] of buckets) {
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
      series,
    );
    assert.equal(values.at(-1), counts.get(series), series);
  }
});

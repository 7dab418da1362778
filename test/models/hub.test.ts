import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { access, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { PullProgress } from "../../src/models/pull.ts";
import { embedEntry, modelsOf, never, someBytes, startHub, temporaryFolder } from "./fixtures.ts";

const hubSource = { type: "hub", repo: "owner/name", revision: "r1", files: { "model.onnx": "onnx/m.onnx" } };
const address = "owner/name/resolve/r1/onnx/m.onnx";

test("a model comes from the hub, whole and under its own name", async (t) => {
  const bytes = someBytes(200_000);
  const hub = await startHub(t, { [address]: bytes });
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": bytes }, [hubSource])],
    { hubUrl: hub.url },
  );
  const seen: PullProgress[] = [];
  await models.pull(["m"], { onProgress: (progress) => seen.push(progress) }, never());
  assert.deepEqual(await readFile(await models.path("m", "model.onnx")), bytes);
  assert.equal(seen.filter((one) => one.state === "fetch").at(-1)?.doneBytes, 200_000);
  assert.equal(seen.at(-1)?.state, "ready");
  await assert.rejects(access(join(models.home, "models/m/.part")));
  await assert.rejects(access(join(models.home, "models/m/.lock")));
});

test("a download broken by the server goes on where it stopped", async (t) => {
  const bytes = someBytes(300_000);
  const broken: ServerResponse[] = [];
  const hub = await startHub(t, { [address]: bytes }, (request, response, all) => {
    if (broken.length > 0 || request.method === "HEAD") return false;
    broken.push(response);
    response.setHeader("content-length", all.byteLength);
    response.write(all.subarray(0, 100_000));
    return true;
  });
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": bytes }, [hubSource])],
    { hubUrl: hub.url },
  );
  const onProgress = ({ doneBytes }: PullProgress): void => {
    if (doneBytes === 100_000) broken[0]?.destroy();
  };
  await models.pull(["m"], { onProgress }, never());
  assert.deepEqual(await readFile(await models.path("m", "model.onnx")), bytes);
  assert.equal(hub.requests.length, 2);
  assert.match(hub.requests[1] ?? "", /bytes=100000-$/);
});

test("an aborted download keeps what it told of, and the next run goes on from there", async (t) => {
  const bytes = someBytes(300_000);
  let held = true;
  const hub = await startHub(t, { [address]: bytes }, (_request, response, all) => {
    if (!held) return false;
    response.setHeader("content-length", all.byteLength);
    response.write(all.subarray(0, 120_000));
    return true;
  });
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": bytes }, [hubSource])],
    { hubUrl: hub.url },
  );
  const stop = new AbortController();
  const onProgress = (progress: PullProgress): void => {
    if (progress.doneBytes >= 120_000) stop.abort(new Error("stopped by the user"));
  };
  await assert.rejects(models.pull(["m"], { onProgress }, stop.signal), /stopped by the user/);
  assert.equal((await models.list())[0]?.state, "partial");
  await assert.rejects(models.path("m"), { code: "MODEL_MISSING" });
  held = false;
  await models.pull(["m"], {}, never());
  assert.match(hub.requests.at(-1) ?? "", /bytes=120000-$/);
  assert.deepEqual(await readFile(await models.path("m", "model.onnx")), bytes);
});

test("a file with another content never becomes visible", async (t) => {
  const bytes = someBytes(50_000);
  const hub = await startHub(t, { [address]: someBytes(50_000) });
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": bytes }, [hubSource])],
    { hubUrl: hub.url },
  );
  await assert.rejects(models.pull(["m"], {}, never()), { code: "HASH_MISMATCH" });
  await assert.rejects(access(join(models.home, "models/m/model.onnx")));
  assert.equal((await models.list())[0]?.state, "missing");
});

test("a busy hub is asked again, a missing file is not", async (t) => {
  const bytes = someBytes(1000);
  let refusals = 2;
  const hub = await startHub(t, { [address]: bytes }, (_request, response) => {
    if (refusals === 0) return false;
    refusals -= 1;
    response.statusCode = 503;
    response.end();
    return true;
  });
  const lost = { ...hubSource, files: { "model.onnx": "elsewhere.onnx" } };
  const entries = [
    embedEntry("m", { "model.onnx": bytes }, [hubSource]),
    embedEntry("lost", { "model.onnx": bytes }, [lost]),
  ];
  const models = await modelsOf(await temporaryFolder(t), entries, { hubUrl: hub.url });
  await models.pull(["m"], {}, never());
  assert.equal(hub.requests.length, 3);
  await assert.rejects(models.pull(["lost"], {}, never()), (error: Error & { code?: string }) => {
    assert.equal(error.code, "DOWNLOAD_FAILED");
    assert.match(error.message, /responded with status 404/);
    return true;
  });
  assert.equal(hub.requests.length, 4);
});

test("an unpinned file needs the hub's own hash, which is recorded and used by verify", async (t) => {
  const bytes = someBytes(5000);
  const hub = await startHub(t, { [address]: bytes });
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": bytes }, [hubSource], false)],
    {
      hubUrl: hub.url,
    },
  );
  await models.pull(["m"], {}, never());
  const lock: unknown = JSON.parse(await readFile(join(models.home, "models/m/lock.json"), "utf8"));
  assert.match(JSON.stringify(lock), /model\.onnx.*owner\/name@r1/);
  assert.deepEqual(await models.verify(["m"]), [{ id: "m", file: "model.onnx", state: "ok" }]);
});

test("an unpinned file for which the hub publishes no hash is refused", async (t) => {
  const bytes = someBytes(5000);
  const hub = await startHub(t, { [address]: bytes }, (_request, response, all) => {
    response.end(all);
    return true;
  });
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": bytes }, [hubSource], false)],
    {
      hubUrl: hub.url,
    },
  );
  await assert.rejects(models.pull(["m"], {}, never()), /publishes no sha256/);
  await assert.rejects(access(join(models.home, "models/m/model.onnx")));
});

test("a small file that the hub keeps in git is checked by its blob id, and its sha256 recorded", async (t) => {
  const bytes = someBytes(5000);
  const blob = createHash("sha1").update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
  let published = "0".repeat(40);
  const hub = await startHub(t, { [address]: bytes }, (_request, response, all) => {
    response.setHeader("etag", `"${published}"`);
    response.end(all);
    return true;
  });
  const entries = [embedEntry("m", { "model.onnx": bytes }, [hubSource], false)];
  const models = await modelsOf(await temporaryFolder(t), entries, { hubUrl: hub.url });
  await assert.rejects(models.pull(["m"], {}, never()), { code: "HASH_MISMATCH", message: /git blob/ });
  await assert.rejects(access(join(models.home, "models/m/model.onnx")));
  published = blob;
  await models.pull(["m"], {}, never());
  assert.deepEqual(await models.verify(["m"]), [{ id: "m", file: "model.onnx", state: "ok" }]);
});

test("a hub that accepts but never answers is given up within the time limit", async (t) => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const sockets: Socket[] = [];
  silent.on("connection", (socket) => sockets.push(socket));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const bound = silent.address();
  const hubUrl = `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`;
  const models = await modelsOf(
    await temporaryFolder(t),
    [embedEntry("m", { "model.onnx": someBytes(10) }, [hubSource])],
    { hubUrl },
  );
  await assert.rejects(models.pull(["m"], {}, never()), { code: "NETWORK_UNAVAILABLE" });
  assert.equal(await models.hubReachable(), false);
});

test("two pulls of one model at once fetch it once", async (t) => {
  const bytes = someBytes(400_000);
  const hub = await startHub(t, { [address]: bytes });
  const folder = await temporaryFolder(t);
  const entries = [embedEntry("m", { "model.onnx": bytes }, [hubSource])];
  const [first, second] = [
    await modelsOf(folder, entries, { hubUrl: hub.url }),
    await modelsOf(folder, entries, { hubUrl: hub.url }),
  ];
  await Promise.all([first.pull(["m"], {}, never()), second.pull(["m"], {}, never())]);
  assert.deepEqual(await readFile(await second.path("m", "model.onnx")), bytes);
  assert.equal(hub.requests.length, 1);
});

test("a download that is larger than announced is cut off there, and what arrived of it goes", async (t) => {
  const folder = await temporaryFolder(t);
  const model = someBytes(1000);
  const sent = { bytes: 0 };
  const hub = await startHub(t, { [address]: model }, (_, response) => {
    const more = Buffer.alloc(64 * 1024);
    const pour = (): void => {
      while (sent.bytes < 50_000_000 && !response.destroyed) {
        sent.bytes += more.byteLength;
        if (!response.write(more)) return void response.once("drain", pour);
      }
      response.end();
    };
    pour();
    return true;
  });
  const entry = embedEntry("m", { "model.onnx": model }, [hubSource]);
  const models = await modelsOf(folder, [entry], { hubUrl: hub.url });
  await assert.rejects(models.pull(["m"], {}, never()), {
    code: "DOWNLOAD_FAILED",
    message: /is larger than the 1000 bytes announced/,
  });
  assert.ok(sent.bytes < 50_000_000, "the server could send all it had");
  assert.equal((await models.list())[0]?.state, "missing");
});

test("a file of unknown size is not begun when the hub announces more than any model has", async (t) => {
  const folder = await temporaryFolder(t);
  const model = someBytes(1000);
  const hub = await startHub(t, { [address]: model }, (request, response) => {
    if (request.method === "HEAD") return false;
    response.writeHead(200, { "content-length": "100000000000" });
    response.flushHeaders();
    return true;
  });
  const entry = embedEntry("m", { "model.onnx": model }, [hubSource], false);
  const models = await modelsOf(folder, [entry], { hubUrl: hub.url });
  await assert.rejects(models.pull(["m"], {}, never()), {
    code: "DOWNLOAD_FAILED",
    message: /larger than the limit of \d+ bytes/,
  });
});

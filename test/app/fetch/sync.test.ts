import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertFits, type Home, openHome, record, records, skipChain } from "../../cli/support.ts";

async function ragctl(home: Home, parameters: readonly string[], status = 0) {
  const ended = await home.run([...parameters, "--format", "json"]);
  assert.equal(ended.status, status, `${parameters.join(" ")}: ${ended.stderr}`);
  return { data: ended.stdout === "" ? {} : record(JSON.parse(ended.stdout)), said: ended.stderr };
}

const told = (data: Record<string, unknown>) =>
  records(data["files"])
    .map(({ state, name }) => `${state} ${name}`)
    .sort();

describe("an address that is kept in sync", { skip: skipChain }, () => {
  let home: Home;
  let server: Server;
  let site = "";
  const pages = new Map([
    [
      "/",
      '<title>Station</title><meta name="author" content="Ada"><p>The pump runs at 3 bar.</p><a href="/a">a</a><a href="/b">b</a>',
    ],
    ["/a", "<title>A</title><p>Valve A is green.</p>"],
    ["/b", "<title>B</title><p>Valve B is blue.</p>"],
  ]);
  before(async () => {
    home = await openHome();
    server = createServer((request, response) => {
      const page = pages.get(request.url ?? "");
      response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server that listens has an address with a port.
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await ragctl(home, ["config", "set", "fetch.allowPrivate", "on"]);
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await home[Symbol.asyncDispose]();
  });

  it("is cited by its address, and a second time only what changed is done", async () => {
    const first = await ragctl(home, ["ingest", site, "-c", "site", "--depth", "1", "--meta", "origin=web"]);
    assertFits("sync", first.data);
    assert.deepEqual(told(first.data), [`added ${site}/`, `added ${site}/a`, `added ${site}/b`]);
    const { data: list } = await ragctl(home, ["list", "-c", "site"]);
    assert.deepEqual(records(list["documents"])[0]?.["metadata"], { author: "Ada", origin: "web" });
    const found = await ragctl(home, ["search", "pump bar", "-c", "site", "--meta", "author=ada"]);
    assert.equal(records(found.data["hits"])[0]?.["source_file"], `${site}/`);
    pages.set("/a", "<title>A</title><p>Valve A is red.</p>").delete("/b");
    const second = await ragctl(home, ["sync", `${site}/`]);
    assert.deepEqual(told(second.data), [`deleted ${site}/b`, `updated ${site}/a`]);
    assert.deepEqual(told((await ragctl(home, ["sync", site])).data), []);
  });

  it("is fetched only where it is named, and stays where it cannot be fetched", async () => {
    const { data: sources } = await ragctl(home, ["sources", "list"]);
    assertFits("sources", sources);
    assert.deepEqual(
      records(sources["sources"]).map(({ address, depth }) => [address, depth]),
      [[`${site}/`, 1]],
    );
    const all = await ragctl(home, ["sync"]);
    assert.deepEqual(all.data["syncs"], []);
    assert.match(all.said, /a URL is fetched only when you name it/);
    await ragctl(home, ["config", "set", "fetch.allowPrivate", "off"]);
    assert.match((await ragctl(home, ["sync", site], 1)).said, /SOURCE_OUTSIDE.*loopback/s);
    await ragctl(home, ["config", "set", "fetch.allowPrivate", "on"]);
    const { data: list } = await ragctl(home, ["list", "-c", "site"]);
    assert.equal(records(list["documents"]).length, 2);
  });

  it("may be a repository, which is cited by its revision", async () => {
    const folder = await home.folder("repository", {
      "README.md": "# Pump\n\nIt runs at 3 bar.\n",
      "old.md": "Old.\n",
    });
    const git = (...words: readonly string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.test", ...words]);
    const commit = () => {
      git("add", "-A");
      git("commit", "-qm", "change");
    };
    git("init", "-q", "-b", "main");
    commit();
    const address = `git+file://${folder}@main`;
    const first = await ragctl(home, ["ingest", address, "-c", "repository"]);
    assert.deepEqual(told(first.data), [`added ${folder}@main:README.md`, `added ${folder}@main:old.md`]);
    await writeFile(join(folder, "README.md"), "# Pump\n\nIt runs at 5 bar.\n");
    await rm(join(folder, "old.md"));
    commit();
    const second = await ragctl(home, ["sync", address]);
    assert.deepEqual(told(second.data), [
      `deleted ${folder}@main:old.md`,
      `updated ${folder}@main:README.md`,
    ]);
    assert.match(
      (await ragctl(home, ["sync", `git+file://${folder}@gone`, "-c", "repository"], 3)).said,
      /no revision gone/,
    );
  });

  it("is refused beside paths, in the background, for a dry run, to watch, and to anyone but the owner", async () => {
    await ragctl(home, ["principals", "add", "ada"]);
    for (const [parameters, status] of [
      [["ingest", site, "."], 2],
      [["ingest", site, "--background"], 2],
      [["ingest", ".", "--depth", "1"], 2],
      [["sync", site, "--dry-run"], 2],
      [["watch", site], 2],
      [["ingest", site, "-c", "general_knowledge", "--as", "ada"], 4],
    ] as const)
      await ragctl(home, parameters, status);
  });
});

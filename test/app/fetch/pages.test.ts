import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { fetchPages } from "../../../src/app/fetch/pages.ts";
import type { FetchLimits } from "../../../src/app/fetch/staged.ts";
import { run } from "../../tools/support.ts";

const html =
  (text: string): RequestListener =>
  (_, response) =>
    void response.setHeader("content-type", "text/html; charset=utf-8").end(text);
const to =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end();

const startPage = `<a href="/a.html#x">a</a> <a class=x href='b?x=1&amp;y=2'>b</a> <a href=/private/p.html>p</a> <a href="http://169.254.169.254/">m</a>
     <a href="javascript:alert(1)">j</a> <link href="/style.css"> <a href="/setup.exe">z</a> <a href="/again">again</a> <a href="/away">w</a>`;

const routes: Record<string, RequestListener> = {
  "/robots.txt": (_, response) =>
    void response.setHeader("content-type", "text/plain").end("User-agent: *\nDisallow: /private/\n"),
  "/": html(startPage),
  "/a.html": html('<p>A</p><a href="/deep.html">deep</a><a href="/">start</a>'),
  "/b": html("<p>B</p>"),
  "/again": to("/a.html"),
  "/deep.html": html("<p>Deep</p>"),
  "/private/p.html": html("<p>Private</p>"),
  "/setup.exe": (_, response) =>
    void response.setHeader("content-type", "application/octet-stream").end("MZ"),
  "/away": to("http://10.0.0.1/x"),
  "/other": to("http://other.test/x"),
  "/file": to("file:///etc/passwd"),
  "/half": (_, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
    response.write("<p>half");
    setTimeout(() => response.destroy(), 20);
  },
  "/with-half": html('<p>Start</p><a href="/half">h</a><a href="/gone">g</a>'),
  "/flood": (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  },
  "/never": () => undefined,
  "/report": (_, response) => void response.setHeader("content-type", "application/pdf").end("%PDF-1.4"),
};

describe("pages of a site", () => {
  let server: Server;
  let site = "";
  let asked: string[] = [];
  before(async () => {
    server = createServer((request, response) => {
      const url = (request.url ?? "").split("?")[0] ?? "";
      asked.push(request.url ?? "");
      (routes[url] ?? ((_, answer) => void answer.writeHead(404, { "content-type": "text/html" }).end("no")))(
        request,
        response,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server that listens has an address with a port.
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function fetched(context: TestContext, path: string, depth = 0, more: Partial<FetchLimits> = {}) {
    const folder = await mkdtemp(join(tmpdir(), "ragctl-pages-"));
    context.after(() => rm(folder, { recursive: true }));
    asked = [];
    const limits = {
      maxPages: 50,
      maxBytes: 1e6,
      maxFileBytes: 1e6,
      timeoutMs: 5000,
      allowPrivate: true,
      ...more,
    };
    const { names, stays, failures } = await fetchPages(new URL(path, site), depth, limits, folder, run());
    const files = (await readdir(folder)).sort();
    assert.deepEqual(files, [...names.keys()].sort());
    return { pages: [...names.values()].map((url) => url.slice(site.length)).sort(), files, stays, failures };
  }

  it("are taken as far as the depth goes, on the named host and as its robots.txt allows", async (context) => {
    assert.deepEqual((await fetched(context, "/")).pages, ["/"]);
    assert.deepEqual(asked, ["/"], "robots.txt is about links");
    const one = await fetched(context, "/", 1);
    assert.deepEqual(one.pages, ["/", "/a.html", "/b?x=1&y=2"]);
    assert.deepEqual(one.failures, []);
    assert.equal(one.stays(`${site}/elsewhere`), false);
    assert.ok(!asked.some((each) => each.startsWith("/private") || each === "/style.css"), asked.join(" "));
    assert.deepEqual((await fetched(context, "/", 2)).pages, ["/", "/a.html", "/b?x=1&y=2", "/deep.html"]);
  });

  it("are files by what they are, not by how they are called", async (context) => {
    const { files } = await fetched(context, "/report");
    assert.match(files[0] ?? "", /^[0-9a-f]{24}\.pdf$/);
  });

  it("are not taken from where their address leads away: nothing else was named", async (context) => {
    for (const path of ["/away", "/other", "/file"])
      await assert.rejects(
        fetched(context, path),
        { code: "SOURCE_OUTSIDE", hint: "use the URL that it redirects to" },
        path,
      );
    await assert.rejects(fetched(context, "/", 0, { allowPrivate: false }), {
      code: "SOURCE_OUTSIDE",
      message: /127\.0\.0\.1 \(loopback\), which is not on the public internet/,
      hint: /^to fetch from this computer .*: ragctl config set fetch\.allowPrivate on$/,
    });
  });

  it("that answer for ever, too late or not at all end with the limit that was met", async (context) => {
    await assert.rejects(fetched(context, "/flood", 0, { maxFileBytes: 100_000 }), {
      code: "DOWNLOAD_FAILED",
      message: /more than 100000 bytes/,
    });
    await assert.rejects(fetched(context, "/never", 0, { timeoutMs: 200 }), {
      code: "DOWNLOAD_FAILED",
      message: /within 200 ms/,
    });
    await assert.rejects(fetched(context, "/nothing"), { code: "SOURCE_MISSING", message: /status 404/ });
  });

  it("that break off are named, and what was fetched of them earlier stays; what is gone does not", async (context) => {
    await assert.rejects(fetched(context, "/half"), { code: "DOWNLOAD_FAILED" });
    const { pages, failures, stays } = await fetched(context, "/with-half", 1);
    assert.deepEqual(pages, ["/with-half"]);
    assert.deepEqual(
      failures.map(({ name, error }) => [name, error.code]),
      [[`${site}/half`, "DOWNLOAD_FAILED"]],
    );
    assert.ok(stays(`${site}/half`) && !stays(`${site}/gone`));
  });

  it("beyond a limit of pages or bytes are left out, and nothing that was fetched earlier goes", async (context) => {
    const few = await fetched(context, "/", 1, { maxPages: 2 });
    assert.equal(few.pages.length, 2);
    assert.ok(few.stays(`${site}/b?x=1&y=2`));
    assert.ok(
      (await fetched(context, "/", 1, { maxBytes: startPage.length + 5 })).stays(`${site}/b?x=1&y=2`),
    );
  });
});

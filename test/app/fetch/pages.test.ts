import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { readPage } from "../../../src/app/fetch/html.ts";
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
  "/based": html('<base href="/manual/"><p>Based</p><a href="one.html">one</a>'),
  "/manual/one.html": html("<p>One</p>"),
  "/copies": html(
    `<p>Copies</p><a href="/tariff">1</a><a href="/tariff/">2</a><a href="/tariff?from=news">3</a>
     <a href="/tariff#fees">4</a><a href="/moved">5</a><a href="/print">6</a><a href="/wrong">7</a>`,
  ),
  "/tariff": html(
    '<link rel="canonical" href="/tariff"><p>A berth costs 29 euros</p><a href="/tariff/">x</a>',
  ),
  "/tariff/": html(
    '<link rel="canonical" href="/tariff"><p>A berth costs 29 euros</p><a href="/tariff">y</a>',
  ),
  "/moved": to("/tariff"),
  "/print": html('<link href="/tariff" rel="canonical"><p>Printed: A berth costs 29 euros</p>'),
  "/wrong": html('<link rel=canonical href="/tariff"><p>The crane lifts twelve tonnes on weekdays</p>'),
  "/latin": (_, response) =>
    void response
      .setHeader("content-type", "text/html; charset=ISO-8859-2")
      .end(Buffer.from("<p>\xa3\xf3d\xbc</p>", "latin1")),
  "/with-files": html('<p>Files</p><a href="/notes">n</a> <a href="/guide">g</a> <a href="/setup.exe">s</a>'),
  "/notes": (_, response) =>
    void response.setHeader("content-type", "text/markdown; charset=utf-8").end("# Notes"),
  "/guide": (_, response) => void response.setHeader("content-type", "application/pdf").end("%PDF-1.4"),
  "/report": (_, response) => void response.setHeader("content-type", "application/pdf").end("%PDF-1.4"),
};

const talking = (said: string[]) => ({
  ...run(),
  log: { event: () => undefined, warn: (text: string) => void said.push(text) },
});

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

  async function fetched(
    context: TestContext,
    path: string,
    depth = 0,
    more: Partial<FetchLimits> = {},
    said: string[] = [],
  ) {
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
    const { names, stays, failures } = await fetchPages(
      new URL(path, site),
      depth,
      limits,
      folder,
      talking(said),
    );
    const files = (await readdir(folder)).sort();
    assert.deepEqual(files, [...names.keys()].sort());
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
    return {
      texts,
      pages: [...names.values()].map((url) => url.slice(site.length)).sort(),
      files,
      stays,
      failures,
    };
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

  it("are linked relative to the base that they state", async (context) => {
    assert.deepEqual((await fetched(context, "/based", 1)).pages, ["/based", "/manual/one.html"]);
  });

  it("that are one page under several addresses are one document, unless they say different things", async (context) => {
    assert.deepEqual((await fetched(context, "/copies", 1)).pages, ["/copies", "/tariff", "/wrong"]);
    assert.deepEqual(
      (await fetched(context, "/tariff/", 1)).pages,
      ["/tariff"],
      "the typed address is a copy",
    );
  });

  it("are kept in the character set that their answer names", async (context) => {
    const { texts } = await fetched(context, "/latin");
    assert.deepEqual(texts, ["\ufeff<p>Łódź</p>"]);
  });

  it("link to Markdown and PDF without an extension, which is read; what is skipped is named", async (context) => {
    const said: string[] = [];
    const { files, pages } = await fetched(context, "/with-files", 1, {}, said);
    assert.deepEqual(pages, ["/guide", "/notes", "/with-files"]);
    assert.deepEqual(files.map((name) => name.slice(name.indexOf("."))).sort(), [".html", ".md", ".pdf"]);
    assert.deepEqual(said, [
      `1 link of ${site}/with-files skipped, not a format that is read: ${site}/setup.exe`,
    ]);
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

it("reads the words of a page in the set that the page itself declares, where its answer names none", () => {
  const bytes = Buffer.from('<meta charset="iso-8859-2"><p>\xbfar\xf3wka</p>', "latin1");
  assert.equal(readPage(bytes, undefined, new URL("http://127.0.0.1/")).words, "żarówka");
});

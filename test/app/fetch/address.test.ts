import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fetchedFolder,
  isAddress,
  parseSourceAddress,
  repositoryName,
} from "../../../src/app/fetch/address.ts";

test("an address is told from a path", () => {
  for (const text of [
    "https://a.test/x",
    "HTTP://a.test",
    "git+https://a.test/r@v1",
    "git+file:///r",
    "git+ssh://a/r",
  ])
    assert.ok(isAddress(text), text);
  for (const text of ["./a", "/srv/https://x", "file:///etc/passwd", "c:\\docs", "ftp://a.test/x", "https"])
    assert.ok(!isAddress(text), text);
});

test("a page is its address without the place in it, a repository has a revision", () => {
  assert.equal(parseSourceAddress("https://A.test/x#part").address, "https://a.test/x");
  const repository = parseSourceAddress("git+https://a.test/o/r.git@release/1.x");
  assert.ok(repository.kind === "repository");
  assert.equal(repository.address, "git+https://a.test/o/r.git@release/1.x");
  assert.equal(repository.url.href, "https://a.test/o/r.git");
  assert.equal(repositoryName(repository), "a.test/o/r@release/1.x");
  assert.equal(parseSourceAddress("git+file:///srv/r").address, "git+file:///srv/r@HEAD");
});

test("what could be taken for an option, a path or a secret is refused", () => {
  for (const text of [
    "git+file:///r@--upload-pack=x",
    "git+file:///r@a..b",
    "git+file:///r@",
    "git+file:///r@a:b",
    "git+ssh://host/r@v1",
    "git+http://host/r@v1",
    "https://user:secret@host/x",
    "https://",
  ])
    assert.throws(() => parseSourceAddress(text), { code: "USAGE_INVALID" }, text);
});

test("each address has a folder of its own in the home, whatever its host is called", () => {
  const folder = (text: string) => fetchedFolder("/home/r", parseSourceAddress(text));
  assert.match(folder("https://a.test/x"), /^\/home\/r\/fetched\/a\.test-[0-9a-f]{12}$/);
  assert.notEqual(folder("https://a.test/x"), folder("https://a.test/y"));
  assert.match(folder("https://[::1]/x"), /fetched\/___1_-[0-9a-f]{12}$/);
  assert.match(folder("git+file:///srv/../etc@v1"), /fetched\/local-[0-9a-f]{12}$/);
});

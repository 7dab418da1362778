import assert from "node:assert/strict";
import { test } from "node:test";
import { redactCredentials } from "../../src/core/address.ts";
import { asRagctlError, RagctlError } from "../../src/core/errors.ts";

/**
 * Every password of up to five of these: what ends a host, a user name or a scheme, and letters that mark the
 * password.
 */
function* passwords(length: number): Generator<string> {
  if (length === 0) return yield "";
  for (const rest of passwords(length - 1))
    for (const part of ["@", ":", "/", "?", "#", "\\", "5", "Q"]) yield part + rest;
}

test("no part of a password is left of an address, whatever characters it holds", () => {
  for (const length of [1, 2, 3, 4]) {
    for (const password of passwords(length)) {
      const marked = `Q${password}Q`;
      const shown = redactCredentials(`the store at http://root:${marked}@10.0.0.8:19530/v1 is down`);
      assert.equal(shown, "the store at http://***@10.0.0.8:19530/v1 is down", marked);
    }
  }
});

test("a text without credentials stays as it is", () => {
  for (const text of [
    "http://host:19530/v1",
    "mail to a@b.example",
    "https://medium.example/@name/x",
    "unix:/a@b",
    "a://",
    "@",
    "",
    "x@y http://h",
  ])
    assert.equal(redactCredentials(text), text);
});

test("an error shows no credentials, neither in its message nor in its hint nor when it came from elsewhere", () => {
  const error = new RagctlError("STORE_UNAVAILABLE", "at http://u:p@ss@h:1 nobody answers", {
    hint: "ask postgres://u:p/w@h/db",
  });
  assert.deepEqual(
    [error.message, error.hint],
    ["at http://***@h:1 nobody answers", "ask postgres://***@h/db"],
  );
  assert.equal(asRagctlError(new Error("connect http://u:p@h")).message, "connect http://***@h");
});

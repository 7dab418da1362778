import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { SourceFile } from "../../src/core/documents/document.ts";

/** A folder that is gone after the test. */
export function temporaryFolder(context: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-registry-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Where a test's registry is: a file of SQLite, or a schema of the server that the environment names
 * (on-postgres.test.ts runs these tests again so).
 */
export function registryPlace(context: Pick<TestContext, "after">): string {
  const server = process.env["RAGCTL_TEST_POSTGRES"];
  if (server === undefined) return join(temporaryFolder(context), "r.sqlite");
  return `${server}?schema=t${randomUUID().replaceAll("-", "")}`;
}

/** A file whose hash is made of one digit. */
export function sourceFile(path: string, digit: string): SourceFile {
  return {
    path,
    name: path.slice(path.lastIndexOf("/") + 1),
    format: "text",
    sizeBytes: 10,
    sha256: digit.repeat(64),
  };
}

/** Error code of what `work` throws. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  return "nothing was thrown";
}

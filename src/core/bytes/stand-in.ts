import { RagctlError } from "../errors.ts";

/** A longer file is none, bytes. */
const mostBytes = 1024;

/** How programs that keep large files apart begin what they leave in their place. */
const standIns: readonly { readonly of: string; readonly pattern: RegExp; readonly hint: string }[] = [
  {
    of: "Git LFS",
    pattern:
      /^version https?:\/\/(?:git-lfs\.github\.com|hawser\.github\.com|git-media\.io)\/\S{1,40}\r?\n(?:ext-[^\n]{1,200}\n)*oid /,
    hint: "run `git lfs pull` in its repository, then ingest it again",
  },
  {
    of: "git-annex",
    pattern: /^(?:\.\.\/){0,40}(?:\.git)?\/annex\/objects\/\S{1,500}\s*$/,
    hint: "run `git annex get` in its repository, then ingest it again",
  },
];

/**
 * The error for a file in whose place only a pointer to its content was checked out; undefined for any other.
 */
export function standInError(bytes: Uint8Array, name: string): RagctlError | undefined {
  if (bytes.length > mostBytes) return undefined;
  const text = Buffer.from(bytes).toString("latin1");
  const found = standIns.find(({ pattern }) => pattern.test(text));
  if (found === undefined) return undefined;
  const message = `${name} is a pointer of ${found.of}: its content is not here`;
  return new RagctlError("SOURCE_UNSUPPORTED", message, { hint: found.hint });
}

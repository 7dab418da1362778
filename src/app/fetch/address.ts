import { createHash } from "node:crypto";
import { join } from "node:path";
import { RagctlError } from "../../core/errors.ts";

/** A web page or file, or the files of a repository at one revision, as typed. */
export type SourceAddress =
  | { readonly kind: "page"; readonly address: string; readonly url: URL }
  | {
      readonly kind: "repository";
      readonly address: string;
      /** Of https or file. */
      readonly url: URL;
      /** A branch, a tag or a commit. */
      readonly revision: string;
    };

/** Whether a text that names documents is an address rather than a path. */
export const isAddress = (text: string): boolean => /^(?:https?|git\+[a-z]+):\/\//i.test(text);

const refused = (text: string, why: string, hint: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `${text.slice(0, 200)} ${why}`, { hint });

const revisionForm = /^(?!.*\.\.)[\p{L}\p{N}_][\p{L}\p{N}_./+-]{0,199}$/u;

/**
 * `https://host/page`, `git+https://host/repository@REVISION`, `git+file:///repository@REVISION`. @throws
 * USAGE_INVALID
 */
export function parseSourceAddress(text: string): SourceAddress {
  const isRepository = text.slice(0, 4).toLowerCase() === "git+";
  const typed = isRepository ? text.slice(4) : text;
  if (!URL.canParse(typed))
    throw refused(text, "is not a URL", "use https://host/page or git+https://host/repository@v1");
  const url = new URL(typed);
  if (url.username !== "" || url.password !== "")
    throw refused(text, "contains a user name", "ragctl fetches only public content that needs no sign-in");
  url.hash = "";
  return isRepository ? repositoryOf(text, url) : { kind: "page", address: url.href, url };
}

function repositoryOf(text: string, url: URL): SourceAddress {
  if (url.protocol !== "https:" && url.protocol !== "file:")
    throw refused(
      text,
      "is not a supported repository",
      "use git+https://host/repository@v1 or git+file:///folder@v1",
    );
  const at = url.pathname.lastIndexOf("@");
  const revision = at < 0 ? "HEAD" : decodeURIComponent(url.pathname.slice(at + 1));
  if (!revisionForm.test(revision))
    throw refused(text, "names no revision", "add a branch, tag or commit after @");
  if (at >= 0) url.pathname = url.pathname.slice(0, at);
  url.search = "";
  return { kind: "repository", address: `git+${url.href}@${revision}`, url, revision };
}

/** The folder of a home for the files fetched from an address. */
export function fetchedFolder(home: string, { address, url }: SourceAddress): string {
  const mark = createHash("sha256").update(address).digest("hex").slice(0, 12);
  return join(home, "fetched", `${url.hostname.replace(/[^\w.-]/g, "_") || "local"}-${mark}`);
}

/** The name of a repository in citations: `github.com/owner/name@v1`. */
export const repositoryName = ({
  url,
  revision,
}: Extract<SourceAddress, { readonly kind: "repository" }>): string =>
  `${url.host}${decodeURIComponent(url.pathname).replace(/\.git$/, "")}@${revision}`;

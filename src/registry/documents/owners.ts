import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { hasProcess } from "../../lock/process.ts";

/*
 * Who works on a version that has not ended: one owner, or several with a space between, where commands make
 * the same one. Each of them may finish it, and it is given up when all have given it up or are gone.
 */

/**
 * `<pid>@<host>/<id>`: a process may ingest for several commands at once, and what one of them began is not
 * another's.
 */
export const createOwnerId = (): string => `${process.pid}@${hostname()}/${randomUUID()}`;

/** Whether the process an owner names still runs; one on another machine counts as running. */
export function isOwnerAlive(owner: string): boolean {
  const at = owner.indexOf("@");
  const pid = Number(owner.slice(0, at));
  const [host = ""] = owner.slice(at + 1).split("/");
  if (owner === "" || !Number.isInteger(pid) || pid <= 0) return false;
  return host !== hostname() || hasProcess(pid);
}

/** Whether any of the owners is alive. */
export const isAnyOwnerAlive =
  (isAlive: (owner: string) => boolean) =>
  (owners: string): boolean =>
    owners.split(" ").some(isAlive);

/** The living owners except one. */
export const otherLiveOwners = (
  owners: string,
  owner: string,
  isAlive: (owner: string) => boolean,
): readonly string[] => owners.split(" ").filter((other) => other !== owner && isAlive(other));

/** SQL condition that the owner in the parameter is among the owners of a version. */
export const ownerSql = "replace(owner, ?, '') <> owner";

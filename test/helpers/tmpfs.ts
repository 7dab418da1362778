import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Why a tmpfs cannot be mounted here, or false. */
export function skipTmpfs(): string | false {
  if (process.getuid?.() !== 0 || process.platform !== "linux")
    return "a full disk needs root and Linux to be made";
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return false;
  } catch {
    return "mount is not allowed here, so no full disk can be made";
  }
}

/** A disk of its own at a folder. */
export interface SmallDisk extends Disposable {
  resize(size: string): void;
  /** Fills the disk to its last byte. */
  fill(): void;
  /** Removes what filled it. */
  empty(): void;
}

/** Mounts a disk of `size`, e.g. `3m`, at a folder that is there. */
export function mountSmallDisk(folder: string, size: string): SmallDisk {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]);
  return {
    resize: (next) => void execFileSync("mount", ["-o", `remount,size=${next}`, folder]),
    fill: () => fillDisk(join(folder, "filler")),
    empty: () => rmSync(join(folder, "filler"), { force: true }),
    [Symbol.dispose]: () => void execFileSync("umount", ["-l", folder]),
  };
}

function fillDisk(path: string): void {
  const file = openSync(path, "a");
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(file);
  }
}

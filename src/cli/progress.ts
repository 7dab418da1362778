import { SingleBar } from "cli-progress";
import type { Output } from "./output.ts";
import { oneLine } from "./text.ts";

export interface Progress {
  set(done: number, total: number, detail?: string): void;
  close(): void;
}

/** A bar on stderr where that is a terminal, otherwise nothing. */
export function openProgress(label: string, unit: string, output: Output): Progress {
  if (!output.interactive) return { set: () => undefined, close: () => undefined };
  const format = `${label} {bar} {value}/{total} ${unit} · {eta_formatted} left · {detail}`;
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true, etaBuffer: 50 });
  let started = false;
  return {
    set(done, total, detail = "") {
      if (!started) bar.start(total, 0, { detail: "" });
      started = true;
      bar.setTotal(total);
      bar.update(done, { detail: oneLine(detail, 40) });
    },
    close: () => bar.stop(),
  };
}

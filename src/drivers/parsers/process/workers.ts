import { freemem, totalmem } from "node:os";
import { usableCores } from "../../runtime/cores.ts";
import { ocrThreadMb } from "./pool.ts";

/** Resources of this process. */
export interface MachineResources {
  /** At least 1. */
  readonly cores: number;
  readonly memoryBytes: number;
}

/**
 * The cores that affinity and the quota of a container leave, and the memory: the limit of a container, or
 * the available memory of the system if that is less.
 */
export function machineResources(): MachineResources {
  // macOS does not count as free what it keeps of files.
  const spareBytes = process.platform === "darwin" ? totalmem() : freemem();
  return {
    cores: usableCores(),
    memoryBytes: Math.min(process.constrainedMemory() || spareBytes, spareBytes),
  };
}

/**
 * Parser processes for which an encoder on all cores is never idle: of 207 s of processor time that an ingest
 * of 562 pages took, 45 were parsing.
 */
const coresPerParser = 4;
/** An idle parser process, MiB. */
const idleMb = 64;

/** Counts from the settings, 0 for automatic, and the limit of a parser process, MiB. */
interface Wanted {
  readonly workers: number;
  readonly ocrWorkers: number;
  readonly memoryMb: number;
}

/**
 * How many documents are parsed at once, and how many pages of each OCR reads at once: as many as the cores
 * are worth, while all of them at the limits of their memory take no more than half of the machine's; at
 * least one.
 */
export function workersFor(
  { cores, memoryBytes }: MachineResources,
  wanted: Wanted,
): Pick<Wanted, "workers" | "ocrWorkers"> {
  const budgetMb = memoryBytes / 2 / 1024 ** 2;
  const processMb = idleMb + wanted.memoryMb;
  const fitting = (count: number, most: number) => Math.max(1, Math.min(most, Math.floor(count)));
  const workers = wanted.workers || fitting(budgetMb / processMb, Math.ceil(cores / coresPerParser));
  const ocrWorkers = wanted.ocrWorkers || fitting(1 + (budgetMb / workers - processMb) / ocrThreadMb, cores);
  return { workers, ocrWorkers };
}

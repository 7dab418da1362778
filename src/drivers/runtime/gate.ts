/**
 * Shared by a process and its encoder threads: [closing, runs in progress]. A process that ends while a
 * thread is inside onnxruntime aborts in native code and loses its exit status, so ending waits for the runs
 * and admits no new one.
 */
export type RunGate = Int32Array<SharedArrayBuffer>;

const [closing, running] = [0, 1];

/** Longest wait at the end of the process, milliseconds. */
const patienceMs = 20_000;

/** A new gate, open. */
export function createGate(): RunGate {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Counts the calling thread in; false when the gate is closed and the run must not begin. */
export function enterGate(gate: RunGate): boolean {
  Atomics.add(gate, running, 1);
  if (Atomics.load(gate, closing) === 0) return true;
  leaveGate(gate);
  return false;
}

/** Counts the calling thread out. */
export function leaveGate(gate: RunGate): void {
  Atomics.sub(gate, running, 1);
  Atomics.notify(gate, running);
}

/** Closes the gate and blocks until the runs in progress have ended. */
export function closeGate(gate: RunGate): void {
  Atomics.store(gate, closing, 1);
  const until = Date.now() + patienceMs;
  for (
    let runs = Atomics.load(gate, running);
    runs > 0 && Date.now() < until;
    runs = Atomics.load(gate, running)
  ) {
    Atomics.wait(gate, running, runs, until - Date.now());
  }
}

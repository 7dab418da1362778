import { isMainThread } from "node:worker_threads";

/**
 * Forbids ONNX Runtime to send what it measures: from 1.29 on it reports processes, models and errors to its
 * maker unless this variable is set before the library is loaded. It reads the variables of the process,
 * which a worker thread cannot set: call this before one is started.
 */
export function disableTelemetry(): void {
  if (isMainThread) process.env["ORT_DISABLE_TELEMETRY"] = "1";
}

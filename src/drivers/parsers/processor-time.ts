/** Processor time of this process, milliseconds; that of all its threads. */
export function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Processor time of this thread, milliseconds; of the whole process before Node 23.9, which cannot measure a
 * thread.
 */
export function threadMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}

/**
 * How many times its processor time work may take on a clock before it counts as hung: so busy may a machine
 * be.
 */
export const maxWallToCpuRatio = 30;

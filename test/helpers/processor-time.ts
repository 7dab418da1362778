/**
 * Processor time that work takes in this thread, milliseconds: unlike time on a clock it does not grow with what else
 * a machine does.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

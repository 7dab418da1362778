import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Text of a regular file of at most `maxBytes`. What a path leads to may be a device or a pipe that never
 * ends (a link in a cloned project can carry one), so the file that was opened is looked at and no more than
 * the limit is read.
 * @throws Error saying why it cannot be read
 */
export function readRegularFile(path: string, maxBytes: number): string {
  // Without O_NONBLOCK opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new Error("not a regular file");
    const bytes = Buffer.alloc(Math.min(maxBytes, fstatSync(file).size) + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      if (read === 0) break;
      length += read;
    }
    if (length > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}

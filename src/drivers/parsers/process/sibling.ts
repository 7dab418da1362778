import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** The module of this folder with the given name, in the language this one runs in: source or built. */
export function resolveSiblingModule(name: string): URL {
  return new URL(`./${name}${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
}

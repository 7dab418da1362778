import { RagctlError } from "../core/errors.ts";
import type { ToolDrivers } from "./drivers.ts";

/**
 * A text of a row with each `{secret:NAME}` replaced by that secret. `encode` escapes it for its place.
 * @throws CONFIG_INVALID for one that is not set
 */
export function substituteSecrets(
  text: string,
  drivers: Pick<ToolDrivers, "secret">,
  place: { readonly tool: string; readonly what: string },
  encode: (secret: string) => string = (secret) => secret,
): string {
  return text.replaceAll(/\{secret:([\w-]+)\}/g, (_, name: string) => {
    const found = drivers.secret(name);
    if (found !== undefined && !/[\r\n]/.test(found)) return encode(found);
    throw new RagctlError(
      "CONFIG_INVALID",
      `tool ${place.tool}: the secret ${name} of the ${place.what} is not set`,
      {
        hint: `set the environment variable ${name}`,
      },
    );
  });
}

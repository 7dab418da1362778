import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv";
import { RagctlError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";

const validators = new WeakMap<JsonObject, ValidateFunction>();

/** Compiles a JSON Schema to a validator of arguments. @throws CONFIG_INVALID for an invalid schema */
function validatorOf(schema: JsonObject, tool: string): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  // The package's CommonJS entry; its types describe the class it exports.
  const { Ajv } = createRequire(import.meta.url)("ajv") as typeof import("ajv");
  try {
    const made = new Ajv({
      allErrors: false,
      strict: false,
      useDefaults: true,
      coerceTypes: false,
      validateFormats: false,
    }).compile(schema);
    validators.set(schema, made);
    return made;
  } catch (cause) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `tool ${tool}: its parameters are not a JSON Schema (${cause instanceof Error ? cause.message : cause})`,
      {
        hint: "correct config.parameters of the tool",
        cause,
      },
    );
  }
}

/** Checks that a schema is valid. @throws CONFIG_INVALID */
export function checkSchema(schema: JsonObject, tool: string): void {
  validatorOf(schema, tool);
}

/** The arguments with the schema's defaults filled in. @throws TOOL_INVALID naming the argument */
export function checkedArguments(schema: JsonObject, given: JsonObject, tool: string): JsonObject {
  const validate = validatorOf(schema, tool);
  const filled: JsonObject = structuredClone(given);
  if (validate(filled)) return filled;
  const [error] = validate.errors ?? [];
  const place = error?.instancePath.slice(1).replaceAll("/", ".") ?? "";
  throw new RagctlError(
    "TOOL_INVALID",
    `${tool}: ${place === "" ? "the arguments" : `the argument ${place}`} ${error?.message ?? "do not fit"}`,
    {
      hint: "`ragctl tools show` lists a tool's arguments",
    },
  );
}

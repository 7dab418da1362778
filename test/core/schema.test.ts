import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "../../src/core/schema.ts";

const schema = z.strictObject({
  model: z.string().min(1),
  size: z.number().int().min(1).max(9),
  mode: z.enum(["a", "b"]),
  list: z.array(z.string()).min(2),
  on: z.boolean(),
});

/** `field: message` of what is wrong. */
const faults = (value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("what is wrong with a value is said in words of people, not of the schema library", () => {
  assert.deepEqual(faults({}), [
    "model: is missing",
    "size: is missing",
    'mode: is missing; it must be one of "a", "b"',
    "list: is missing",
    "on: is missing",
  ]);
  assert.deepEqual(faults({ model: "", size: 0, mode: "c", list: ["x"], on: "yes", more: 1 }), [
    "model: must not be empty",
    "size: must be at least 1",
    'mode: must be one of "a", "b"',
    "list: must have at least 2 items",
    "on: must be true or false, not text",
    ': has an unknown field "more"',
  ]);
  assert.deepEqual(faults({ model: 3, size: 1.5, mode: null, list: {}, on: [] }), [
    "model: must be text, not a number",
    "size: must be a whole number",
    'mode: must be one of "a", "b"',
    "list: must be a list, not a mapping",
    "on: must be true or false, not a list",
  ]);
  assert.deepEqual(
    z.coerce.number().safeParse("x").error?.issues[0]?.message,
    "must be a number, not text that is not a number",
  );
  assert.deepEqual(faults([]), [": must be a mapping, not a list"]);
});

test("a limit of size is said with its unit in the number that it has", () => {
  const bounds: readonly (readonly [z.ZodType, unknown, string])[] = [
    [z.array(z.string()).min(1), [], "must have at least 1 item"],
    [z.array(z.string()).max(1), ["a", "b"], "must have at most 1 item"],
    [z.set(z.string()).max(2), new Set("abc"), "must have at most 2 items"],
    [z.string().min(2), "a", "must have at least 2 characters"],
    [z.string().max(1), "ab", "must have at most 1 character"],
    [z.number().gt(1), 1, "must be more than 1"],
    [z.number().lt(1), 1, "must be less than 1"],
    [z.number().max(5), 6, "must be at most 5"],
  ];
  for (const [bound, value, message] of bounds)
    assert.equal(bound.safeParse(value).error?.issues[0]?.message, message);
});

test("a message that a schema states itself is kept", () => {
  assert.equal(
    z.string().regex(/^a$/, "must be the letter a").safeParse("b").error?.issues[0]?.message,
    "must be the letter a",
  );
});

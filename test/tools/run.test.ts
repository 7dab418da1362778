import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findingChunk, type Tool } from "../../src/core/answers/tool.ts";
import { RagctlError } from "../../src/core/errors.ts";
import type { Decision } from "../../src/core/permission.ts";
import { openTool } from "../../src/tools/by-type.ts";
import { runTools } from "../../src/tools/run.ts";
import { callOf, drivers, run } from "./support.ts";

const allow: Decision = { effect: "allow", rule: "owner", reason: "the owner may", grantId: null };
const deny: Decision = { effect: "deny", rule: "default-deny", reason: "no grant allows it", grantId: null };
const made = (call: Tool["call"]): Tool => ({
  type: "generic",
  description: "",
  examples: [],
  parameters: {},
  call,
  async [Symbol.asyncDispose]() {},
});
const ok = { findings: [], data: { done: true }, message: "done" };

describe("running tools", () => {
  it("reports each call for itself: what fails, hangs, throws garbage, is denied or unknown leaves the others alone", async () => {
    let ran = 0;
    const counted = (by: number) => async () => {
      ran += by;
      return ok;
    };
    const tools = new Map<string, Tool>([
      ["good", made(counted(1))],
      ["fails", made(async () => Promise.reject(new RagctlError("TOOL_FAILED", "it broke")))],
      ["refuses", made(async () => Promise.reject(new RagctlError("TOOL_REFUSED", "not that")))],
      [
        "throws",
        made(() => {
          throw new TypeError("boom");
        }),
      ],
      ["hangs", made(() => new Promise(() => {}))],
      ["forbidden", made(counted(100))],
    ]);
    const calls = [...tools.keys(), "unknown"].map((name) => callOf(name, "generic"));
    const started = performance.now();
    const results = await runTools(
      calls,
      tools,
      ({ tool }) => (tool === "forbidden" ? deny : allow),
      "?",
      run(),
      300,
    );
    assert.ok(performance.now() - started < 3000);
    assert.deepEqual(
      results.map(({ call, status, code }) => [call.tool, status, code]),
      [
        ["good", "ok", ""],
        ["fails", "failed", "TOOL_FAILED"],
        ["refuses", "denied", "TOOL_REFUSED"],
        ["throws", "failed", "INTERNAL"],
        ["hangs", "failed", "TOOL_TIMEOUT"],
        ["forbidden", "denied", "PERMISSION_DENIED"],
        ["unknown", "failed", "NOT_FOUND"],
      ],
    );
    assert.equal(ran, 1);
    assert.equal(results[5]?.message, "no grant allows it");
  });

  it("runs calls at the same time, asks for permission right before each, and tells a hanging tool to stop", async () => {
    const order: string[] = [];
    let stopped = false;
    const slow = made(async (_, __, { signal }) => {
      order.push("start");
      signal.addEventListener("abort", () => {
        stopped = true;
      });
      await sleep(100);
      return ok;
    });
    const tools = new Map([
      ["a", slow],
      ["b", slow],
      [
        "h",
        made(
          (_, __, { signal }) =>
            new Promise(() =>
              signal.addEventListener("abort", () => {
                stopped = true;
              }),
            ),
        ),
      ],
    ]);
    await runTools(
      ["a", "b", "h"].map((name) => callOf(name, "generic")),
      tools,
      (call) => {
        order.push(`ask ${call.tool}`);
        return allow;
      },
      "?",
      run(),
      250,
    );
    assert.equal(order.slice(0, 3).includes("ask a"), true);
    assert.equal(order.filter((entry) => entry === "start").length, 2);
    assert.equal(stopped, true);
  });

  it("throws only when the run itself is ended, and refuses a flood of calls", async () => {
    const controller = new AbortController();
    const tools = new Map([
      ["h", made(() => new Promise(() => {}))],
      ["g", made(async () => ok)],
    ]);
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await assert.rejects(
      runTools([callOf("h", "generic")], tools, () => allow, "?", run(controller.signal)),
      /enough/,
    );
    const many = await runTools(
      Array.from({ length: 10 }, () => callOf("g", "generic")),
      tools,
      () => allow,
      "?",
      run(),
    );
    assert.deepEqual(many.map(({ status }) => status).slice(7), ["ok", "denied", "denied"]);
  });
});

describe("the inventory of tools", () => {
  it("makes a tool of every type from its row, and a calculator's finding can be cited", async () => {
    for (const type of ["rag", "calculator", "database_query", "api_call", "web_search"] as const) {
      await using tool = await openTool({ name: "T", type, config: {}, permissions: {} }, drivers());
      assert.equal(tool.type, type);
      assert.ok(tool.description.length > 20);
    }
    const calculator = await openTool(
      { name: "C", type: "calculator", config: { precision_digits: 6 }, permissions: {} },
      drivers(),
    );
    const { findings, data } = await calculator.call(
      callOf("C", "calculator", { expression: "1,250 * 3 / 7" }),
      "?",
      run(),
    );
    assert.deepEqual([findings[0]?.text, data["exact"]], ["1250 * 3 / 7 ≈ 535.714", false]);
    assert.ok(
      findings[0] !== undefined && findingChunk(findings[0], "calculator", 1).id === "tool-calculator-1",
    );
    for (const expression of ["1/0", undefined, 7])
      await assert.rejects(calculator.call(callOf("C", "calculator", { expression }), "?", run()), {
        code: "TOOL_INVALID",
      });
    await assert.rejects(calculator.call(callOf("C", "calculator", { expression: "9^9^9" }), "?", run()), {
      code: "TOOL_REFUSED",
    });
    await assert.rejects(
      openTool(
        { name: "C", type: "calculator", config: { precision_digits: "many" }, permissions: {} },
        drivers(),
      ),
      {
        code: "CONFIG_INVALID",
        message: /precision_digits/,
      },
    );
  });
});

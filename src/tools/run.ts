import type { Tool, ToolCall, ToolResult } from "../core/answers/tool.ts";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import type { Decision } from "../core/permission.ts";
import { abortable, type Run } from "../core/run.ts";

/** Time limit of a call whose tool does not end by itself, ms; tools have shorter limits. */
const callTimeoutMs = 150_000;
/** Most calls per question; further ones are a sign of a malfunction and are refused by name. */
const maxCalls = 8;

/** Waits for a call until its limit or the end of the run. */
async function limited<T>(
  work: (run: Run) => Promise<T>,
  call: ToolCall,
  run: Run,
  timeoutMs: number,
): Promise<T> {
  const ended = new AbortController();
  const signal = AbortSignal.any([run.signal, ended.signal]);
  const timer = setTimeout(() => {
    ended.abort(
      new RagctlError("TOOL_TIMEOUT", `${call.tool} did not finish within ${timeoutMs} ms`, {
        hint: "ask for less, or raise timeout_ms of the tool",
      }),
    );
  }, timeoutMs);
  try {
    signal.throwIfAborted();
    return await abortable(work({ ...run, signal }), signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs calls concurrently and reports each one: a call that is denied, fails or takes too long does not
 * affect the others. The permission is checked right before each call. Only the end of the run itself is
 * thrown.
 */
export async function runTools(
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, Tool>,
  allowed: (call: ToolCall) => Decision | Promise<Decision>,
  question: string,
  run: Run,
  timeoutMs: number = callTimeoutMs,
): Promise<readonly ToolResult[]> {
  const one = async (call: ToolCall, index: number): Promise<ToolResult> => {
    const started = performance.now();
    const result = (
      status: ToolResult["status"],
      code: string,
      message: string,
      brought: Partial<ToolResult> = {},
    ): ToolResult => {
      const durationMs = performance.now() - started;
      run.log.event("tool-end", {
        tool: call.tool,
        type: call.type,
        status,
        code,
        duration_ms: durationMs,
        findings: brought.findings?.length ?? 0,
      });
      return { call, status, code, message, findings: [], data: {}, ...brought, durationMs };
    };
    try {
      if (index >= maxCalls)
        return result("denied", "TOOL_REFUSED", `at most ${maxCalls} tools can be called per question`);
      const decision = await allowed(call);
      if (decision.effect === "deny") return result("denied", "PERMISSION_DENIED", decision.reason);
      const tool = tools.get(call.tool);
      if (tool === undefined || tool.type !== call.type)
        return result("failed", "NOT_FOUND", `there is no tool ${call.tool}`);
      const { message, findings, data } = await limited(
        (own) => tool.call(call, question, own),
        call,
        run,
        timeoutMs,
      );
      return result("ok", "", message, { findings, data });
    } catch (error) {
      run.signal.throwIfAborted();
      const known = asRagctlError(error);
      return result(known.code === "TOOL_REFUSED" ? "denied" : "failed", known.code, known.message);
    }
  };
  return Promise.all(calls.map(one));
}

import type { Context, Tracer } from "@opentelemetry/api";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import { lazy } from "../core/lazy.ts";
import type { Run } from "../core/run.ts";
import { z } from "../core/schema.ts";

/** Follows work as spans of OpenTelemetry, whose attributes are numbers and names of ours: never a text. */
export interface Telemetry {
  /** Runs work under a span; phases and nodes that it logs become spans below. */
  call<T>(name: string, run: Run, work: (run: Run) => Promise<T>): Promise<T>;
  /** The same for events, until they end or are no longer consumed. */
  stream<T>(name: string, run: Run, work: (run: Run) => AsyncGenerator<T>): AsyncGenerator<T>;
  /**
   * Follows an HTTP request as the parent span of its work; `answered` records its route and status at the
   * end.
   */
  request(
    method: string,
    work: () => Promise<void>,
    answered: () => { readonly route: string; readonly status: number },
  ): Promise<void>;
  /** Sends pending spans. */
  flush(): Promise<void>;
}

/** Follows nothing. */
export const noTelemetry: Telemetry = {
  call: (_, run, work) => work(run),
  stream: (_, run, work) => work(run),
  request: (_, work) => work(),
  flush: async () => undefined,
};

type Api = typeof import("@opentelemetry/api");

const sdkPackage: string = "@opentelemetry/sdk-node";

/** One for the process: it registers itself with the API, and takes its options from the environment. */
const startSdk = lazy(async () => {
  const loaded: unknown = await import(sdkPackage).catch((cause: unknown) => {
    throw new RagctlError("CONFIG_INVALID", `tracing is enabled, but ${sdkPackage} is not installed`, {
      hint: `run npm install ${sdkPackage} next to ragctl, or unset OTEL_EXPORTER_OTLP_ENDPOINT`,
      cause,
    });
  });
  const { NodeSDK } = z
    .object({ NodeSDK: z.custom<new (options: object) => { start(): void }>() })
    .parse(loaded);
  new NodeSDK({ serviceName: "ragctl", instrumentations: [] }).start();
});

/**
 * Traces where the standard variables name an endpoint; else nothing is loaded. @throws CONFIG_INVALID where
 * the SDK is not installed
 */
export async function openTelemetry(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Telemetry> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  const isOff = /^true$/i.test(environment["OTEL_SDK_DISABLED"] ?? "");
  if (isOff || ((all ?? "") === "" && (traces ?? "") === "")) return noTelemetry;
  await startSdk();
  return createTelemetry(await import("@opentelemetry/api"));
}

/**
 * A run whose events become child spans where they report a duration. An event is logged when its subject has
 * ended.
 */
function followed(run: Run, tracer: Tracer, below: Context): Run {
  const event: Run["log"]["event"] = (kind, fields = {}) => {
    run.log.event(kind, fields);
    const { duration_ms: durationMs, phase, node } = fields;
    if (typeof durationMs !== "number") return;
    const numbers = Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "number" ? [[`ragctl.${name}`, value]] : [],
    );
    const endTime = Date.now();
    const options = { startTime: endTime - durationMs, attributes: Object.fromEntries(numbers) };
    tracer.startSpan(String(phase ?? node ?? kind), options, below).end(endTime);
  };
  return { ...run, log: { ...run.log, event } };
}

/** Telemetry over whichever provider is registered with the API. */
export function createTelemetry(api: Api): Telemetry {
  const tracer = api.trace.getTracer("ragctl");
  const begin = (name: string, run: Run) => {
    const span = tracer.startSpan(name, { attributes: { "ragctl.run": run.id } });
    return {
      below: followed(run, tracer, api.trace.setSpan(api.context.active(), span)),
      fail(thrown: unknown): never {
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: asRagctlError(thrown).code });
        throw thrown;
      },
      [Symbol.dispose]: () => span.end(),
    };
  };
  return {
    async call(name, run, work) {
      using begun = begin(name, run);
      return await work(begun.below).catch(begun.fail);
    },
    async *stream(name, run, work) {
      using begun = begin(name, run);
      try {
        yield* work(begun.below);
      } catch (thrown) {
        begun.fail(thrown);
      }
    },
    async request(method, work, answered) {
      const span = tracer.startSpan(method, { kind: api.SpanKind.SERVER });
      await api.context.with(api.trace.setSpan(api.context.active(), span), work).finally(() => {
        const { route, status } = answered();
        span.updateName(`${method} ${route}`);
        span.setAttributes({
          "http.request.method": method,
          "http.route": route,
          "http.response.status_code": status,
        });
        if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      });
    },
    async flush() {
      // The API returns a proxy for the registered provider; `forceFlush` belongs to the SDK's own.
      const proxy = api.trace.getTracerProvider() as {
        getDelegate?: () => { forceFlush?: () => Promise<void> };
      };
      await proxy.getDelegate?.().forceFlush?.();
    },
  };
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Answer } from "../core/answers/answer.ts";

/** The metrics of a server; docs/reference/metrics.md lists the names. */
export interface Metrics {
  /** Times of requests are measured to the end of the headers: a stream continues after them. */
  request(route: string, method: string, status: number, seconds: number): void;
  /** A stream or socket that is open; to be disposed when it ends. */
  stream(kind: "events" | "socket"): Disposable;
  answer(answer: Pick<Answer, "verdict" | "phases">): void;
  upload(bytes: number): void;
  signIn(outcome: string): void;
  job(state: string): void;
  /** The text that Prometheus reads, and its content type. */
  exposition(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/** Bounds of latencies in seconds: from a cached page to a long answer on a processor. */
const buckets = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

function openCounters(register: Registry) {
  const registers = [register];
  return {
    requests: new Histogram({
      name: "ragctl_http_request_duration_seconds",
      help: "Time from a request to the headers of its response, by route, method and status.",
      labelNames: ["route", "method", "status"],
      buckets,
      registers,
    }),
    streams: new Gauge({
      name: "ragctl_streams",
      help: "Open event streams and sockets.",
      labelNames: ["kind"],
      registers,
    }),
    answers: new Counter({
      name: "ragctl_answers_total",
      help: "Answers by verdict.",
      labelNames: ["verdict"],
      registers,
    }),
    phases: new Histogram({
      name: "ragctl_answer_phase_duration_seconds",
      help: "Time of an answer in each phase of docs/reference/metrics.md.",
      labelNames: ["phase"],
      buckets,
      registers,
    }),
    uploads: new Counter({ name: "ragctl_upload_bytes_total", help: "Bytes uploaded.", registers }),
    signIns: new Counter({
      name: "ragctl_sign_ins_total",
      help: "Sign-ins by outcome: signed-in, refused, locked-out, acting-as.",
      labelNames: ["outcome"],
      registers,
    }),
    jobs: new Counter({
      name: "ragctl_jobs_total",
      help: "Jobs finished by this server's worker, by state.",
      labelNames: ["state"],
      registers,
    }),
  };
}

/** Creates the counters of one server. */
export function createServerMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const { requests, streams, answers, phases, uploads, signIns, jobs } = openCounters(register);
  return {
    request: (route, method, status, seconds) =>
      requests.observe({ route, method, status: String(status) }, seconds),
    stream(kind) {
      streams.inc({ kind });
      const stream = new DisposableStack();
      stream.defer(() => streams.dec({ kind }));
      return stream;
    },
    answer({ verdict, phases: list }) {
      answers.inc({ verdict: verdict.status });
      for (const { phase, durationMs } of list) phases.observe({ phase }, durationMs / 1000);
    },
    upload: (bytes) => uploads.inc(bytes),
    signIn: (outcome) => signIns.inc({ outcome }),
    job: (state) => jobs.inc({ state }),
    exposition: async () => ({ text: await register.metrics(), contentType: register.contentType }),
  };
}

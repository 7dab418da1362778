import type { McpHandler, ServedApp } from "../app/serving.ts";
import type { Telemetry } from "../app/telemetry.ts";
import type { Settings } from "../config/settings.ts";
import type { AnswerEvent } from "../core/answers/answer.ts";
import type { Run } from "../core/run.ts";
import type { Originals } from "./files/original.ts";
import type { Uploads } from "./files/uploads.ts";
import type { Hosts } from "./hosts.ts";
import type { Metrics } from "./metrics.ts";
import type { News } from "./rooms/news.ts";
import type { Authenticator } from "./sign-in/authenticator.ts";
import type { UnderWay } from "./stream/under-way.ts";

/** What routes need to answer requests. */
export interface Server {
  readonly app: ServedApp;
  readonly settings: Settings;
  readonly programVersion: string;
  readonly log: Run["log"];
  readonly hosts: Hosts;
  readonly auth: Authenticator;
  readonly uploads: Uploads;
  readonly originals: Originals;
  readonly metrics: Metrics;
  readonly news: News;
  readonly underWay: UnderWay<AnswerEvent>;
  /** Aborted when the server stops accepting requests; streams continue for a while. */
  readonly stopping: AbortSignal;
  /** Aborted when the remaining streams must end. */
  readonly stopped: AbortSignal;
  readonly mcp?: McpHandler;
  readonly telemetry?: Telemetry;
}

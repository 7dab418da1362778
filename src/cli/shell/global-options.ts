import { type Command, Option } from "commander";
import { collectValues } from "../../operations/derive/typed.ts";

const outputFormats = ["text", "json", "jsonl"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** What may be given before or after any command's name. */
export interface GlobalFlags {
  readonly format?: OutputFormat;
  readonly json?: boolean;
  readonly home?: string;
  readonly set?: readonly string[];
  readonly trust?: boolean;
  readonly quiet?: boolean;
  readonly jsonLogs?: boolean;
  readonly logFile?: string;
  readonly color?: boolean;
  readonly as?: string;
  readonly threads?: number;
  readonly chunkSize?: number;
  readonly chunkOverlap?: number;
  readonly llmModel?: string;
  readonly contextWindow?: number;
  readonly embeddingModel?: string;
  readonly milvusUri?: string;
  readonly rerankerModel?: string;
  readonly exportType?: "doc_chunks" | "markdown";
  readonly resident?: boolean;
}

/** Flags that every command takes, before or after its name. */
export function globalOptions(command: Command): Command {
  return command
    .optionsGroup("Every command:")
    .helpOption("-h, --help", "display help for command")
    .addOption(new Option("--format <format>", "output format on stdout").choices(outputFormats))
    .option("--json", "same as --format json")
    .option("--home <dir>", "folder that holds the registry, vectors, models and caches (RAGCTL_HOME)")
    .option("--as <principal>", "act as this principal, with its permissions (default: the owner)")
    .addOption(
      new Option(
        "--set <key=value>",
        "override a setting, e.g. --set retrieve.topK=8; may be repeated",
      ).argParser(collectValues((text) => text)),
    )
    .option("--trust", "accept all settings in the project file, even if another user owns it")
    .option("-q, --quiet", "print no progress or notes on stderr")
    .option("--json-logs", "log one JSON event per phase to stderr")
    .option("--log-file <file>", "append JSON events to a file")
    .option("--no-color", "disable colours (same as NO_COLOR)")
    .option("--no-resident", "load models in this process instead of the resident one");
}

import type { Command } from "commander";
import { stopShape } from "../shapes/machine.ts";
import { statusShape } from "../shapes/shapes.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { bytes, duration } from "../shell/text.ts";

/** `ragctl status` and `stop`: the resident process that owns the local databases. */
export function registerHost(program: Command): void {
  program
    .command("status")
    .description("show the resident process that runs the local Milvus; exit status 3 when it is not running")
    .addHelpText("after", "\nExample:\n  ragctl status")
    .action(
      action(async (session) => {
        const status = await (await session.app()).hostStatus();
        if (status === null) {
          session.output.result({
            text: "not running; the first command that needs it starts it",
            data: statusShape(null),
          });
          session.exit(3);
          return;
        }
        const rows = status.instances.map((instance) => [
          instance.name,
          String(instance.pid),
          bytes(instance.rssBytes),
          instance.uri,
        ]);
        const text = [
          `running: pid ${status.pid}, up ${duration(status.uptimeMs)}, ${status.clients} in use`,
          ...(rows.length === 0 ? [] : [table(["instance", "pid", "memory", "address"], rows)]),
        ].join("\n");
        session.output.result({ text, data: statusShape(status) });
      }),
    );

  program
    .command("stop")
    .description("stop the resident process without waiting until it is idle")
    .addHelpText("after", "\nExample:\n  ragctl stop")
    .action(
      action(async (session) => {
        await session.ownerOnly("stop the resident process");
        const stopped = await (await session.app()).stopHost();
        session.output.result({
          text: stopped ? "stopped" : "nothing was running",
          data: stopShape({ stopped }),
        });
      }),
    );
}

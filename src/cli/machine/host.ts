import type { Command } from "commander";
import type { HostStatus } from "../../app/machine.ts";
import { sameName } from "../../core/decide.ts";
import { ownerName } from "../../core/permission.ts";
import { statusShape, stopShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { bytes, duration } from "../shell/text.ts";

/** What a person reads of a resident process: itself, what it runs, which models it holds, its databases. */
function statusText({ pid, uptimeMs, rssBytes, clients, commands, models, instances }: HostStatus): string {
  const head = `running: pid ${pid}, up ${duration(uptimeMs)}, ${bytes(rssBytes)}, ${clients} in use`;
  const tables = [
    table(
      ["command", "principal", "running"],
      commands.map(({ command, principal, runningMs }) => [command, principal, duration(runningMs)]),
    ),
    table(
      ["model", "for", "file", "commands", "waiting"],
      models.map(({ id, task, fileBytes, users, waiting }) => [id, task, bytes(fileBytes), users, waiting]),
    ),
    table(
      ["instance", "pid", "memory", "address"],
      instances.map(({ name, pid: server, rssBytes: held, uri }) => [name, server, bytes(held), uri]),
    ),
  ];
  const isFull = [commands, models, instances].map(({ length }) => length > 0);
  return [head, ...tables.filter((_, at) => isFull[at])].join("\n");
}

/** `ragctl status` and `stop`: the resident process that keeps models and local databases open. */
export function registerHost(program: Command): void {
  declared(program, "status")
    .addHelpText("after", "\nExample:\n  ragctl status")
    .action(
      action(async (session) => {
        const status = await (await session.machine()).hostStatus();
        if (status === null) {
          session.output.result({
            text: "not running; the first command that needs it starts it",
            data: statusShape(null),
          });
          session.exit(3);
          return;
        }
        const { principal } = session.run;
        const commands = status.commands.filter(
          (each) => principal === ownerName || sameName(each.principal, principal),
        );
        session.output.result({
          text: statusText({ ...status, commands }),
          data: statusShape({ ...status, commands }),
        });
      }),
    );

  declared(program, "stop")
    .addHelpText("after", "\nExample:\n  ragctl stop")
    .action(
      action(async (session) => {
        await session.ownerOnly("stop the resident process");
        const stopped = await (await session.machine()).stopHost();
        session.output.result({
          text: stopped ? "stopped" : "nothing was running",
          data: stopShape({ stopped }),
        });
      }),
    );
}

import type { Command } from "commander";
import type { HostStatus } from "../../app/machine.ts";
import { sameName } from "../../core/decide.ts";
import { ownerName } from "../../core/permission.ts";
import { bytes, duration, plural } from "../../operations/text.ts";
import { statusShape, stopShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";

/** The visible status of a resident process: only the owner sees its pid and its databases. */
type SeenStatus = Omit<HostStatus, "pid"> & { readonly pid?: number };

/** The status as a principal sees it; of the commands, others see only their own. */
function seenBy(principal: string, status: HostStatus): SeenStatus {
  if (principal === ownerName) return status;
  const { pid: _, ...rest } = status;
  const commands = status.commands.filter((each) => sameName(each.principal, principal));
  return { ...rest, commands, instances: [] };
}

/** The status of a resident process in text: the process, its commands, its loaded models, its databases. */
function statusText({ pid, uptimeMs, rssBytes, clients, commands, models, instances }: SeenStatus): string {
  const head = `running: ${pid === undefined ? "" : `pid ${pid}, `}up ${duration(uptimeMs)}, ${bytes(rssBytes)}, ${plural(clients, "client")}`;
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
  const shown = { examples: ["ragctl status"] };
  defineCommand(declare(program, "status"), shown, async ({ machine, output, run, exit }) => {
    const status = await (await machine()).hostStatus();
    if (status === null) {
      const text = "not running; it starts with the first command that needs it";
      output.result({ text, data: statusShape(null) });
      return exit(3);
    }
    const seen = seenBy(run.principal, status);
    output.result({ text: statusText(seen), data: statusShape(seen) });
  });
  const ended = { examples: ["ragctl stop"] };
  defineCommand(declare(program, "stop"), ended, async ({ machine, ownerOnly, output }) => {
    await ownerOnly("stop the resident process");
    const stopped = await (await machine()).stopHost();
    output.result({ text: stopped ? "stopped" : "not running", data: stopShape({ stopped }) });
  });
}

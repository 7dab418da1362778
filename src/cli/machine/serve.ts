import type { Command } from "commander";
import type { StartServer } from "../../app/serving.ts";
import { ownerName } from "../../core/permission.ts";
import { servingShape } from "../../shapes/machine.ts";
import { programVersion } from "../../version.ts";
import { declared } from "../commands.ts";
import { listOption, portNumber } from "../shell/options.ts";
import { action, type Session } from "../shell/session.ts";

interface ServeFlags {
  readonly host: string;
  readonly port: number;
  readonly auth: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: boolean;
  readonly origin?: readonly string[];
}

/** `ragctl serve`: the home over HTTP, for a browser, scripts and other programs. */
export function registerServe(program: Command, { server: start }: { readonly server: StartServer }): void {
  declared(program, "serve")
    .option("--port <n>", "port to listen on; 0 picks a free one", portNumber, 7070)
    .option(
      "--host <address>",
      "address to listen on; one that other machines can reach requires keys, and TLS or a proxy",
      "127.0.0.1",
    )
    .option("--no-auth", "disable authentication for local clients; they act as the principal of --as")
    .option("--tls-cert <file>", "PEM file with the TLS certificate")
    .option("--tls-key <file>", "PEM file with the key of the certificate")
    .option(
      "--behind-proxy",
      "TLS terminates at a reverse proxy, which appends the client's address to X-Forwarded-For",
    )
    .addOption(
      listOption(
        "--origin <url>",
        "URL at which people reach the server, e.g. https://rag.example.org; may be repeated",
      ),
    )
    .addHelpText(
      "after",
      '\nExamples:\n  ragctl serve --port 7070\n  curl -H "Authorization: Bearer $KEY" http://127.0.0.1:7070/v1/documents\n\nTo create a key: ragctl principals key add NAME\nRoutes: /openapi.json and docs/reference/server.md',
    )
    .action(action((session, flags: ServeFlags) => serve(session, flags, start)));
}

async function serve(session: Session, flags: ServeFlags, start: StartServer): Promise<void> {
  const { origin, behindProxy = false, ...rest } = flags;
  const app = await session.app();
  const running = await start(
    { ...rest, behindProxy, origins: origin ?? [] },
    { app, settings: session.settings, programVersion, run: session.run, telemetry: app.telemetry },
  );
  const { principal } = session.run;
  const who = principal === ownerName ? "the owner" : principal;
  session.output.note(
    running.link === running.url ? "Open this address:" : `Open this link; it signs you in as ${who}:`,
  );
  session.output.result({
    text: running.link,
    data: servingShape(running),
  });
  session.output.note("Press Ctrl-C to stop the server.");
  await session.drain(() => running.stop());
}

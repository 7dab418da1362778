import type { Command } from "commander";
import type { StartServer } from "../../app/serving.ts";
import { ownerName } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import { numberOf } from "../../operations/derive/typed.ts";
import { text, textFlags, toggle } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { servingShape } from "../../shapes/machine.ts";
import { programVersion } from "../../version.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import type { Session } from "../shell/session.ts";

const input = {
  port: field(
    "--port <n>",
    z
      .string()
      .transform(numberOf)
      .refine(
        (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
        "must be a port from 0 to 65535",
      )
      .default(7070),
    "port to listen on; 0 picks a free one",
  ),
  host: field(
    "--host <address>",
    z.string().default("127.0.0.1"),
    "address to listen on; one that other machines can reach requires keys, and TLS or a proxy",
  ),
  noAuth: toggle("--no-auth", "disable authentication for local clients; they act as the principal of --as"),
  tlsCert: text("--tls-cert <file>", "PEM file with the TLS certificate"),
  tlsKey: text("--tls-key <file>", "PEM file with the key of the certificate"),
  behindProxy: toggle(
    "--behind-proxy",
    "TLS terminates at a reverse proxy, which appends the client's address to X-Forwarded-For",
  ),
  origin: textFlags(
    "--origin <url>",
    "URL at which people reach the server, e.g. https://rag.example.org; may be repeated",
  ),
};
const examples = [
  "ragctl serve --port 7070",
  'curl -H "Authorization: Bearer $KEY" http://127.0.0.1:7070/v1/documents',
];
const advice =
  "To create a key: ragctl principals key add NAME\nRoutes: /openapi.json and docs/reference/server.md";

/** `ragctl serve`: the home over HTTP, for a browser, scripts and other programs. */
export function registerServe(program: Command, { server: start }: { readonly server: StartServer }): void {
  defineCommand(declare(program, "serve"), { input, examples, advice }, (session, flags) =>
    serve(session, flags, start),
  );
}

async function serve(session: Session, flags: InputOf<typeof input>, start: StartServer): Promise<void> {
  const { origin: origins = [], noAuth, tlsCert, tlsKey, ...rest } = flags;
  const app = await session.app();
  const running = await start(
    { ...rest, ...defined({ tlsCert, tlsKey }), auth: !noAuth, origins },
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
  if (principal === ownerName && (await app.permissions.principals(session.run)).length > 1) {
    const open = (await app.collections(session.run)).filter(({ instance }) => instance === "public");
    const names = open.map(({ name }) => name).join(", ");
    session.output.note(`Everybody who signs in can read ${names || "no collection yet"}.`);
  }
  session.output.note("Press Ctrl-C to stop the server.");
  await session.drain(() => running.stop());
}

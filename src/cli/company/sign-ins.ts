import type { Command } from "commander";
import type { RecordedSignIn } from "../../app/owner/keys.ts";
import { signInsShape } from "../../shapes/permissions.ts";
import { positiveInteger } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { timeOf } from "../shell/text.ts";

/** `ragctl principals sign-ins`: attempts to sign in to `ragctl serve`. */
export function registerSignIns(principals: Command): void {
  principals
    .command("sign-ins")
    .description(
      "list sign-ins, rejected attempts, lock-outs and impersonations at `ragctl serve`, newest first",
    )
    .option("-n, --limit <n>", "maximum number of events to list", positiveInteger, 20)
    .addHelpText(
      "after",
      "\nExample:\n  ragctl principals sign-ins --limit 50\n\nTo end all sessions of a key: ragctl principals key revoke ID. A lock-out ends after 5 minutes.",
    )
    .action(
      action(async (session, { limit }: { readonly limit: number }) => {
        const events = (await session.app()).keys.signIns(limit, session.run);
        const text =
          events.length === 0
            ? "no sign-ins yet"
            : table(["at", "what", "principal", "acting as", "key", "address"], events.map(cellsOf));
        session.output.result({ text, data: signInsShape(events) });
      }),
    );
}

const cellsOf = ({ at, outcome, principal, actingAs, keyId, address }: RecordedSignIn) => [
  timeOf(at),
  outcome,
  principal,
  actingAs,
  keyId,
  address,
];

import type { Command } from "commander";
import type { RecordedSignIn } from "../../app/owner/keys.ts";
import { signInsShape } from "../../shapes/permissions.ts";
import { positiveInteger } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { timeOf } from "../shell/text.ts";

/** `ragctl principals sign-ins`: what was tried at the door of `ragctl serve`. */
export function registerSignIns(principals: Command): void {
  principals
    .command("sign-ins")
    .description(
      "list sign-ins, refusals, lock-outs and acting as somebody else at ragctl serve, newest first",
    )
    .option("-n, --limit <n>", "how many", positiveInteger, 20)
    .addHelpText(
      "after",
      "\nExample:\n  ragctl principals sign-ins --limit 50\nTo end what was signed in by a key: ragctl principals key revoke ID. A lock-out ends after 5 minutes.",
    )
    .action(
      action(async (session, { limit }: { readonly limit: number }) => {
        const events = (await session.app()).keys.signIns(limit, session.run);
        const text =
          events.length === 0
            ? "nobody signed in yet"
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

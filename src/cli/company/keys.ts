import type { Command } from "commander";
import type { ApiKey } from "../../app/owner/keys.ts";
import { keysShape } from "../../shapes/permissions.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";

/** `ragctl principals key …`: what lets principals in at `ragctl serve`. */
export function registerKeys(principals: Command): void {
  const key = principals.command("key").description("manage the keys that let principals in at ragctl serve");
  registerAdd(key);
  registerList(key);
  registerRevoke(key);
}

function registerAdd(key: Command): void {
  key
    .command("add")
    .description("make a key; it is shown once and kept as a hash only")
    .argument("<principal>", "name or id")
    .option("--label <text>", "what it is for, e.g. the laptop it is used on")
    .option("--impersonate", "let requests with it act as another principal, by the header X-Ragctl-As")
    .addHelpText("after", '\nExample:\n  ragctl principals key add ada --label "laptop"')
    .action(
      action(
        async (
          session,
          principal: string,
          flags: { readonly label?: string; readonly impersonate?: boolean },
        ) => {
          const { keys } = await session.app();
          const input = { label: flags.label ?? "", mayImpersonate: flags.impersonate === true };
          const { key: made, record } = await keys.add(principal, input, session.run);
          session.output.result({ text: made, data: keysShape([record], made) });
          session.output.note(`key ${record.id} of ${record.principal}: keep it, it is not shown again`);
        },
      ),
    );
}

function registerList(key: Command): void {
  key
    .command("list")
    .description("list keys, newest first; the keys themselves are not kept")
    .argument("[principal]", "name or id (default: all)")
    .addHelpText("after", "\nExample:\n  ragctl principals key list ada")
    .action(
      action(async (session, principal: string | undefined) => {
        const keys = (await session.app()).keys.list(principal, session.run);
        const text =
          keys.length === 0
            ? "no keys; `ragctl principals key add NAME` makes one"
            : table(["key", "principal", "label", "made", "last used", "state"], keys.map(cellsOf));
        session.output.result({ text, data: keysShape(keys) });
      }),
    );
}

const cellsOf = ({ id, principal, label, createdAt, lastUsedAt, revokedAt, mayImpersonate }: ApiKey) => [
  id,
  principal,
  label,
  createdAt.slice(0, 10),
  lastUsedAt?.slice(0, 16).replace("T", " ") ?? "never",
  revokedAt === null ? (mayImpersonate ? "valid, may act as others" : "valid") : "revoked",
];

function registerRevoke(key: Command): void {
  key
    .command("revoke")
    .description("end a key, and whatever is signed in by it")
    .argument("<id>", "12 characters, as key list shows them")
    .addHelpText("after", "\nExample:\n  ragctl principals key revoke 0123456789ab")
    .action(
      action(async (session, id: string) => {
        const record = (await session.app()).keys.revoke(id, session.run);
        session.output.result({
          text: `revoked ${record.id} of ${record.principal}`,
          data: keysShape([record]),
        });
      }),
    );
}

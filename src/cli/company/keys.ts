import type { Command } from "commander";
import type { ApiKey } from "../../app/owner/keys.ts";
import { keysShape } from "../../shapes/permissions.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";

/** `ragctl principals key …`: keys with which principals sign in to `ragctl serve`. */
export function registerKeys(principals: Command): void {
  const key = principals
    .command("key")
    .description("manage API keys, which sign principals in to `ragctl serve`");
  registerAdd(key);
  registerList(key);
  registerRevoke(key);
}

function registerAdd(key: Command): void {
  key
    .command("add")
    .description("create a key; it is shown once and only its hash is stored")
    .argument("<principal>", "name or id")
    .option("--label <text>", "purpose of the key, e.g. the laptop it is used on")
    .option("--impersonate", "allow requests with this key to act as another principal (header X-Ragctl-As)")
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
          const { key: made, record } = keys.add(principal, input, session.run);
          session.output.result({ text: made, data: keysShape([record], made) });
          session.output.note(
            `key ${record.id} for ${record.principal}; store it now, it is not shown again`,
          );
        },
      ),
    );
}

function registerList(key: Command): void {
  key
    .command("list")
    .description("list keys by id, newest first; the secrets are not stored")
    .argument("[principal]", "name or id (default: all)")
    .addHelpText("after", "\nExample:\n  ragctl principals key list ada")
    .action(
      action(async (session, principal: string | undefined) => {
        const keys = (await session.app()).keys.list(principal, session.run);
        const text =
          keys.length === 0
            ? "no keys; create one with `ragctl principals key add NAME`"
            : table(["key", "principal", "label", "created", "last used", "state"], keys.map(cellsOf));
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
    .description("revoke a key and end every session signed in with it")
    .argument("<id>", "id of 12 characters, as listed by `ragctl principals key list`")
    .addHelpText("after", "\nExample:\n  ragctl principals key revoke 0123456789ab")
    .action(
      action(async (session, id: string) => {
        const record = (await session.app()).keys.revoke(id, session.run);
        session.output.result({
          text: `revoked key ${record.id} of ${record.principal}`,
          data: keysShape([record]),
        });
      }),
    );
}

import { ownerOnly, owners } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { keysShape, signInsShape } from "../../shapes/permissions.ts";
import { limit, name, text, toggle } from "../fields.ts";
import { field, type Operation, operation } from "../operation.ts";
import { listed } from "../result-text.ts";
import { timeOf } from "../text.ts";

const group = "manage API keys, which sign principals in to `ragctl serve`";

const add = operation({
  name: "principals key add",
  summary: "create a key; it is shown once and only its hash is stored",
  group,
  input: {
    principal: field("<principal>", name, "name or id"),
    label: text("--label <text>", "purpose of the key, e.g. the laptop it is used on"),
    impersonate: toggle(
      "--impersonate",
      "allow requests with this key to act as another principal (header X-Ragctl-As)",
    ),
  },
  document: "keys",
  examples: ['ragctl principals key add ada --label "laptop"'],
  attempt: () => [{ input: { principal: "owner" }, ...ownerOnly }],
  run: (app, { principal, label = "", impersonate: mayImpersonate }, { run }) =>
    app.keys.add(principal, { label, mayImpersonate }, run),
  print: ({ record, key }) => keysShape([record], key),
  text: ({ key }) => key,
  notes: ({ record }) => [`key ${record.id} for ${record.principal}; store it now, it is not shown again`],
});

const list = operation({
  name: "principals key list",
  summary: "list keys by id, newest first; the secrets are not stored",
  input: { principal: field("[principal]", name.optional(), "name or id (default: all)") },
  document: "keys",
  examples: ["ragctl principals key list ada"],
  attempt: () => [owners],
  run: (app, input, { run }) => app.keys.list(input.principal, run),
  print: (keys) => keysShape(keys),
  text: (keys) =>
    listed(keys, "no keys; create one with `ragctl principals key add NAME`", {
      key: ({ id }) => id,
      principal: ({ principal }) => principal,
      label: ({ label }) => label,
      created: ({ createdAt }) => createdAt.slice(0, 10),
      "last used": ({ lastUsedAt }) => lastUsedAt?.slice(0, 16).replace("T", " ") ?? "never",
      state: ({ revokedAt, mayImpersonate }) =>
        revokedAt === null ? (mayImpersonate ? "valid, may act as others" : "valid") : "revoked",
    }),
});

const revoke = operation({
  name: "principals key revoke",
  summary: "revoke a key and end every session signed in with it",
  input: { id: field("<id>", z.string(), "id of 12 characters, as listed by `ragctl principals key list`") },
  document: "keys",
  examples: ["ragctl principals key revoke 0123456789ab"],
  attempt: () => [{ input: { id: "0123456789ab" }, ...ownerOnly }],
  run: (app, { id }, { run }) => app.keys.revoke(id, run),
  print: (record) => keysShape([record]),
  text: ({ id, principal }) => `revoked key ${id} of ${principal}`,
});

const signIns = operation({
  name: "principals sign-ins",
  summary: "list sign-ins, rejected attempts, lock-outs and impersonations at `ragctl serve`, newest first",
  input: { limit: limit(10_000, 20, "maximum number of events to list") },
  document: "sign-ins",
  examples: ["ragctl principals sign-ins --limit 50"],
  advice: "To end all sessions of a key: ragctl principals key revoke ID. A lock-out ends after 5 minutes.",
  attempt: () => [owners],
  run: (app, input, { run }) => app.keys.signIns(input.limit, run),
  print: signInsShape,
  text: (events) =>
    listed(events, "no sign-ins yet", {
      at: ({ at }) => timeOf(at),
      what: ({ outcome }) => outcome,
      principal: ({ principal }) => principal,
      "acting as": ({ actingAs }) => actingAs,
      key: ({ keyId }) => keyId,
      address: ({ address }) => address,
    }),
});

/** Keys with which principals sign in to a server, and what became of it. */
export const keyOperations: readonly Operation[] = [add, list, revoke, signIns];

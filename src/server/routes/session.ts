import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { type Call, type Endpoint, endpoint, withTag } from "../define-route.ts";
import { json } from "../reply.ts";
import { session, sessionShape } from "../shapes.ts";
import type { Visitor } from "../sign-in/authenticator.ts";

async function shapeOf({ holder, session: opened }: Visitor, { server, run }: Pick<Call, "server" | "run">) {
  const { name, kind, departments } = await server.app.permissions.principal(run);
  return sessionShape({
    principal: name,
    kind,
    departments,
    csrfToken: opened?.csrfToken ?? "",
    signedInBy: holder.by,
    mayImpersonate: holder.mayImpersonate,
  });
}

/** Signing a browser in and out. */
export const sessions: readonly Endpoint[] = withTag("Sign-in", [
  endpoint(
    "GET /v1/session",
    "Show who is signed in",
    {
      answers: { 200: { description: "Who is signed in, and the CSRF token", schema: session } },
    },
    async (_, call) => json(await shapeOf(call.visitor, call)),
  ),
  endpoint(
    "POST /v1/session",
    "Sign a browser in with a key; the response sets a cookie",
    {
      open: true,
      body: z.strictObject({ key: z.string().min(1).max(200) }),
      answers: { 200: { description: "Who is signed in, and the CSRF token", schema: session } },
    },
    async ({ body: { key } }, { server, run, request, visitor: { address } }) => {
      const { session: opened, cookie } = await server.auth.signIn(key, address, request);
      const visitor = { holder: opened.holder, principal: opened.holder.principal, session: opened, address };
      const signedIn = { server, run: { ...run, principal: visitor.principal } };
      return json(await shapeOf(visitor, signedIn), 200, { "set-cookie": cookie });
    },
  ),
  endpoint(
    "DELETE /v1/session",
    "Sign a browser out",
    {
      answers: { 204: { description: "Signed out" } },
    },
    (_, { server, request }) =>
      new Response(null, { status: 204, headers: { "set-cookie": server.auth.signOut(request) } }),
  ),
]);

/** The error for a request without sign-in. */
export const signInRequiredError = (): RagctlError =>
  new RagctlError("SIGN_IN_REQUIRED", "nobody is signed in", {
    hint: "send Authorization: Bearer KEY, or open the link that `ragctl serve` printed",
  });

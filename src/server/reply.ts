import { roundForOutput } from "../shapes/printed.ts";

/** A JSON response; numbers are rounded as on the command line. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(roundForOutput(value)), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

import { doctorShape } from "../../shapes/machine.ts";
import { type Endpoint, endpoint, tagged } from "../endpoint.ts";
import { json } from "../reply.ts";
import { shows } from "../shapes.ts";

/** Models, stores and the machine; for the owner. */
export const machine: readonly Endpoint[] = tagged("State", [
  endpoint(
    "GET /v1/doctor",
    "Check models, stores and the machine; owner only",
    shows("Checks", "doctor"),
    async (_, { server: { app }, run }) => {
      app.ownerOnly(run, "check the machine");
      return json(doctorShape(await app.doctor(run)));
    },
  ),
]);

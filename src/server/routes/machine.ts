import { doctorShape } from "../../shapes/machine.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { json } from "../reply.ts";
import { documentNamed } from "../shapes.ts";

/** Models, stores and the machine; for the owner. */
export const machine: readonly Endpoint[] = [
  endpoint(
    {
      method: "get",
      path: "/v1/doctor",
      tag: "State",
      summary: "Check the models, the stores and the machine; for the owner",
      answers: { 200: { description: "Checks", schema: documentNamed("doctor") } },
    },
    async (_, { server: { app }, run }) => {
      app.ownerOnly(run, "check the machine");
      return json(doctorShape(await app.doctor(run)));
    },
  ),
];

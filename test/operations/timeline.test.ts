import assert from "node:assert/strict";
import { test } from "node:test";
import { timeline } from "../../src/operations/answers/timeline.ts";
import { openScene, skipScene } from "../app/scene.ts";

const files = {
  "pump.md":
    "# Cooling pump\n\nThe cooling pump was replaced on 3 March 2021 and inspected on 2022-05-04. It is blue.\n",
  "minutes.md": "# Minutes\n\nThe cooling pump failed in June 2020. Its seal arrived on 03/04/2021.\n",
};

test("dated statements about a topic are listed in order, each with its document", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", files);
  const context = { run: scene.as("owner"), topK: 5, surface: "command" } as const;
  const { data, text } = await timeline.call(
    scene.app,
    { topic: "maintenance of the cooling pump" },
    context,
  );
  const { statements } = data as { statements: { date: string; statement: string; document: string }[] };
  assert.deepEqual(
    statements.map(({ date, document }) => [date, document]),
    [
      ["2020-06", "minutes.md"],
      // Day and month cannot be told apart.
      ["2021", "minutes.md"],
      ["2021-03-03", "pump.md"],
      ["2022-05-04", "pump.md"],
    ],
  );
  assert.equal(statements[0]?.statement, "The cooling pump failed in June 2020.");
  assert.match(
    String(text()),
    /2020-06 {5}The cooling pump failed in June 2020\.\n {12}minutes\.md, Minutes/,
  );
});

test("dated statements of passages about something else are left out, however small the store", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("general_knowledge", "public", {
    ...files,
    "hiring.md": "# Hiring\n\nThe personnel office hired two welders on 1 February 2019.\n",
    "crane.md": "# Crane\n\nThe crane lifts ten tonnes. Its licence is of class G8.\n",
  });
  const context = { run: scene.as("owner"), topK: 5, surface: "command" } as const;
  const datesOf = async (topic: string): Promise<readonly string[]> => {
    const { data } = await timeline.call(scene.app, { topic }, context);
    return (data as { statements: { date: string }[] }).statements.map(({ date }) => date);
  };
  assert.deepEqual(await datesOf("hiring of welders"), ["2019-02-01"]);
  assert.deepEqual(await datesOf("the seal of the pump"), ["2020-06", "2021", "2021-03-03", "2022-05-04"]);
  // What speaks of it has no date, and what has a date speaks of something else.
  assert.deepEqual(await datesOf("licence of the crane"), []);
  assert.deepEqual(await datesOf("landing on the moon"), []);
});

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { staleAnswers } from "../../src/app/verify/stale.ts";
import { openScene, skipScene } from "./scene.ts";

test("answers whose words changed or went are listed with old and new text, others are not", {
  skip: skipScene,
}, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-stale-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await using scene = await openScene();
  const { app } = scene;
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("gate.md", "# North gate\n\nThe north gate closes at nine.\n");
  await write("crane.md", "# Crane\n\nThe harbour crane lifts 40 tonnes.\n");
  await write("canteen.md", "# Canteen\n\nThe canteen serves soup on Mondays.\n");
  await scene.ingest("general_knowledge", "public", [folder]);
  const ids = [];
  for (const question of [
    "When does the north gate close?",
    "How much does the harbour crane lift?",
    "What does the canteen serve on Mondays?",
  ])
    ids.push((await scene.ask(question, "owner")).runId);
  const stale = async (principal = "owner") => staleAnswers(100, app, app.parts.home, scene.as(principal));
  assert.deepEqual(await stale(), { answers: [], checked: 3 });

  await write("gate.md", "# North gate\n\nThe north gate closes at ten.\n");
  await write("crane.md", "# Crane\n\nThe harbour crane lifts 40 tonnes.\n\nIt was built in 1990.\n");
  await scene.ingest("general_knowledge", "public", [folder]);
  await app.forget([join(folder, "canteen.md")], scene.as("owner"));
  const { answers, checked } = await stale();
  assert.equal(checked, 3);
  assert.deepEqual(
    answers.map(({ runId, passages }) => [
      runId,
      passages.map(({ state, before, after }) => [state, before, after]),
    ]),
    [
      [ids[2], [["gone", "The canteen serves soup on Mondays.", ""]]],
      [ids[0], [["changed", "The north gate closes at nine.", "The north gate closes at ten."]]],
    ],
  );
  // Asked again, the question has a newer answer.
  await scene.ask("When does the north gate close?", "owner");
  assert.deepEqual(
    (await stale()).answers.map(({ runId }) => runId),
    [ids[2]],
  );
  await app.permissions.addPrincipal({ name: "ada" }, scene.as("owner"));
  assert.deepEqual(await stale("ada"), { answers: [], checked: 0 });
});

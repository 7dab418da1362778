import assert from "node:assert/strict";
import { it } from "node:test";
import { openScene, skipScene } from "../scene.ts";

const manual = `# Press manual

## Locks

Every energy source is locked before the guard is opened.

## Protective gear

Gloves and goggles are worn at the press.

## Noise

Ear plugs are handed out above 85 dB.
`;

it("names the heading of the sentence it quotes where short sections share a chunk", {
  skip: skipScene,
}, async () => {
  await using scene = await openScene();
  await scene.ingest("documents", "public", {
    "press.md": manual,
    "press.html": manual
      .replace(/^# (.*)$/m, "<h1>$1</h1>")
      .replace(/^## (.*)$/gm, "<h2>$1</h2>")
      .replace(/^(\w.*\.)$/gm, "<p>$1</p>"),
  });
  const expected = [
    ["When is every energy source locked?", "Press manual › Locks"],
    ["Where are gloves and goggles worn?", "Press manual › Protective gear"],
    ["Above how many dB are ear plugs handed out?", "Press manual › Noise"],
  ] as const;
  for (const [query, section] of expected) {
    const { citations, response, context } = await scene.ask(query, "owner");
    assert.equal(citations[0]?.section, section, response);
    assert.equal(context.passages[0]?.headings?.join(" › "), section);
    const search = { query, topK: 2, collections: [], mode: "hybrid" as const };
    const { hits } = await scene.app.search(search, scene.as("owner"));
    assert.deepEqual(
      hits.map(({ chunk }) => chunk.headings.join(" › ")),
      [section, section],
    );
  }
});

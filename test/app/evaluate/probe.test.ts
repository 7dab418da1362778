import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { parse } from "yaml";
import { resolveReader } from "../../../src/app/budget/reader.ts";
import { probeModel } from "../../../src/app/evaluate/probe.ts";
import type { LanguageModel, Message } from "../../../src/core/answers/answer.ts";
import { gradeProbeAnswer, readProbe } from "../../../src/pipeline/evaluate/reading.ts";
import type { ProbeReport } from "../../../src/shapes/machine.ts";
import { fakeModel, runOf } from "../../pipeline/fixtures.ts";
import { openCore, openWorld } from "../world.ts";

const probe = readProbe(
  parse(readFileSync(new URL("../../../config/reading.yaml", import.meta.url), "utf8")),
);
const questions = probe.sets.flatMap((set) => set.questions);
const declined = "The passages do not say.";
/** An answer with everything that a right one holds. */
const rightly = ({ right }: (typeof questions)[number]): string =>
  right.length === 0 ? declined : `It is ${right.map(([first]) => first).join(", ")}. [1]`;

/** A model that writes what a function makes of each question. */
function modelOf(
  says: (question: (typeof questions)[number], messages: readonly Message[]) => string,
): LanguageModel {
  return {
    ...fakeModel(""),
    async *generate(messages, options, signal) {
      const [, asked] = /\nQuestion: (.*)/.exec(messages.at(-1)?.text ?? "") ?? [];
      const question = questions.find(({ ask }) => ask === asked) ?? assert.fail(`${asked} is no question`);
      yield* fakeModel(says(question, messages)).generate(messages, options, signal);
    },
  };
}

async function scene(context: Pick<TestContext, "after">, model: LanguageModel) {
  const world = await openWorld(context);
  const file = { mark: "first" };
  const outlook = async () => {
    const subject = { id: "mine", fingerprint: file.mark };
    const reading = await core.readings.of(subject);
    return { ...subject, fileBytes: 1e9, isLoaded: true, isRemote: false, reading };
  };
  const core = openCore({ ...world.parts, localModels: { open: async () => model, outlook } });
  const level = async () => (await resolveReader({ outlook }, { topK: 5 }, core)).level;
  const report = async (run = runOf()): Promise<ProbeReport> => {
    for await (const event of probeModel("mine", core, run))
      if (event.type === "probe-end") return event.report;
    assert.fail("the probe has no end");
  };
  return { report, level, file, core };
}

describe("the questions of a probe", () => {
  it("are sixty in four languages, of every kind, each with a right answer that counts", () => {
    assert.equal(questions.length, 60);
    assert.deepEqual([...new Set(probe.sets.map(({ language }) => language))].sort(), [
      "de",
      "en",
      "fr",
      "vi",
    ]);
    for (const question of questions) {
      assert.equal(question.kind === "absent", question.right.length === 0, question.ask);
      const expected = question.kind === "absent" ? "refused" : "right";
      assert.equal(gradeProbeAnswer(question, rightly(question)), expected, question.ask);
      assert.equal(
        gradeProbeAnswer(question, "It is not known to anybody. [1]") === "right",
        question.ask.includes("fines"),
      );
    }
  });

  it("hold what is right in their passages, but where it is reckoned", () => {
    for (const { passages, questions: asked } of probe.sets) {
      const shown = passages.map(({ text }) => text).join("\n");
      for (const { kind, ask, right } of asked)
        if (kind !== "reckoning")
          assert.equal(gradeProbeAnswer({ right, wrong: [] }, shown) === "right", kind !== "absent", ask);
    }
  });
});

describe("a probe of a model", () => {
  it("makes a small file an able reader that answers and refuses rightly, until the file changes", async (test) => {
    const { report, level, file } = await scene(test, modelOf(rightly));
    assert.equal(await level(), "small");
    const { figures, level: found, why } = await report();
    const counts = figures.map(({ figure, count, of }) => `${figure} ${count}/${of}`);
    assert.deepEqual(counts, [
      ...["score 60/60", "right 50/50", "rightly_refused 10/10", "invented 0/60", "cited_in_form 50/50"],
    ]);
    assert.deepEqual([found, why], ["able", "60 of 60 probe questions answered correctly"]);
    assert.equal(await level(), "able");
    file.mark = "second";
    assert.equal(await level(), "small");
  });

  it("counts what a model invents, refuses, and cites no passage for", async (test) => {
    const says = ({ kind }: (typeof questions)[number]): string =>
      kind === "absent" ? "It is 7 of them." : declined;
    const { figures } = await (await scene(test, modelOf(says))).report();
    const shares = Object.fromEntries(figures.map(({ figure, share }) => [figure, share]));
    assert.deepEqual(shares, { score: 0, right: 0, rightly_refused: 0, invented: 10 / 60, cited_in_form: 0 });
  });

  it("shows the passages of a set alike for all of its questions, so that they are read once", async (test) => {
    const shown = new Set<string>();
    const says = (question: (typeof questions)[number], messages: readonly Message[]): string => {
      shown.add(messages.map(({ text }) => text.split("\nQuestion: ")[0]).join("\n"));
      return rightly(question);
    };
    await (await scene(test, modelOf(says))).report();
    assert.equal(shown.size, probe.sets.length);
  });

  it("ends with a model that circles or writes nothing, and finds it small", async (test) => {
    const circle = "and the pump is the pump of it ".repeat(2000);
    for (const words of [circle, ""]) {
      const { report, level } = await scene(
        test,
        modelOf(() => words),
      );
      assert.equal((await report()).level, "small");
      assert.equal(await level(), "small");
    }
  });

  it("keeps nothing when it is interrupted", async (test) => {
    const abort = new AbortController();
    let asked = 0;
    const model = modelOf((question) => {
      asked += 1;
      if (asked === 59) abort.abort(new Error("stopped by SIGINT"));
      return rightly(question);
    });
    const { report, level, core } = await scene(test, model);
    await assert.rejects(report(runOf(abort.signal)), /SIGINT/);
    assert.equal(await core.readings.of({ id: "mine", fingerprint: "first" }), undefined);
    assert.equal(await level(), "small");
  });

  it("says which model is not here", async (test) => {
    const world = await openWorld(test);
    await assert.rejects(probeModel("mine", world.core, runOf()).next(), {
      code: "MODEL_MISSING",
      hint: "run: ragctl models pull mine",
    });
  });
});

it("takes a provider by its name or as the list shows it", async (context) => {
  const { core } = await scene(context, fakeModel(""));
  for (const named of ["openai-compatible", "llm/openai-compatible"])
    await assert.rejects(Array.fromAsync(probeModel(named, core, runOf())), {
      code: "NOT_FOUND",
      message: "there is no provider llm/openai-compatible",
    });
});

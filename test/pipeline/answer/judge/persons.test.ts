import assert from "node:assert/strict";
import { it } from "node:test";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";
import { reasonOf } from "./verdicts.ts";

it("does not take the company for the person that is asked for", () => {
  const text = "Halbrook Marine Services Ltd. charges 400 EUR for the service of a pump.";
  assert.equal(
    reasonOf("Who is the CEO of Halbrook?", text, "The CEO of Halbrook is Halbrook Marine Services Ltd."),
    "no passage mentions CEO",
  );
  assert.equal(
    reasonOf(
      "Who is the managing director of Halbrook?",
      "The managing director of Halbrook Marine Services Ltd. signs every offer.",
      "The managing director of Halbrook is Halbrook Marine Services Ltd.",
    ),
    "names nobody, which is what is asked",
  );
});

it("gives nobody a role that no passage speaks of", () => {
  const signed = "The contract was signed by Ann Lee for Halbrook.";
  assert.equal(
    reasonOf(
      "Who is the managing director of Halbrook?",
      signed,
      "Ann Lee is the managing director of Halbrook.",
    ),
    "[1] says nothing of “managing director”",
  );
  assert.equal(
    reasonOf(
      "Wer ist der Geschäftsführer der Halbrook GmbH?",
      "Die Halbrook GmbH repariert Pumpen in Kiel.",
      "Der Geschäftsführer ist die Halbrook GmbH.",
    ),
    "[1] says nothing of “Geschäftsführer”",
  );
});

it("tells who did something by what was done, in whatever words the question calls them", () => {
  assert.equal(
    reasonOf(
      "Who was the receiver on the successful 2-point conversion?",
      "Newton passed to Bennie Fowler for a successful 2-point conversion.",
      "Bennie Fowler was the receiver on the successful 2-point conversion.",
    ),
    undefined,
  );
});

for (const [question, text, statement] of [
  [
    "Who is the CEO of Halbrook?",
    "The Chief Executive Officer of Halbrook is Ann Lee.",
    "The CEO of Halbrook is Ann Lee.",
  ],
  ["Who is the CEO of Halbrook?", "Ann Lee, CEO, signed for Halbrook.", "Ann Lee is the CEO of Halbrook."],
  ["Who must attend the training?", "All visitors must attend the training.", "Visitors must attend."],
  ["Who is Ann Lee?", "Ann Lee is the head of sales.", "Ann Lee is the head of sales."],
  ["Who repairs the pumps of Toller?", "Halbrook repairs the pumps of Toller.", "Halbrook repairs them."],
  [
    "Wer ist der Geschäftsführer der Halbrook GmbH?",
    "Geschäftsführerin der Halbrook GmbH ist Anna Lee.",
    "Anna Lee.",
  ],
] as const)
  it(`keeps who is asked for: ${statement} from “${text}”`, () => {
    assert.equal(reasonOf(question, text, statement), undefined);
  });

it("takes nobody from a list of those present for the one whom a row of another passage names", () => {
  const present = `Present: Ida Berg, Tom Vance. Minutes: Ida Berg.
P-7 stopped in May. It is out of service until a new shaft for it arrives.`;
  const actions = `Action | Owner | Due
Order the new shaft for P-7 | Tom Vance | 16 May
Look for the cause | Ida Berg | 3 June`;
  const reason = (statement: string, text = present): string | undefined =>
    judge(
      statement,
      [text, actions].map((one, at) => ({ marker: at + 1, text: one, chunk: chunkOf(one) })),
      "Who has to order the new shaft for P-7?",
    )[0]?.reason;
  assert.equal(
    reason("Ida Berg has to order the new shaft for P-7. [1]"),
    "“Order the new shaft for P-7 | Tom Vance | 16 May” names somebody else",
  );
  assert.equal(reason("Tom Vance has to order the new shaft for P-7. [2]"), "");
  const decided = `${present} Ida Berg has to order the new shaft for P-7 from the works.`;
  assert.equal(reason("Ida Berg has to order the new shaft for P-7. [1]", decided), "");
});

it("gives nobody the title of another", () => {
  const signed = [
    "Dated: May 2 By: / S / O LA B RANDT Ola Brandt Chief Executive Officer",
    "Dated: May 2 By: / S / T OM V ANCE Tom Vance Chief Financial Officer (principal financial officer)",
  ].join("\n\n");
  const asked = "Who signed the Halbrook report of 2015 as chief financial officer?";
  const said = (name: string) => `${name} signed the Halbrook report of 2015 as chief financial officer.`;
  assert.equal(
    reasonOf(asked, `Halbrook\n\n${signed}`, said("Ola Brandt")),
    "[1] gives Brandt another title",
  );
  assert.equal(reasonOf(asked, `Halbrook\n\n${signed}`, said("Tom Vance")), undefined);
  const both = "Ola Brandt is Chief Executive Officer of Halbrook and was Chief Financial Officer before.";
  assert.equal(reasonOf("Who was chief financial officer of Halbrook?", both, "Ola Brandt"), undefined);
});

it("gives nobody an office that nothing cited speaks of", () => {
  const signed = "HALBROOK, INC.\n\nBy: Ola Brandt Name: Ola Brandt Title: Chief Executive Officer";
  const asked = "What is the name of the governor as mentioned on the last page?";
  const said = "The name of the governor is Ola Brandt.";
  for (const given of [said, "Ola Brandt"])
    assert.equal(reasonOf(asked, signed, given), "[1] says nothing of “governor”");
  assert.equal(reasonOf(asked, "The Governor. Name: Ola Brandt", "Ola Brandt"), undefined);
  for (const text of [
    "Signed by the Governor. Name: Ola Brandt",
    "Gov. Ola Brandt signed it. Name: Ola Brandt",
    "Name: Ola Brandt, Lieutenant-Governor",
    "Unterschrieben hat das der Gouverneur, und der Name ist Ola Brandt.",
  ])
    assert.equal(reasonOf(asked, text, said), undefined, text);
  assert.equal(
    reasonOf(
      "Wie heißt der Bürgermeister?",
      "Unterschrift: Jan Beck, Geschäftsführer der Firma",
      "Der Bürgermeister heißt Jan Beck.",
    ),
    "[1] says nothing of “Bürgermeister”",
  );
});

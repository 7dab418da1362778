import assert from "node:assert/strict";
import { test } from "node:test";
import { PDFDict, PDFName } from "pdf-lib";
import { drawn, parsePdf, type Sheet } from "../pdf-make.ts";

interface Option {
  readonly label: string;
  /** Where the label starts, points from the left and the top. */
  readonly at: readonly [number, number];
  /** Where the button stands. */
  readonly button: readonly [number, number];
}

const place = ({ page }: Sheet, [x, y]: readonly [number, number]) => ({
  x,
  y: page.getHeight() - y - 2,
  width: 12,
  height: 12,
});

/** A question with radio buttons, one of them chosen. */
function ask(sheet: Sheet, name: string, options: readonly Option[], chosen: string): void {
  const group = sheet.document.getForm().createRadioGroup(name);
  for (const { label, at, button } of options) {
    sheet.write(label, ...at);
    group.addOptionToPage(label, sheet.page, place(sheet, button));
  }
  if (chosen !== "") group.select(chosen);
}

async function read(draw: (sheet: Sheet) => void): Promise<string> {
  const { blocks } = await parsePdf(await drawn([draw]));
  return blocks.map(({ text }) => text).join("\n");
}

const yesNo = (y: number): readonly Option[] => [
  { label: "Yes", at: [318, y], button: [300, y] },
  { label: "No", at: [398, y], button: [380, y] },
];

test("each option of a field has its mark before it where the buttons stand left of their labels", async () => {
  const text = await read((sheet) => {
    sheet.write("Does the applicant smoke?", 72, 100);
    ask(sheet, "smoke", yesNo(100), "No");
    sheet.write("Is the site insured?", 72, 200);
    ask(sheet, "insured", yesNo(200), "Yes");
    sheet.write("Has the tank been emptied?", 72, 300);
    ask(sheet, "tank", yesNo(300), "");
  });
  assert.match(text, /smoke\? \[ \] Yes \[x\] No/);
  assert.match(text, /insured\? \[x\] Yes \[ \] No/);
  assert.match(text, /emptied\? \[ \] Yes \[ \] No/);
});

test("and where they stand right of them or below", async () => {
  const text = await read((sheet) => {
    sheet.write("Does the applicant smoke?", 72, 100);
    const right: readonly Option[] = [
      { label: "Yes, often", at: [300, 100], button: [352, 100] },
      { label: "No", at: [400, 100], button: [418, 100] },
    ];
    ask(sheet, "smoke", right, "No");
    sheet.write("Is the site insured?", 72, 200);
    const below: readonly Option[] = [
      { label: "Yes", at: [300, 200], button: [302, 213] },
      { label: "No", at: [400, 200], button: [402, 213] },
    ];
    ask(sheet, "insured", below, "Yes");
  });
  assert.match(text, /smoke\? \[ \] Yes, often \[x\] No/);
  assert.match(text, /insured\? \[x\] Yes \[ \] No/);
});

test("two fields on a row, and checkboxes beside each other, keep their marks apart", async () => {
  const text = await read((sheet) => {
    ask(
      sheet,
      "first",
      [
        { label: "Cash", at: [90, 100], button: [72, 100] },
        { label: "Card", at: [150, 100], button: [132, 100] },
      ],
      "Card",
    );
    ask(
      sheet,
      "second",
      [
        { label: "Now", at: [250, 100], button: [232, 100] },
        { label: "Later", at: [310, 100], button: [292, 100] },
      ],
      "Now",
    );
    const form = sheet.document.getForm();
    for (const [index, colour] of ["Red", "Green", "Blue"].entries()) {
      sheet.write(colour, 72 + index * 60, 200);
      const box = form.createCheckBox(colour);
      box.addToPage(sheet.page, place(sheet, [104 + index * 60, 200]));
      if (colour === "Green") box.check();
    }
  });
  assert.match(text, /\[ \] Cash \[x\] Card \[x\] Now \[ \] Later/);
  assert.match(text, /\[ \] Red \[x\] Green \[ \] Blue/);
});

test("buttons in a grid stay in the columns that its head names", async () => {
  const text = await read((sheet) => {
    sheet.write("Question", 72, 100);
    sheet.write("Yes", 300, 100);
    sheet.write("No", 400, 100);
    for (const [index, question] of ["Insured", "Emptied", "Checked"].entries()) {
      const y = 120 + index * 20;
      sheet.write(question, 72, y);
      const group = sheet.document.getForm().createRadioGroup(question);
      group.addOptionToPage("Yes", sheet.page, place(sheet, [302, y]));
      group.addOptionToPage("No", sheet.page, place(sheet, [402, y]));
      group.select(index === 1 ? "No" : "Yes");
    }
  });
  assert.match(text, /Insured(?: \|)? \[x\](?: \|)? \[ \]/);
  assert.match(text, /Emptied(?: \|)? \[ \](?: \|)? \[x\]/);
});

test("buttons that no field joins say what is shown of them", async () => {
  const text = await read((sheet) => {
    ask(sheet, "smoke", yesNo(100), "No");
    for (const reference of sheet.page.node.Annots()?.asArray() ?? []) {
      const widget = sheet.document.context.lookup(reference, PDFDict);
      widget.set(PDFName.of("FT"), PDFName.of("Btn"));
      widget.set(PDFName.of("Ff"), sheet.document.context.obj(1 << 15));
      widget.delete(PDFName.of("Parent"));
    }
  });
  assert.match(text, /\[ \] Yes \[x\] No/);
});

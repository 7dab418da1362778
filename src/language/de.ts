import type { Language } from "./language.ts";

export const german: Language = {
  code: "de",
  // No stop words: texts are compared with German function words as terms.
  functionWords: [
    `aber als am an auch auf aus bei beim bin bis bist da dann das dass dein dem den denn der des die dies diese dieser
dieses doch du ein eine einem einen einer eines er es für gibt haben hat hier ich ihm ihn ihr im in ist ja kann können man
mein mich mir mit muss nach nicht noch nun nur ob oder ohne sein sich sie sind so soll um und uns unser vom von vor wann
warum was wegen wenn wer wie wird wo wozu zu zum zur über`,
  ],
  vagueWords: [
    `bedeutet erklär erkläre erzähl erzähle frage fragen geht gehen hilfe information mehr problem sag sache sagen wissen`,
  ],
  pronouns: { subjects: "sie", persons: "er", pointers: "das es dies" },
  abbreviations: { inQuestions: "Art bzw Nr" },
  joiners: "und|sowie",
  questionOpenings: `wer|wen|wem|was|wann|wo|warum|wie|welche|welcher|welches|wieviel|gibt|ist|sind|kann|muss`,
  places: "abschnitt|kapitel|tabelle|abbildung|seiten?",
  continuations: "es|sie|er|dies\\p{L}{0,2}|dabei|dann|dort|daher|außerdem|auch|zum beispiel",
  asksNumber:
    "wann|wie (?:viele?|hoch|lange?|groß|oft|schwer|weit|teuer|alt|schnell)|wieviele?|welcher anteil|zu wie viel prozent",
  negations: "nicht|nie|niemals|kein|keine|keinen|keinem|keiner|keines|ohne|außer|weder|noch",
  breaks: "gegenüber|verglichen mit|im vergleich zu|während|nach|von|oder",
  aggregates: "insgesamt|gesamt\\p{L}*|summe|zusammen|durchschnitt\\p{L}*|mittelwert|im schnitt",
  periods: {
    fiscal: "geschäftsjahre?s?|wirtschaftsjahre?s?|gj",
    quarters: [
      "erste[nsmr]? quartals?|1\\. quartals?",
      "zweite[nsmr]? quartals?|2\\. quartals?",
      "dritte[nsmr]? quartals?|3\\. quartals?",
      "vierte[nsmr]? quartals?|4\\. quartals?",
    ],
    halves: ["erste[nsmr]? halbjahre?s?|1\\. halbjahre?s?", "zweite[nsmr]? halbjahre?s?|2\\. halbjahre?s?"],
  },
  phrases: {
    greeting: "hallo|guten morgen|guten tag|guten abend|moin|servus|grüß gott",
    wellbeing: "wie geht's|wie geht es dir|wie geht es ihnen",
    thanks: "danke|danke schön|vielen dank|danke sehr|für die hilfe|für deine hilfe",
    farewell: "tschüss|tschüß|auf wiedersehen|bis bald|bis morgen|gute nacht|bis später",
    praise: "gut|sehr gut|alles klar|prima|genial",
  },
  fillers: "und dir ihnen zusammen alle",
};

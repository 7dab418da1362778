import { formatDecimalComma, joinPhrases } from "./phrases.ts";
import type { Notes } from "./words.ts";

const documentsOf = (count: number): string => `${count} ${count > 1 ? "documents" : "document"}`;
const atLeast = (isLeast: boolean): string => (isLeast ? "Au moins " : "");

export const frenchNotes: Notes = {
  and: "et",
  others: (count) => `${count} ${count > 1 ? "autres" : "autre"}`,
  mentions: {
    none: (subject, documents) =>
      documents === 1
        ? `Le document consulté ne mentionne pas « ${subject} ».`
        : `Aucun des ${documents} documents consultés ne mentionne « ${subject} ».`,
    some: (documents, isLeast, subject) =>
      `${atLeast(isLeast)}${documentsOf(documents)} ${documents > 1 ? "mentionnent" : "mentionne"} « ${subject} » :`,
    apart: (documents, isLeast, subject) =>
      `Aucune phrase ne mentionne « ${subject} », mais ${atLeast(isLeast).toLowerCase()}${documentsOf(documents)} ${documents > 1 ? "en contiennent" : "en contient"} les mots dans un même passage :`,
    pages: (pages, one) => `${one ? "page" : "pages"} ${pages}`,
    places: (places) => `${places} endroits`,
    more: (documents) => `et ${documents} ${documents > 1 ? "autres" : "autre"}`,
    narrowed: (agent) => `Seules les collections que ${agent} peut lire ont été consultées.`,
  },
  contents: {
    called: {
      pages: ["page", "pages"],
      slides: ["diapositive", "diapositives"],
      headings: ["titre", "titres"],
      chapters: ["chapitre", "chapitres"],
      sections: ["partie", "parties"],
      appendices: ["annexe", "annexes"],
      tables: ["tableau", "tableaux"],
      figures: ["illustration", "illustrations"],
    },
    some: (name, count, called) => `${name} compte ${count} ${called}`,
    none: (name, called) => `Aucun élément de ce type (${called}) n’a été reconnu dans ${name}.`,
    which: (documents) => `La question ne dit pas lequel des ${documents} documents elle vise.`,
  },
  partMissing: (part) => `Aucun passage ne répond à : « ${part} »`,
  noTotal: "Aucun total n’a été calculé. En voici les parties, telles que les passages les indiquent.",
  refusals: {
    noPassage: "Je n’ai trouvé aucun passage qui réponde à cette question dans les collections consultées.",
    nearest: "Les plus proches :",
    ungrounded: "Les passages trouvés ne permettent pas d’étayer une réponse complète.",
    found: "Ce que disent les passages :",
  },
  holdings: {
    documentsIn: (documents, folder) => `${documentsOf(documents)} dans le dossier « ${folder} » :`,
    noFolder: (folder) => `Il n’y a pas de dossier « ${folder} ».`,
    documents: (documents) => `${documentsOf(documents)} :`,
    more: (documents) => `${documents} ${documents > 1 ? "autres" : "autre"}`,
    none: "Il n’y a pas encore de documents à consulter. Pour en ajouter : `ragctl ingest DOSSIER`.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "la collection" : `${collections} collections :`;
      return `Je peux consulter ${documentsOf(documents)}${collections === 0 ? "" : ` dans ${where} ${names}`}.`;
    },
    agents: (names) => `Agents : ${names}.`,
  },
  about: "Je suis ragctl. Je réponds aux questions à partir de vos documents et je cite les passages.",
  social: {
    greeting: "Bonjour ! Que souhaitez-vous savoir sur vos documents ?",
    wellbeing: "Tout fonctionne, merci. Que souhaitez-vous savoir sur vos documents ?",
    thanks: "Je vous en prie.",
    farewell: "Au revoir.",
    praise: "Merci. N’hésitez pas à poser une autre question.",
  },
  which: {
    subject: "De quel sujet s’agit-il ? Nommez un produit, une personne, un lieu ou une date.",
    example: (titles) => `De quel sujet s’agit-il ? Les documents parlent par exemple de ${titles}.`,
    ofOne: (title) => `Que souhaitez-vous savoir exactement sur ${title} ?`,
    ofSeveral: (titles, last) => `S’agit-il de ${titles} ou de ${last} ?`,
  },
  sheets: {
    locale: "fr-FR",
    amount: (number, unit) => `${number} ${unit}`,
    colon: " :",
    where: (table, conditions) => `${table} avec ${conditions}`,
    conditions: {
      "=": (column, value) => `${column} « ${value} »`,
      ">": (column, value) => `${column} au-dessus de ${value}`,
      ">=": (column, value) => `${column} à partir de ${value}`,
      "<": (column, value) => `${column} au-dessous de ${value}`,
      "<=": (column, value) => `${column} jusqu’à ${value}`,
    },
    none: (rows) => `Aucune ligne ne correspond : ${rows}`,
    empty: "Aucune ligne ne correspond.",
    count: (rows) => `Nombre de lignes dans ${rows}`,
    sum: (column, rows) => `Total de « ${column} » dans ${rows}`,
    average: (column, rows) => `Moyenne de « ${column} » dans ${rows}`,
    highest: (column, rows) => `Plus grande valeur de « ${column} » dans ${rows}`,
    lowest: (column, rows) => `Plus petite valeur de « ${column} » dans ${rows}`,
    difference: "Différence",
    ofRows: (count) => `, ${count} ${count > 1 ? "lignes" : "ligne"}`,
    rowHighest: (column, rows, isOne) =>
      `${isOne ? "Ligne" : "Lignes"} avec la plus grande valeur de « ${column} » dans ${rows}`,
    rowLowest: (column, rows, isOne) =>
      `${isOne ? "Ligne" : "Lignes"} avec la plus petite valeur de « ${column} » dans ${rows}`,
    row: (rows) => `Ligne de ${rows}`,
    columns: (columns, rows) => `${columns} dans ${rows}`,
    found: (rows) => `${rows} ${rows > 1 ? "lignes trouvées" : "ligne trouvée"}`,
    moreRows: (rows) => `${rows} autres lignes figurent dans le résultat`,
    leftOut: (rows, isExact) =>
      `${isExact ? "" : "au moins "}${rows} autres lignes ont été omises : la limite de lignes est atteinte`,
    cut: (cells) => `${cells} cellules longues ont été tronquées`,
    resultOf: (sql) => `Résultat de ${sql}`,
    called: {
      count: (column) => `nombre ${column}`,
      sum: (column) => `total ${column}`,
      average: (column) => `moyenne ${column}`,
      lowest: (column) => `minimum ${column}`,
      highest: (column) => `maximum ${column}`,
    },
    allRows: "de lignes",
  },
  reasons: {
    evidence: (lacks) => `les preuves sont insuffisantes${lacks === "" ? "" : ` : ${lacks}`}`,
    absent: (names, numbers) =>
      `aucun des passages les plus proches ${joinPhrases([names && `ne mentionne ${names}`, numbers && `ne contient ${numbers}`], " ni ")}`,
    beside: (names, isAlso) =>
      `seul le texte voisin ${isAlso ? "de ceux-ci" : "des passages les plus proches"} mentionne ${names}`,
    noDocument: (name) => `aucun document consulté ne s’appelle « ${name} »`,
    onlyForms: (names) => `seuls des formulaires vides ont été trouvés : ${names}`,
    unsearched: (agent, collections) =>
      collections > 1
        ? `${agent} ne consulte pas ${collections} collections que vous pouvez lire`
        : `${agent} ne consulte pas une collection que vous pouvez lire`,
    askAgent: (agent) => `posez plutôt la question à ${agent} (--agent "${agent}")`,
    quoted: "lignes des documents les plus proches de la question, mot pour mot",
    asFound: "résultats des outils, inchangés",
    wroteNothing: "le modèle n’a rien écrit",
    declined: "le modèle n’a pas trouvé de réponse dans les passages",
    groundless: (reason) => `rien de ce que le modèle a écrit n’est étayé par les passages : ${reason}`,
    standing: (supported, all) =>
      `${supported} ${supported > 1 ? "phrases" : "phrase"} sur ${all} ${supported > 1 ? "étayées" : "étayée"} par les passages cités`,
    inPart: (count) => `dont ${count} en partie seulement`,
    withheld: (count) =>
      count > 1
        ? `${count} phrases des passages écartées : elles s’adressent à un assistant`
        : `${count} phrase des passages écartée : elle s’adresse à un assistant`,
    noTotal: "aucun total n’a été calculé",
    whole: (marker, isProcedure) =>
      `la ${isProcedure ? "procédure" : "liste"} entière, telle qu’elle figure dans [${marker}]`,
    mentioned: (mentions, documents) =>
      `sujet mentionné dans ${mentions} ${mentions > 1 ? "documents" : "document"} sur ${documents} ${documents > 1 ? "consultés" : "consulté"}`,
    readOff: (chunks, name) => `lu dans ${chunks} ${chunks > 1 ? "extraits" : "extrait"} de ${name}`,
  },
  judged: {
    uncited: "ne cite aucun passage",
    unstated: "aucun passage ne le dit",
    noPassage: (marker) => `il n’y a pas de passage [${marker}]`,
    opposite: (where) => `${where} dit le contraire`,
    absent: (what, where) => `${what} ne figure pas dans ${where}`,
    elsewhere: (what, there, where) => `${what} figure dans ${there}, pas dans ${where}`,
    otherValue: (what, where) => `${what} contredit ${where}`,
    otherUnit: (number, where) => `${number} figure dans ${where} avec une autre unité`,
    notEntailed: (where, probability, label, judge) =>
      `ne découle pas de ${where} : ${label} (probabilité ${formatDecimalComma(probability)}, selon ${judge})`,
  },
};

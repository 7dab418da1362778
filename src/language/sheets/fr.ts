import { french } from "../lexicons/fr.ts";
import type { SheetWords } from "./words.ts";

/** A word without plural and feminine endings: `élevées` and `élevé`, `totaux` and `total`. */
const rootOf = (word: string): string =>
  word
    .replace(/(?<=..)eaux$/, "eau")
    .replace(/(?<=..)aux$/, "al")
    .replace(/(?<=...)s$/, "")
    .replace(/(?<=...)e$/, "");

export const frenchSheets: SheetWords = {
  decimal: ",",
  apart: (text) => text.replace(/(?<=(?<!\d)\d{1,3})\s(?=\d{3}(?!\d))/gu, ""),
  hasCompounds: false,
  rootOf,
  silent: [
    ...(french.functionWords ?? []),
    `affiche afficher dessus dessous excède excèdent partir dès davantage delà ai ainsi ait appelle appellent appelé aucun autre avait bas basse celle celui chers chère cher combien
compte dont donne données donner dépasse dépassent dépassant ensemble enregistrement enregistrements entre entrée entrées existe faible
feuille fort grand haut il inférieur jusqu indique leur lignes ligne liste lister léger lourd long longue court lesquels lesquelles laquelle
lequel maximal maximaux maximum max minimal minimum min moins montre montrer montrez moyen moyenne nom nombre noms ont parmi petit plus récent ancien
quelles quels somme sorte supérieur sous tableau table total totaux tout tous toute toutes trouve trouver trouvent type valeur valeurs vaut y élevé
égal était étaient s'élève élève unitaire unitaires important`,
  ],
  figures: {
    avg: "moyennes?|moyens?|en moyenne",
    sum: "total|totale|totales|totaux|somme|au total|en tout|ensemble",
    max: "max\\.?|(?:le|la|les) plus récente?s?",
    min: "min\\.?|(?:le|la|les) plus (?:anciens?|anciennes?|vieux|vieilles?)",
    count: "combien (?:de|d['’])|combien y (?:a-t-il|en a-t-il)|nombre (?:total )?(?:de|d['’])",
  },
  counting: "(?:combien|nombre|nombre total) (?:y a-t-il )?(?:de |d['’])(?:la |l['’])?",
  between: "entre|de",
  placing: "(?:à|au|aux|en|dans|chez|par|sur|sous|pour|depuis)(?: la| le| les| l['’])?",
  beyond:
    "pas|sans|sauf|hors|ni|jamais|aucune?|chaque|que (?:la moyenne|le moyen)|(?<!(?:fourni|livré|vendu|acheté|produit|fabriqué|géré|signé|réparé|commandé|payé|créé)(?:e|s|es)? )par",
  beforeRanked: "(?:du |de la |de l['’]|des |au |à la |dans la |dans le )(?:\\p{L}+ )?",
  asksExtreme:
    "quel(?:le)?s? (?:est|sont|était|étaient) (?:le |la |les |l['’])(?:(?!d(?:u|e|es) )\\p{L}{1,30} ){1,3}",
  names: "nom désignation libellé",
  identifiers: "id numéro no n° code année",
  meanings: {
    coûte: "prix coût",
    coûtent: "prix coût",
    coût: "prix",
    prix: "coût",
    cher: "prix coût",
    chère: "prix coût",
    pèse: "poids masse",
    pèsent: "poids masse",
    lourd: "poids masse",
    léger: "poids masse",
    long: "longueur durée",
    longue: "longueur durée",
    court: "longueur durée",
    ancien: "date âge",
    ancienne: "date âge",
    récent: "date",
    rapide: "vitesse",
    habitant: "population",
    gagne: "salaire",
    fournit: "fournisseur",
    fourni: "fournisseur",
    livré: "fournisseur",
    stock: "quantité",
    quantité: "stock",
    où: "emplacement lieu site",
  },
};

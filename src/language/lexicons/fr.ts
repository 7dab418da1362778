import type { Language } from "./language.ts";

const grammar = `au aux avec ce ces cette ceci cela ça dans de des du elle elles en est et eux il ils je la le les
leur lui mais mes ne nous où par pas pourquoi qu quand que quel quelle quelles quels qui quoi sa sans ses si sont un
une vous`;

/**
 * Carry no subject in a question, but are terms of a text: every text is read with the stop words of all
 * languages, and some of these are English words.
 */
const talk = `c ci combien comme comment d es j l ma me moi mon n on ou pour se son sur ta te tes toi ton tu y`;
/** More frequent in texts than in questions. */
const framing = `cet leurs vos votre été être`;

export const french: Language = {
  code: "fr",
  functionWords: [grammar, talk],
  // Spanish, Italian and Portuguese.
  sharedWords:
    "ci c d de des di en es est la le les l ma me mes mi mon n no on que se si son sa t te tu un s y",
  stopWords: [grammar, framing],
  vagueWords: [
    `aide aider chose choses dire dis expliquer explique information informations marche marcher plus problème savoir truc
veux`,
  ],
  pronouns: {
    persons: "elle elles ils",
    pointers: "ça cela",
    speakers: "je j moi mon ma mes",
    hearers: "tu toi ton ta tes vous votre vos",
  },
  abbreviations: { inTexts: "MM Mme Mlle Vve" },
  months:
    "janvier|janv février|févr mars avril|avr mai juin juillet|juil août septembre|sept octobre|oct novembre|nov décembre|déc",
  numbers: {
    words: {
      small: `zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit
dix-neuf`,
      tens: "vingt trente quarante cinquante soixante septante quatre-vingts|quatre-vingt|huitante nonante",
      // Seventy is sixty and ten.
      ones: "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
      join: (ten, one) => [`${ten}-${one}`, `${ten} et ${one}`, `${ten}-et-${one}`],
    },
  },
  joiners: "et|ainsi que",
  requests:
    "(?:s['’]il (?:te|vous) plaît|svp)|je (?:cherche|voudrais|veux|souhaite) (?:savoir|le|la|les|un|une)|(?:dis|dites|montre|montrez|donne|donnez|explique|expliquez)(?:[- ]moi)? |aide[- ]moi|aidez[- ]moi|résume|résumez|comparez?|listez?",
  statements: "est|sont|était|étaient|suis|ai|avons|je|nous",
  questionOpenings: `qui|que|quoi|quand|où|pourquoi|comment|combien|quel|quelle|quels|quelles|est-ce|à quelle|à quel|en quelle`,
  folders: { called: "(?:sous-)?dossiers?|(?:sous-)?répertoires?", hold: "contient|contiennent|comprend|a" },
  places: "chapitre|section|tableau|figure|page|annexe|article",
  pages: {
    one: "page|diapositive",
    several: "pages|diapositives",
    short: String.raw`pp?\.`,
    numbered: "numéro|n[°º]",
    between: "entre",
    ordinals: "zéroième première deuxième troisième quatrième",
    ordinalEnds: "re|ère|e|ème",
    front: "page de (?:garde|titre)",
  },
  kinds: {
    holdings: {
      starts:
        "quels (?:documents|fichiers) (?:y a|sont|avez|as)|que contient (?:ce|le|cette|la) (?:dossier|collection)",
    },
    summary: { starts: "résume|résumez|fais (?:moi )?un résumé|de quoi (?:parle|traite)" },
    comparison: { starts: "comparez?|quelle est la différence", holds: "différences? entre|par rapport à" },
    total: { holds: "au total|en tout|somme|moyenne" },
    definition: { starts: "définis|que signifie|que veut dire|qu'est-ce qu'une? " },
    procedure: {
      starts: "comment (?:faire|puis-je|dois-je|peut-on|faut-il|remplacer|installer|réinitialiser)",
      holds: "étape par étape",
    },
    yes_no: { starts: "est-ce que|est-il|est-elle|y a-t-il|peut-on|faut-il|puis-je|dois-je" },
    number: {
      starts:
        "(?:à |de )?combien|quel(?:le)? est (?:le|la) (?:prix|montant|nombre|taux|pression|température|poids)",
    },
    list: { starts: "quel(?:le)?s sont|énumérez?|citez?" },
  },
  mentions: [
    "(?:dans )?quels? (?:documents?|fichiers?|rapports?) (?:mentionnent?|parlent? (?:de|du|des)|décri(?:t|vent)|traitent? (?:de|du|des)|contien(?:t|nent)|citent?|évoquent?|abordent?) (.+)",
    "dans quels? (?:documents?|fichiers?|rapports?) (?:est|sont|parle-t-on (?:de|du|des)|trouve-t-on) (.+?)(?: (?:mentionnée?s?|décrite?s?|citée?s?))?",
  ],
  boilerplate: "à propos de|contact|mentions légales|références|sommaire|remerciements",
  summaries: {
    headings: "résumé|synthèse|points clés|en bref|aperçu|conclusions?",
    asked:
      "résumé résume résumer résumez synthèse aperçu document rapport fichier section chapitre principaux principales points clés conclusions donne bref brève fais faites parle traite",
  },
  continuations: "il|elle|ils|elles|ce|cela|cette|ces|ainsi|aussi|de plus|par exemple",
  interrogatives: "que quoi quel quelle quels quelles qui quand où pourquoi comment",
  asksNumber: "combien|à combien|quel(?:le)? (?:pourcentage|part|montant|prix|nombre|durée)",
  negations: "au lieu d['’]e?|au lieu du|plutôt que|pas|jamais|aucune?|ni|sans|interdite?s?|impossible",
  exceptions: "sauf",
  cells: {
    neutral:
      "valeur valeurs chiffre montant nombre résultat résultats niveau atteint atteinte obtenu obtenue",
    kinds: "précision score scores performance taux",
    shares: "pourcentage pourcentages",
    turning: "avant après hors sans pas net nette nets brut brute bruts autre autres moyenne",
    asksAmount: "combien",
    most: "(?:le|la|les|du|des|au|aux) plus (?:élevée?s?|grande?s?|hauts?|hautes?|longs?|longues?|lourde?s?|forte?s?|chers?|chères?|rapides?)|le plus(?= d(?:e |['’]))|maxim(?:um|ale?s?|aux)",
    least:
      "(?:le|la|les|du|des|au|aux) plus (?:basse?s?|bas|faibles?|petite?s?|courte?s?|légers?|légères?)|(?:le|la|les|du|des|au|aux) moins (?:élevée?s?|hauts?|hautes?|longs?|longues?|lourde?s?|chers?|chères?|rapides?)|le moins(?= d(?:e |['’]))|minim(?:um|ale?s?|aux)",
    more: "plus (?:élevée?s?|grande?s?|hauts?|hautes?|longs?|longues?|lourde?s?|forte?s?|chers?|chères?)|supérieure?s?",
    less: "plus (?:basse?s?|bas|faibles?|petite?s?|courte?s?|légers?|légères?)|moins (?:élevée?s?|chers?|chères?|lourde?s?|longs?|longues?)|inférieure?s?",
    whichYear: "quelle année|quel exercice",
    years: "année années exercice exercices",
    others: "pourquoi|comment",
    apart: {
      more: "de combien(?= [^?]{1,100} (?:plus|supérieure?s?) )",
      less: "de combien(?= [^?]{1,100} (?:moins|inférieure?s?) )",
      than: "(?:est|sont|était|étaient)(?:-(?:il|elle|ils|elles))? (?:plus|moins) \\p{L}{1,20} qu(?:e |['’])|(?:est|sont)(?:-(?:il|elle|ils|elles))? (?:supérieure?s?|inférieure?s?) (?:à|au|aux)|par rapport (?:à|au|aux)",
      distances: "écart|différence",
      between: "entre",
    },
  },
  limits: {
    above:
      "plus d(?:e|['’])|plus (?:grande?s?|hauts?|hautes?|longs?|longues?|élevée?s?) que|supérieure?s? à|au[- ]dessus de|dépass(?:e|ent|ant)|excèd(?:e|ent)",
    below:
      "moins d(?:e|['’])|plus (?:petite?s?|basse?s?|courte?s?) que|inférieure?s? à|au[- ]dessous de|en dessous de|sous",
    from: "au moins|pas moins de|à partir de|dès|au minimum",
    upTo: "au plus|pas plus de|jusqu['’]à|au maximum|dans la limite de",
    minimum: "minimum|minimale?s?",
    maximum: "maximum|maximale?s?|limite|plafond",
    orMore: "(?:ou|et) (?:plus|davantage|au[- ]delà)",
    orLess: "(?:ou|et) moins|au plus|maximum",
  },
  yes: "oui|si",
  no: "non",
  affirmations: "autorisée?s?|permise?s?|possible",
  breaks: "contre|par rapport à|comparé à|tandis que|ou",
  aggregates: "total|totale|totaux|somme|ensemble|moyenne",
  differences: {
    asks: "écarts? entre",
    holds: "différences?|écarts?|plus|moins|que|points? de (?:pourcentage|base)",
  },
  changes: "chang\\p{L}*|vari\\p{L}*|différ\\p{L}*|écarts?",
  approximations: "environ|près de|presque|plus de|moins de",
  and: "et",
  or: "ou",
  until: "à|et",
  directions: {
    up: "augment\\p{L}*|hausse|croissance|progress\\p{L}*|accru\\p{L}*|supérieure?s?",
    down: "diminu\\p{L}*|baiss\\p{L}*|recul\\p{L}*|rédui\\p{L}*|réduction|inférieure?s?",
  },
  periods: {
    since: "depuis",
    fiscal: "exercice fiscal|exercice",
    latest: "(?:le|la|les|au|aux|du|des) plus récente?s?",
    quarters: [
      "premier trimestre|1er trimestre",
      "deuxième trimestre|2e trimestre",
      "troisième trimestre|3e trimestre",
      "quatrième trimestre|4e trimestre",
    ],
    halves: ["premier semestre|1er semestre", "deuxième semestre|second semestre|2e semestre"],
  },
  phrases: {
    greeting: "bonjour|salut|bonsoir|coucou|enchanté",
    wellbeing: "ça va|comment ça va|comment allez-vous|comment vas-tu",
    thanks: "merci|merci beaucoup|merci bien|pour votre aide|pour ton aide",
    farewell: "au revoir|à bientôt|bonne nuit|bonne journée|à demain",
    praise: "d'accord|parfait|très bien",
  },
  fillers: "à et tous toi vous",
};

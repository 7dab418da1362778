import { germanContents } from "./contents.ts";
import type { Language } from "./language.ts";

const grammar = `aber als auch auf aus bei beim bis dann das dass dem der des diese dieser dieses ein eine einem einen
einer eines er es für gibt haben ich ihm ihn ihr im ist kann können muss nach nicht noch nur ob oder ohne sein sich
sie sind soll und uns unser vom von vor wann warum wegen wenn wer wie wird wo wozu zu zum zur über`;

/**
 * Carry no subject in a question, but are terms of a text: every text is read with the stop words of all
 * languages, and some of these are English words.
 */
const talk = `am an bin bist da dein den denn die dies doch du hat hier in ja man mein mich mir mit nun so um was wofür worum wovon`;
/** More frequent in texts than in questions. */
const framing = `deren dessen diesem diesen durch gegen ihnen ihre ihrem ihren ihrer jede jedem jeden jeder jedes
müssen seine seinem seinen seiner sollen sowie unsere unter welche welchem welchen welcher welches wodurch womit wurde
wurden zwischen`;

const documents =
  "(?:dokumente?n?|datei(?:en)?|unterlagen|berichte?n?|texte?n?|handb(?:uch|ücher|üchern)|quellen?|präsentation(?:en)?)";
const speaks =
  "(?:erwähn(?:t|en)|nenn(?:t|en)|beschreib(?:t|en)|behandel(?:t|n)|enth(?:ält|alten)|handel(?:t|n) von|sp(?:richt|rechen) (?:über|von)|befass(?:t|en) sich mit|geh(?:t|en) (?:auf|um)|sag(?:t|en) etwas (?:über|zu[mr]?)|erklär(?:t|en)|beinhalte(?:t|n))";

export const german: Language = {
  code: "de",
  functionWords: [grammar, talk],
  stopWords: [grammar, framing],
  vagueWords: [
    `bedeutet erklär erkläre erzähl erzähle frage fragen geht gehen hilfe information mehr problem sag sache sagen wissen`,
  ],
  pronouns: {
    subjects: "sie",
    persons: "er",
    pointers: "das es dies",
    speakers: "ich mich mir mein meine meinem meinen meiner meines",
    hearers: "du dich dir dein deine deinem deinen deiner deines",
  },
  abbreviations: {
    inTexts: `z u o v Abb Abs Abt Anm Art Aufl Bd bzw Dipl Ing evtl exkl ggf Hrsg Jh Kap Mio Mrd Nr Nrn Str Tab Tel Tsd vgl
zzgl Ziff Febr Okt Dez`,
    inQuestions: "Art bzw Nr",
  },
  beforeOrdinals: "(?<!i )am|beim?|der|die|das|dem|den|des|im|vom|zum|zur",
  months:
    "januar|jänner|jan februar|febr|feb märz april|apr mai juni|jun juli|jul august|aug september|sept|sep oktober|okt november|nov dezember|dez",
  numbers: {
    scales: { tausend: 1e3, tsd: 1e3, millionen: 1e6, mio: 1e6, milliarde: 1e9, milliarden: 1e9, mrd: 1e9 },
    words: {
      small: `null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
achtzehn neunzehn`,
      tens: "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
      ones: "null ein zwei drei vier fünf sechs sieben acht neun",
      join: (ten, one) => [`${one}und${ten}`],
    },
  },
  joiners: "und|sowie",
  requests:
    "bitte|(?:ich|wir) (?:suche|suchen|brauche|brauchen|benötige|benötigen|möchten?|will|wollen|wüssten?|hätten?) (?:gerne? |noch )?(?:wissen|den|die|das|der|einen?|eine|alle|deine|ihre)|(?:zeig|nenn|sag|erklär|gib|such|find|list|beschreib|vergleich|fass|erzähl)(?:e|en sie)? (?:mir|uns|den|die|das|alle|bitte|was|wie|wer|wo|wann)|hilf mir",
  statements: "ist|sind|war|waren|bin|habe|hat|hatte|haben|hatten|wird|werden|wurde|kann|können|ich|wir",
  questionOpenings: `wer|wen|wem|was|wann|wo|warum|wie|welche|welcher|welches|wieviel|gibt|ist|sind|kann|muss`,
  folders: {
    called: "(?:unter)?ordners?|(?:unter)?verzeichnis(?:se|ses)?",
    hold: "enthält|enthalten|hat|umfasst|liegt|liegen",
  },
  places: "abschnitt|kapitel|tabelle|abbildung|seiten?|anhang|anlage",
  shown: {
    figures: "abbildung(?:en)?|abb\\.?|bild(?:er)?",
    tables: "tabellen?|tab\\.",
    counting: "wie ?viele",
  },
  pages: {
    one: "seite|folie",
    several: "seiten|folien",
    short: String.raw`(?<=(?<!\p{L})(?:auf|siehe|von|ab|bis)\s)S\.`,
    numbered: String.raw`nummer|nr\.?`,
    between: "zwischen",
    others:
      "(?:link|recht|ander|ober|unter|vorder|hinter|inner|äußer|kurz|lang|schmal|breit|beid|jed|welch)(?:e[nrs]?)",
    ordinals: "nullte erste zweite dritte vierte fünfte",
    ordinalEnds: String.raw`\.`,
    front: "titelseite|titelblatt|deckblatt",
  },
  kinds: {
    holdings: {
      starts: `welche (?:dokumente|dateien|unterlagen|berichte|handbücher) (?:gibt|sind|liegen|hast|haben|enthält)|wie viele (?:dokumente|dateien|unterlagen)|zeig(?:e)? mir (?:alle |die )*(?:dokumente|dateien)|liste (?:alle |die )*(?:dokumente|dateien)|gibt es (?:ein|eine|einen) (?:dokument|datei|handbuch|bericht) (?:zu|über)`,
      holds:
        "(?:(?:enthält|steht in|ist in|liegt in|in) (?:dieser|diesem|dieser|der|dem|die)|im) (?:\\p{L}+[ -])?(?:ordner|verzeichnis|sammlung|ablage)(?: [^\\s?]{1,60})?\\s?\\?|enthält (?:der|die|dieser|diese) (?:ordner|sammlung)|inhalt (?:des|der|dieses|dieser) (?:ordners|sammlung)",
    },
    summary: {
      starts:
        "fass(?:e|en sie)? |gib (?:mir )?(?:eine |einen )?(?:kurze |kurzen )?(?:zusammenfassung|überblick)|worum geht es|wovon handelt|was sind die (?:wichtigsten|zentralen) (?:punkte|ergebnisse|aussagen)",
      holds: "zusammenfassung (?:des|der|von)|fasse? [^?]{1,80} zusammen",
    },
    comparison: {
      starts:
        "vergleiche?|stelle? [^?]{1,80} gegenüber|welche[rs]? [^?]{1,60} (?:höher|niedriger|größer|kleiner|besser|schwerer|teurer|billiger|schneller|länger|kürzer)[^?]{0,20}[,:] ",
      holds:
        "unterschiede? zwischen|unterscheide[nt] sich|im vergleich (?:zu|mit)|verglichen mit|gegenüber (?:dem )?(?:vorjahr|19|20)|(?:höher|niedriger|größer|kleiner|mehr|weniger|besser|teurer|billiger|schneller|länger|kürzer|schwerer) als",
    },
    total: {
      holds:
        "insgesamt|gesamt\\p{L}*|summe|zusammengerechnet|durchschnitt\\p{L}*|im schnitt|mittelwert|im mittel",
    },
    definition: {
      starts:
        "was (?:bedeutet|heißt|versteht man|ist mit|meint)|wofür steht|definiere|wie (?:ist|wird) [^?]{1,60} definiert|was ist (?:ein|eine) [^?]{1,40}\\?|erkläre? den begriff",
      holds: "definition (?:von|des|der)|bedeutung (?:von|des|der)|steht (?:die abkürzung )?[^?]{1,30} für",
    },
    procedure: {
      starts:
        "wie (?:kann|soll|muss|darf)? ?(?:ich|man|wir) |wie (?:wechselt|tauscht|setzt|stellt|beantragt|meldet|reinigt|startet|füllt|schmiert|baut|installiert|richtet|bucht|entlüftet|kalibriert|öffnet|schließt|prüft|bestellt) (?:ich|man|wir)|wie wird [^?]{1,60} (?:gewechselt|ersetzt|ausgetauscht|gereinigt|gestartet|eingestellt|beantragt|gemeldet|installiert|durchgeführt|zurückgesetzt|geschmiert|montiert|entleert|geprüft|befüllt)|was (?:muss|soll) (?:ich|man) tun|welche schritte|in welcher reihenfolge|beschreibe (?:den ablauf|das verfahren|das vorgehen)",
      holds: "schritt für schritt|anleitung (?:zum|zur|für)",
    },
    yes_no: {
      starts:
        "ist|sind|war|waren|hat|haben|hatte|darf|dürfen|kann|können|muss|müssen|soll|sollen|wird|werden|gibt es|gilt|gelten|deckt|braucht|brauche|gehört|bekomme|bekommt",
    },
    number: {
      starts:
        "(?:um |bei |zu |auf |nach |in |seit |mit )?wie (?:viele?|hoch|lange?|groß|oft|schwer|weit|teuer|alt|schnell|tief|breit|warm|heiß)|wieviele?|welche[rsn]? (?:anteil|druck|temperatur|drehmoment|betrag|preis|gewicht)|was kostet",
    },
    list: { starts: "welche [\\p{L}-]+(?:en|er|e|s|n) |nenne|liste|zähle? |wer sind" },
  },
  contents: germanContents,
  mentions: [
    `(?:welche[rs]?|wie viele) (?:der |meiner |unserer |dieser )?${documents} ${speaks} (.+)`,
    `in welche[mnr] (?:der |meiner |unserer |dieser )?${documents} (?:wird|werden|ist|sind|steht|stehen|kommt|kommen|findet sich|finden sich|finde ich|geht es um) (?:etwas (?:über|zu[mr]?) )?(.+?)(?: (?:erwähnt|beschrieben|behandelt|genannt|vor|erklärt|enthalten|definiert))?`,
    `wo (?:wird|werden) (.+?) (?:erwähnt|beschrieben|behandelt|genannt)`,
    `gibt es (?:eine? |einen )?${documents} (?:zu[mr]?|über) (.+)`,
    `(?:wird|werden) (.+?) (?:irgendwo|in (?:einem|irgendeinem) ${documents}) (?:erwähnt|beschrieben|genannt)`,
  ],
  boilerplate:
    "über uns|impressum|haftungsausschluss|literatur|inhaltsverzeichnis|danksagung|kontakt|rechtliche hinweise|alle rechte vorbehalten|anhang",
  summaries: {
    headings:
      "zusammenfassung(?: der (?:wichtigsten )?ergebnisse)?|kurzfassung|das wichtigste in kürze|auf einen blick|überblick|wichtigste ergebnisse|(?:schlussfolgerung(?:en)?|fazit)",
    asked:
      "zusammenfassung zusammenfassen zusammen fasse fass fassen überblick inhalt worum geht gib gebt dokument dokuments datei bericht berichts text abschnitt kapitel wichtigste wichtigsten punkte ergebnisse aussagen kurz kurze übersicht wovon handelt zentralen kurzen bitte",
  },
  continuations: "es|sie|er|dies\\p{L}{0,2}|dabei|dann|dort|daher|außerdem|auch|zum beispiel",
  interrogatives: "was welche welcher welches welchen welchem wer wen wem wessen wann wo warum wie",
  asksNumber:
    "wann|wie (?:viele?|hoch|lange?|groß|oft|schwer|weit|teuer|alt|schnell)|wieviele?|welcher anteil|zu wie viel prozent",
  reasons:
    "warum|wieso|weshalb|weswegen|aus welche[mn] gr[uü]nde?n?|wodurch|(?:was|welches) (?:ist|sind|war|waren) (?:der|die) (?:gr[uü]nde?|ursachen?)",
  values: {
    date: {
      asks: "wann|welche[msnr]? (?:jahr|tag|monat|datum|jahrhundert)",
      holds:
        "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|frühling|frühjahr|sommer|herbst|winter|jahrhunderts?|jahre?s?|monate?s?|wochen?|tage?s?|stunden?|minuten?|mittags?|morgens?|abends?|nachts?|heute|gestern|wenn|sobald|während|bis|seit|bevor|vor|nach|nachdem|beim?|ende|anfang|beginn|immer|nie|sofort|jährlich|monatlich|wöchentlich|täglich",
    },
    number: {
      asks: "wie ?viele?|wie (?:alt|schwer)|welcher (?:anteil|prozentsatz)",
      holds:
        "keine?[mnrs]?|null|eine?[mnrs]?|alle|beide[mnrs]?|halb(?:e[mnrs]?|iert(?:e[mnrst]?)?|jahr(?:e?s|en?)?|tags)?|hälfte|doppelt(?:e[mnrs]?)?|mehrere[mnr]?|mehrheit|dutzende?|hunderte?|tausende?|millionen|kostenlos|unbegrenzt|paar",
    },
    telephone: { asks: "(?:telefon|telefax|fax|ruf)nummern?" },
    color: {
      asks: "(?:welche[nrsm]?|in welchen?) farben?|farbe (?:hat|haben|ist)",
      holds:
        "(?:(?:hell|dunkel)?(?:rot|gelb|grün|blau|braun|grau|schwarz|weiß|violett){1,2}|rötlich|orange|gold|türkis|lila|rosa|beige|bunt|farblos|durchsichtig|silber)\\p{L}{0,3}",
    },
  },
  negations:
    "nicht mehr|nicht(?! nur)|(?:an)?statt(?: wie (?:bisher|zuvor|früher|vorher))?(?= (?!(?:und|oder|wenn|sobald|in|im|an|am|auf|bei|beim|zu|mit|nach|vor|um|ab|seit|bis)(?!\\p{L}))\\p{L})|anstelle(?: von)?|nie|niemals|kein|keine|keinen|keinem|keiner|keines|ohne|weder|noch|verboten|untersagt|unzulässig|unmöglich",
  exceptions: "außer",
  opposites:
    "offen|geöffnet/geschlossen aufbewahrt|gespeichert/gelöscht|vernichtet verpflichtend|vorgeschrieben|pflicht/freiwillig|optional gewonnen|gewann/verloren|verlor aktiviert|eingeschaltet/deaktiviert|ausgeschaltet angenommen|genehmigt/abgelehnt bestanden/durchgefallen startet|starten|gestartet/stoppt|stoppen|gestoppt|angehalten gefüllt|befüllt|füllen|füllt/entleert|entleeren öffnet|öffnen/schließt|schließen",
  yes: "ja|doch",
  no: "nein",
  extremes: {
    most: "(?:d(?:er|ie|as|en|em)|am) (?:meist|höchst|größt|längst|schwerst)en?|(?:mehr|höhere?n?|größere?n?)(?: [\\p{L}]+){0,5} als (?:die|alle|jede[rs]?) anderen?",
    least:
      "(?:d(?:er|ie|as|en|em)|am) (?:wenigst|niedrigst|geringst|kleinst|kürzest|leichtest|billigst)en?|(?:weniger|niedrigere?n?|geringere?n?)(?: [\\p{L}]+){0,5} als (?:die|alle|jede[rs]?) anderen?",
  },
  cells: {
    neutral:
      "war waren wert werte zahl anzahl betrag ergebnis ergebnisse stufe erreicht erreichte erzielt erzielte beträgt betrug",
    kinds: "genauigkeit punktzahl leistung rate anteil datensatz",
    shares: "prozent prozentsatz",
    turning:
      "vor nach ohne nicht kein netto brutto andere gesamt insgesamt durchschnitt mittel je pro abzüglich",
    ways: "an aus",
    asksAmount: "wie (?:viele?|lange?|hoch|weit|groß|schwer|schnell|alt|oft|tief|breit)",
    most: "(?:meist|höchst|größt|längst|schwerst|teuerst|schnellst)e[nrsm]?|maximale?[nrsm]?",
    least:
      "(?:wenigst|niedrigst|geringst|kleinst|kürzest|leichtest|billigst|günstigst)e[nrsm]?|minimale?[nrsm]?",
    more: "höher(?:e[nrs]?)?|größer(?:e[nrs]?)?|mehr|länger(?:e[nrs]?)?|schwerer",
    less: "niedriger(?:e[nrs]?)?|geringer(?:e[nrs]?)?|kleiner(?:e[nrs]?)?|weniger|kürzer(?:e[nrs]?)?|leichter|billiger",
    whichYear: "welche[mns]? (?:geschäfts)?jahr(?:e[ns]?)?",
    years: "jahr jahre jahren geschäftsjahr",
    others:
      "warum|wieso|weshalb|wie(?! (?:viele?|lange?|hoch|weit|groß|schwer|schnell|alt|oft|tief|breit)(?!\\p{L}))",
    apart: {
      more: "(?:um )?wie ?viele? (?:mehr|höher|größer|länger|älter|schwerer|schneller)",
      less: "(?:um )?wie ?viele? (?:weniger|niedriger|geringer|kleiner|kürzer|jünger|leichter|langsamer)",
      than: "als|verglichen mit|im vergleich (?:zu[rm]?|mit)|gegenüber",
      distances: "unterschied|differenz|abstand",
      between: "zwischen",
    },
  },
  limits: {
    above:
      "mehr als|höher als|größer als|länger als|älter als|über|oberhalb(?: von)?|ab mehr als|übersteig(?:t|en)|überschreite(?:t|n)",
    below: "weniger als|niedriger als|kleiner als|kürzer als|jünger als|unter|unterhalb(?: von)?",
    from: "mindestens|wenigstens|nicht weniger als|ab",
    upTo: "bis(?: zu)?|höchstens|nicht mehr als|nicht länger als|nicht über|maximal|innerhalb von|binnen",
    minimum: "minimum|mindest\\p{L}*",
    maximum: "maximum|höchst(?!ens)\\p{L}*|grenzwert|obergrenze",
    orMore: "(?:oder|und) (?:mehr|darüber|höher|länger|älter)",
    orLess: "(?:oder|und) (?:weniger|darunter|niedriger|kürzer)",
  },
  // `zu schwer`, but not `bis zu 25 kg`.
  refusals:
    "abgelehnt|lehn\\p{L}* ab|verweiger\\p{L}*|zurückgewiesen|verboten|untersagt|unzulässig|nicht|nie|niemals",
  affirmations: "erlaubt|gestattet|zulässig|möglich",
  breaks: "gegenüber|verglichen mit|im vergleich zu|während|nach|von|oder",
  aggregates: "insgesamt|gesamt\\p{L}*|summe|zusammen|durchschnitt\\p{L}*|mittelwert|im schnitt",
  directions: {
    up: "stieg|stiegen|steig\\p{L}*|gestiegen|anstieg|zunahme|nahm\\p{L}* zu|zugenommen|wuchs|gewachsen|wachstum|erhöh\\p{L}*|höher\\p{L}*",
    down: "sank|sanken|sinkt|gesunken|fiel|fielen|gefallen|rückgang|abnahme|nahm\\p{L}* ab|abgenommen|verringer\\p{L}*|reduzier\\p{L}*|gesenkt|niedriger\\p{L}*|geringer\\p{L}*",
  },
  approximations: "rund|etwa|ungefähr|knapp|fast|mehr als|weniger als|über|unter",
  and: "und",
  or: "oder",
  until: "bis|und",
  openings: { phrase: "bei|unter|im|in|nach|für|laut", question: "was|welche[rsnm]?|wie|wer|wann|wo|warum" },
  differences: {
    asks: "(?:differenz|unterschied|lücke|kluft) zwischen|wie ?viele? prozentpunkte|wie ?viele? (?:\\p{L}+ ){0,2}(?:mehr|weniger|höher|niedriger|größer|kleiner|länger|kürzer|älter|jünger|breiter|tiefer|dicker|schwerer|leichter|schneller|langsamer|teurer|billiger|günstiger|wärmer|kälter|später|früher)",
    holds:
      "unterschied(?:e[ns]?|s|lich(?:e[mnrs]?)?)?|differenz|abstand|lücke|kluft|mehr|weniger|als|prozentpunkte?n?|gegenüber|vor|hinter|auseinander|zusätzlich|länger|kürzer|höher|niedriger|tiefer|breiter|schmaler|schwerer|leichter|größer|kleiner|älter|jünger|teurer|billiger|günstiger|schneller|langsamer|wärmer|kälter|später|früher|stärker|schwächer",
  },
  changes: "änder\\p{L}*|veränder\\p{L}*|abweichung\\p{L}*|unterschied\\p{L}*",
  periods: {
    since: "seit",
    fiscal: "geschäftsjahre?s?|wirtschaftsjahre?s?|gj",
    latest: "neueste[nmrs]?|jüngste[nmrs]?|aktuellste[nmrs]?",
    quarters: [
      "erste[nsmr]? quartals?|1\\. quartals?",
      "zweite[nsmr]? quartals?|2\\. quartals?",
      "dritte[nsmr]? quartals?|3\\. quartals?",
      "vierte[nsmr]? quartals?|4\\. quartals?",
    ],
    halves: ["erste[nsmr]? halbjahre?s?|1\\. halbjahre?s?", "zweite[nsmr]? halbjahre?s?|2\\. halbjahre?s?"],
  },
  answerForms: {
    leads: "bitte und auch dann nur einfach kurz die deine ihre",
    answering: "runde runden gerundet antworte antworten beantworte",
    giving: "gib geben nenne schreibe schreib liste formuliere drücke stelle verwende",
    answers: "antwort antworten frage ergebnis",
    forms:
      "ganzzahl dezimalstelle dezimalstellen nachkommastelle nachkommastellen kommazahl format liste stichwort stichworten stichworte stichpunkt stichpunkten stichpunkte tabelle prozent satz sätze sätzen knapp kurz",
    remarks: "gerundet dezimalstellen nachkommastellen",
    beside:
      "in als mit auf zahl wert wort worten wörtern ganze ganzen reihenfolge alphabetisch alphabetischer aufsteigend absteigend deutsch englisch antworten",
    supposing: "angenommen",
    hearers: "du sie",
    conditions: "falls wenn",
    denials: "nicht kein keine keinen nichts",
    stating: "sage sag schreibe schreib antworte erkläre",
    examples: "z\\. ?b\\.|zum beispiel|beispielsweise",
    manners:
      "in (?:nur |höchstens )?(?:einem|zwei|drei|vier|fünf|wenigen|\\d{1,2}) (?:kurzen |ganzen )?(?:sätzen|satz|worten|wörtern|wort|stichpunkten|zeilen)|(?:in|mit) (?:stichworten|stichpunkten)|als liste",
  },
  documentKinds:
    "protokoll|protokolls|sitzungsprotokoll rechnung brief|briefs|schreiben|schreibens tagesordnung rundschreiben|rundschreibens lebenslauf|lebenslaufs",
  phrases: {
    greeting: "hallo|guten morgen|guten tag|guten abend|moin|servus|grüß gott",
    wellbeing: "wie geht's|wie geht es dir|wie geht es ihnen",
    thanks: "danke|danke schön|vielen dank|danke sehr|für die hilfe|für deine hilfe",
    farewell: "tschüss|tschüß|auf wiedersehen|bis bald|bis morgen|gute nacht|bis später",
    praise: "gut|sehr gut|alles klar|prima|genial",
  },
  fillers: "und dir ihnen zusammen alle",
};

/**
 * Patterns for text that addresses the answering assistant rather than the reader, by language. Matched
 * against one sentence on one line (NFKC, single spaces). Every repetition is bounded, so matching takes
 * linear time.
 */

const form = (source: string): RegExp => new RegExp(source, "iu");
/** Word boundaries for any alphabet: `\b` knows only ASCII letters. */
const start = "(?<![\\p{L}\\p{M}])";
const end = "(?![\\p{L}\\p{M}])";

const reply = "(?:answer|reply|response|output|completion|summary you (?:write|give))s?";

const english: readonly RegExp[] = [
  // The answer about to be written: "in your response", "modify your answer to".
  form(`\\byour\\s+(?:\\p{L}+\\s+){0,2}?(?:${reply}|message|words)\\b`),
  form(`\\b(?:letters|words|vowels|spaces|characters) (?:in|of|from) (?:your|the|this) ${reply}`),
  form(
    `\\b(?:add|append|include|insert|mention|embed|put|begin|start|end|finish|preface)\\b.{0,80}\\b(?:to|in|into|with|at the (?:start|end) of) (?:the|this|any|every|each) ${reply}\\b`,
  ),
  // Tells the assistant to ignore other instructions.
  /\b(?:ignor\p{L}*|disregard\p{L}*|forget|overrid\p{L}*|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|foregoing|existing|original|all|any|other|system|your|the)\b.{0,40}\b(?:instructions?|prompts?|rules|directions|guidelines|question|passages|commands|constraints)\b/iu,
  /\bnew (?:instructions?|task|role)\s*:/iu,
  // Names the assistant or assigns it a role.
  /\byou are (?:now|no longer|an? (?:ai|assistant|chatbot|language model|llm|helpful)|acting as)\b/iu,
  /\b(?:system|developer) (?:prompt|message|instructions?)\b.{0,60}\b(?:reveal|print|repeat|output|show|is|says?|overrid\p{L}*)\b|\b(?:reveal|print|repeat|output|show)\b.{0,40}\bsystem (?:prompt|message)/iu,
  /(?:^|[\s("“*#>-])(?:dear|attention|hey|hello|note (?:to|for)|instructions? (?:to|for)|important)[\s,:!-]+(?:the |all |any )?(?:ai|assistants?|chatbots?|llms?|language models?|ai (?:assistants?|models?|agents?|systems?))\b/iu,
  /^[\s>*#-]*(?:ai |virtual )?(?:assistant|chatbot|llm)s?\s*[:,]\s/iu,
  /<\|?\/?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\|?>|\[\/?INST\]|<<\/?SYS>>/iu,
  /\b(?:when|if|whenever)\b.{0,60}\b(?:ask(?:s|ed)?|quer(?:y|ies|ied))\b.{0,80}\b(?:respond|reply|output|print)\b/iu,
  /\b(?:respond|reply|answer) (?:only )?(?:with|by|in) (?:only |exactly |just )?(?:the (?:following|word|phrase|text|exact)|["“'])/iu,
  /\bdo not (?:answer|respond to|reply to) (?:the|this|any|that) (?:user|question|query|request)/iu,
];

const german: readonly RegExp[] = [
  form(`${start}in (?:deiner|ihrer|eurer) (?:nächsten |gesamten |ganzen )?(?:antwort|ausgabe)${end}`),
  form(
    `${start}(?:beende|beginne|ergänze|erweitere|schreibe?|füge|setze|nenne|erwähne)(?:n sie)?${end}.{0,80}${start}(?:deine|ihre|eure|deiner|ihrer|jede|jeder|der) (?:antwort(?:en)?|ausgabe)${end}`,
  ),
  form(
    `${start}(?:ignorier\\p{L}{0,5}|missachte\\p{L}?|vergiss|vergessen sie(?! nicht)|übergehe?n?|verwirf|überschreibe?n?)${end}.{0,40}${start}(?:vorherig|vorig|bisherig|obig|früher|vorangehend|vorangegangen|sämtlich|all)\\p{L}{0,3}${end}.{0,40}(?:anweisung|instruktion|vorgabe|befehl|regel|richtlinie|prompt|frage)\\p{L}{0,4}${end}`,
  ),
  form(`${start}neue (?:anweisung(?:en)?|aufgabe|rolle)\\s{0,3}:`),
  form(
    `${start}(?:du bist|sie sind) (?:(?:ab )?(?:jetzt|nun|sofort) |nicht mehr )?(?:eine? )?(?:\\p{L}{1,20} )?(?:ki|assistent(?:in)?|chatbot|sprachmodell)${end}|${start}du bist (?:ab )?(?:jetzt|nun|sofort)${end}`,
  ),
  form(
    `${start}(?:zeige?|gib|geben sie|nenne|wiederhole?|verrate|offenbare)${end}.{0,40}${start}system-?\\s?(?:prompt|nachricht|anweisung(?:en)?)${end}`,
  ),
  form(
    `${start}(?:achtung|wichtig|hinweis (?:für|an)|anweisung(?:en)? (?:für|an)|hallo|liebe[rs]?)[\\s,:!-]{1,3}(?:die |den |das |alle |jede[rn]? )?(?:ki|assistent(?:en|in)?|chatbots?|sprachmodelle?)${end}`,
  ),
  form(
    `${start}antworte(?:n sie)? (?:immer |nur |stets |ausschließlich )?(?:mit|auf) (?:nur |genau )?(?:["“„']|dem (?:wort|satz|text)|folgende)`,
  ),
  form(`${start}beantworte(?:n sie)? (?:die|diese) (?:frage|anfrage)\\p{L}{0,2}.{0,30}${start}nicht${end}`),
];

const french: readonly RegExp[] = [
  form(`${start}dans (?:ta|votre) (?:prochaine )?réponse${end}`),
  form(
    `${start}(?:termine[rz]?|commence[rz]?|ajoute[rz]?|inclu(?:s|ez|re)|insère|insére[rz]|mentionne[rz]?|écri(?:s|vez)|conclu(?:s|ez))${end}.{0,80}${start}(?:ta|tes|votre|vos|la|chaque) réponses?${end}`,
  ),
  form(
    `${start}(?:ignore[rz]?|oublie[rz]?(?! pas)|néglige[rz]?|ne (?:tiens|tenez) pas compte|fai(?:s|tes) abstraction)${end}.{0,40}${start}(?:instructions?|consignes?|directives?|règles|ordres|prompts?)${end}.{0,20}${start}(?:précédent\\p{L}{0,2}|antérieur\\p{L}{0,2}|ci-dessus|qui précèdent|initiales?)${end}`,
  ),
  form(
    `${start}(?:ignore[rz]?|oublie[rz]?(?! pas)|ne (?:tiens|tenez) pas compte)${end}.{0,20}${start}(?:toutes? les?|tous les|précédentes) (?:autres )?(?:instructions?|consignes?|directives?|règles|ordres|prompts?)${end}`,
  ),
  form(`${start}nouve(?:lle|aux?|lles) (?:instructions?|consignes?|tâche|rôle)\\s{0,3}:`),
  form(
    `${start}(?:tu es|vous êtes) (?:maintenant |désormais )?(?:une? )?(?:assistante?|ia|intelligence artificielle|chatbot|modèle de langage)${end}|${start}tu es (?:maintenant|désormais)${end}`,
  ),
  form(
    `${start}(?:révèle[rz]?|révéle[rz]|affiche[rz]?|répète[rz]?|répéte[rz]|montre[rz]?|donne[rz]?)${end}.{0,40}${start}(?:prompt|message|invite|instructions?) (?:du |de )?système${end}`,
  ),
  form(
    `${start}(?:attention|important|note (?:à|pour)|instructions? (?:à|pour)|chère?s?|bonjour)[\\s,:!-]{1,3}(?:le |la |les |l['’]|aux? )?(?:assistante?s?|ia|chatbots?|modèles? de langage)${end}`,
  ),
  form(
    `${start}répond(?:s|ez) (?:toujours |seulement |uniquement |simplement )?(?:par|avec|en) (?:seulement |uniquement )?(?:["“«']|le (?:mot|texte)|la phrase)`,
  ),
  form(`${start}ne répond(?:s|ez) pas à (?:la|cette|l['’]) ?(?:question|demande|utilisateur)`),
];

const spanish: readonly RegExp[] = [
  form(`${start}en (?:tu|su) (?:próxima )?respuesta${end}`),
  form(
    `${start}(?:termin[ae]|empiez[ae]|comienz[ae]|añad[ea]|agreg[au]e?|incluy[ea]|mencion[ae]|escrib[ea]|finali[zc][ae])${end}.{0,80}${start}(?:tu|tus|su|la|cada) respuestas?${end}`,
  ),
  form(
    `${start}(?<!no )(?:ignor[ae]n?|ignorar|olvid[ae]n?|omit[ea]n?|descart[ae]n?|desobede\\p{L}{1,4}|haz caso omiso|no (?:hagas|tengas en) (?:caso|cuenta))${end}.{0,40}${start}(?:instrucciones|instrucción|indicaciones|órdenes|reglas|normas|directrices|prompts?)${end}.{0,20}${start}(?:anterior(?:es)?|previas?|precedentes|de arriba)${end}`,
  ),
  form(
    `${start}(?<!no )(?:ignor[ae]n?|olvid[ae]n?|omit[ea]n?|descart[ae]n?|haz caso omiso)${end}.{0,20}${start}(?:todas las|todos los|las anteriores) (?:demás |otras )?(?:instrucciones|indicaciones|órdenes|reglas|normas|directrices|prompts)${end}`,
  ),
  form(`${start}nuev[ao]s? (?:instrucciones|instrucción|tarea|rol)\\s{0,3}:`),
  form(
    `${start}(?:ahora |a partir de ahora,? )?(?:tú )?eres (?:ahora )?(?:una? )?(?:asistente|ia|inteligencia artificial|chatbot|modelo de lenguaje)${end}|${start}(?:ahora|a partir de ahora),? eres${end}`,
  ),
  form(
    `${start}(?:revel[ae]|muestr[ae]|repit[ea]|imprim[ea])${end}.{0,40}${start}(?:prompt|mensaje|instrucciones) (?:del |de )?sistema${end}`,
  ),
  form(
    `${start}(?:atención|importante|nota para|instrucciones? para|estimad[oa]s?|querid[oa]s?|hola)[\\s,:!-]{1,3}(?:el |la |los |las )?(?:asistentes?|ia|chatbots?|modelos? de lenguaje)${end}`,
  ),
  form(
    `${start}respond[ea] (?:siempre |solo |sólo |únicamente |solamente )?(?:con|por) (?:solo |únicamente )?(?:["“«']|la (?:palabra|frase)|el texto)`,
  ),
  form(`${start}no (?:respondas?|contestes?) (?:a )?(?:la|esta|al) (?:pregunta|solicitud|usuario)`),
];

const vietnamese: readonly RegExp[] = [
  form(`trong (?:câu|phần) trả lời (?:của )?(?:bạn|mình)|câu trả lời của bạn`),
  form(
    `${start}(?:kết thúc|bắt đầu|thêm|chèn|đưa|viết|ghi)${end}.{0,80}${start}(?:vào|trong|ở cuối|ở đầu) (?:câu|phần|mỗi câu|mọi câu) trả lời${end}`,
  ),
  form(
    `${start}(?<!đừng |không |chớ )(?:bỏ qua|phớt lờ|quên(?: đi)?|không (?:tuân theo|để ý(?: đến)?|làm theo))${end} (?:(?:mọi|tất cả|các|những|toàn bộ|hết) ){0,3}(?:hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh|lệnh|yêu cầu|quy tắc)${end}`,
  ),
  form(`${start}(?:hướng dẫn|chỉ dẫn|nhiệm vụ|vai trò) mới\\s{0,3}:`),
  form(
    `${start}bạn (?:bây giờ |giờ đây )?là (?:một )?(?:trợ lý|ai|chatbot|mô hình ngôn ngữ|trí tuệ nhân tạo)${end}|${start}(?:từ (?:bây )?giờ|kể từ bây giờ|bây giờ),? bạn (?:là|sẽ|phải)${end}`,
  ),
  form(
    `${start}(?:tiết lộ|hiển thị|in ra|lặp lại|cho xem)${end}.{0,40}${start}(?:lời nhắc|prompt|tin nhắn|chỉ dẫn|hướng dẫn) (?:của )?hệ thống${end}`,
  ),
  form(
    `${start}(?:lưu ý|chú ý|ghi chú|hướng dẫn|chỉ dẫn|gửi)(?: (?:cho|dành cho|tới|đến))?[\\s,:!-]{1,3}(?:các )?(?:trợ lý (?:ai|ảo)|ai${end}|chatbot|mô hình ngôn ngữ)`,
  ),
  form(
    `${start}(?:chỉ |hãy |luôn ){1,2}(?:trả lời|đáp|phản hồi) (?:rằng|bằng|với) (?:["“']|(?:từ|cụm từ|câu)${end})`,
  ),
  form(`${start}(?:đừng|không được|chớ) trả lời (?:câu hỏi|yêu cầu|người dùng)`),
];

/** Every form: English, German, French, Spanish and Vietnamese. */
export const instructionForms: readonly RegExp[] = [
  ...english,
  ...german,
  ...french,
  ...spanish,
  ...vietnamese,
];

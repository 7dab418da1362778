import { vietnameseContents } from "./contents.ts";
import type { Language } from "./language.ts";

/** A letter found only in Vietnamese, in composed text (NFC). */
const ownLetter = /[ăđơưạ-ỹ]/iu;

/**
 * Whether a text in NFC has letters found only in Vietnamese. A foreign name or symbol may contain one, so
 * longer texts count their share.
 */
export const hasVietnameseLetters = (text: string): boolean => ownLetter.test(text);

// Listed by syllable, as written.
const grammar = `ai anh bao bằng bị bởi các cái cho chỉ chúng chưa có còn của cũng do đã đang đây đến để đều đi được đâu gì
hay hãy hơn khi không là làm lại lên mà mấy một mỗi nào này nên nếu nhiêu những như nó ở phải ra rằng rất sau sẽ ta tại theo
thì thế tôi từ trên trong trước và vào vẫn vậy về vì với xin`;

/** Carry no subject in a question, but are terms of a text. */
const talk = "bạn chị đó họ kia nhé sao ạ ơi";
/** Frame the subject of a question about documents. */
const framing = "cùng điều giữa lúc người nhiều nhưng nơi qua số tới";
const general = "thêm việc";

const documents = "(?:tài liệu|tệp|văn bản|file|tập tin|báo cáo)";
const speaks =
  "(?:nói (?:về|đến|tới)|đề cập(?: (?:đến|tới|về))?|nhắc (?:đến|tới)|mô tả|chứa|viết về|bàn về|giải thích)";

export const vietnamese: Language = {
  code: "vi",
  functionWords: [grammar, talk],
  stopWords: [grammar, framing, general],
  vagueWords: [general, "biết hỏi giải thích thông tin nói chuyện hiểu giúp tài liệu vấn đề hoạt động nghĩa"],
  pronouns: {
    subjects: "nó",
    persons: "họ",
    pointers: "cái đó này kia vậy",
    speakers: "tôi mình",
    hearers: "bạn",
  },
  abbreviations: { everywhere: "TS PGS GS ThS", inTexts: "PGS.TS GS.TS Th.S BS KS LS CN TP Tp TX NXB" },
  numbers: {
    scales: { nghìn: 1e3, ngàn: 1e3, triệu: 1e6, tỷ: 1e9, tỉ: 1e9 },
    words: {
      small: `số_không một hai ba bốn năm sáu bảy|bẩy tám chín mười mười_một mười_hai mười_ba mười_bốn mười_lăm mười_sáu
mười_bảy mười_tám mười_chín`,
      tens: "hai_mươi ba_mươi bốn_mươi năm_mươi sáu_mươi bảy_mươi tám_mươi chín_mươi",
      ones: "không mốt hai ba bốn|tư lăm|nhăm sáu bảy tám chín",
      join: (ten, one) => [`${ten} ${one}`],
      notAfter: "tháng|thứ|quý|ngày|thập niên",
      // As often a year.
      onlyBefore: {
        năm: "tuần|ngày|tháng|giờ|phút|giây|năm|lần|người|nghìn|ngàn|triệu|tỷ|tỉ|đồng|bước|phần|mét|lít|cái|chiếc|máy",
      },
    },
  },
  joiners: "và|cũng như",
  requests:
    "(?:(?:xin |làm ơn |vui lòng )?(?:hãy |giúp tôi )?(?:cho (?:tôi|mình|em) (?:biết|hỏi|xem)|giải thích|liệt kê|tóm tắt|so sánh|tìm|nêu|kể))|(?:xin|làm ơn|vui lòng|hãy)|(?:tôi|mình|em) (?:cần|muốn) (?:biết|tìm|hỏi|xem)",
  statements: "đã|đang|sẽ|rồi|tôi|mình|chúng tôi|chúng ta",
  folders: { called: "thư mục(?: con)?", hold: "có|chứa|gồm" },
  places: "mục|chương|bảng|hình|trang|điều|phụ lục",
  shown: { figures: "hình", tables: "bảng", counting: "bao nhiêu|mấy" },
  pages: {
    one: "trang",
    short: String.raw`tr\.`,
    numbered: "số|thứ",
    between: "giữa",
    others: "nha",
    proper: "Trang",
    front: "trang (?:bìa|đầu)",
  },
  kinds: {
    holdings: {
      starts:
        "có (?:những )?(?:tài liệu|tệp|văn bản) (?:nào|gì)|(?:thư mục|bộ sưu tập) (?:này )?(?:có|chứa|gồm)|liệt kê (?:các |tất cả )*(?:tài liệu|tệp)|có bao nhiêu (?:tài liệu|tệp|văn bản)",
      holds:
        "trong (?:thư mục|bộ sưu tập) (?:này|đó|[^\\s?]{1,60} có (?:những )?(?:gì|tài liệu (?:nào|gì)))|(?:thư mục|bộ sưu tập) (?:này )?(?:có|chứa|gồm) (?:những )?(?:gì|tài liệu nào)",
    },
    summary: {
      starts: "tóm tắt|hãy tóm tắt|nội dung chính|tổng quan",
      holds: "nói về (?:cái gì|điều gì|gì|vấn đề gì)|nội dung chính của|bản tóm tắt|các ý chính|ý chính",
    },
    comparison: {
      starts: "so sánh|hãy so sánh",
      holds:
        "khác (?:nhau|biệt|gì)|so với|giống và khác|hay [^?]{1,60} (?:cao|thấp|nhiều|ít|lớn|nhỏ|rẻ|đắt|nặng|nhẹ|nhanh|chậm) hơn|(?:cao|thấp|nhiều|ít|lớn|nhỏ|rẻ|đắt|nặng|nhẹ|nhanh|chậm|dài|ngắn) hơn",
    },
    total: { holds: "tổng cộng|tổng số|tổng|trung bình|bình quân|cả thảy" },
    definition: { holds: "là gì|nghĩa là gì|có nghĩa là gì|viết tắt của|định nghĩa|được hiểu là" },
    procedure: {
      starts: "làm thế nào|làm sao|làm cách nào|hướng dẫn|quy trình|các bước",
      holds:
        "như thế nào để|phải làm gì|phải làm (?:thế nào|sao)|cần làm gì|các bước|từng bước|thủ tục|quy trình",
    },
    yes_no: {
      holds:
        "có [^?]{1,80} không\\s?\\?|được [^?]{1,80} không\\s?\\?|phải không|đúng không|hay không|có được không|được không",
    },
    number: { holds: "bao nhiêu|bao lâu|mấy|bao xa" },
    list: {
      starts: "liệt kê|hãy liệt kê|kể tên|nêu (?:các|tên|những)",
      holds:
        "những (?:\\p{L}+ ){1,4}nào|gồm những gì|bao gồm (?:những )?(?:gì|ai)|các (?:\\p{L}+ ){1,4}nào|những ai",
    },
  },
  contents: vietnameseContents,
  mentions: [
    `(?:trong |có )?(?:những |các )?${documents} nào (?:có |đã )?${speaks} (.+)`,
    `(?:có )?bao nhiêu ${documents} ${speaks} (.+)`,
    `(.+?) (?:được )?${speaks} (?:ở|trong) (?:những |các )?${documents} nào`,
    `(?:liệt kê|tìm) (?:tất cả |những |các )*${documents} ${speaks} (.+)`,
  ],
  boilerplate: "liên hệ|mục lục|lời cảm ơn|tài liệu tham khảo|bản quyền|phụ lục",
  summaries: {
    headings: "tóm tắt(?: nội dung)?|tổng quan|điểm chính|kết luận",
    asked: "tóm tắt tổng quan nội dung chính tài liệu báo cáo tệp phần chương mục điểm ý ngắn gọn bản",
  },
  continuations: "nó|họ|đây|đó|điều này|việc này|ngoài ra|do đó|ví dụ|cụ thể",
  asksNumber: "bao nhiêu|bao lâu|mấy|bao xa|cao bao nhiêu",
  reasons: "tại sao|vì sao|lý do|lí do|nguyên nhân|do đâu",
  values: {
    date: {
      asks: "khi nào|năm nào|bao giờ|lúc nào|ngày nào|tháng nào|thế kỷ nào|vào năm nào",
      holds:
        "ngày|tháng|năm|thế kỷ|thập kỷ|tuần|giờ|phút|sáng|trưa|chiều|tối|đêm|mùa|xuân|hè|thu|đông|hôm nay|hôm qua|khi|lúc|trước|sau|trong|từ|đến|cuối|đầu|giữa|thời|thời kỳ|thời gian|nếu|ngay|luôn",
    },
    number: {
      asks: "bao nhiêu|mấy",
      holds:
        "một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|nửa|trăm|nghìn|ngàn|triệu|tỷ|tỉ|vài|tất cả|đa số|hầu hết|phần lớn|miễn phí|toàn bộ",
    },
    telephone: { asks: "số (?:điện thoại|fax)" },
    color: {
      asks: "màu (?:gì|nào|sắc)",
      holds: "đỏ|cam|vàng|lục|xanh|lam|tím|hồng|nâu|đen|trắng|xám|bạc|be|rêu|kem|trong suốt|màu",
    },
  },
  negations: "không(?! chỉ)|thay (?:vì|cho)(?: như trước(?: đây)?)?|chưa|chẳng|nghiêm cấm|cấm",
  exceptions: "trừ",
  yes: "có|vâng|dạ|đúng(?: vậy)?|phải",
  no: "không",
  extremes: {
    most: "(?:nhiều|cao|lớn|dài|nặng) nhất",
    least: "(?:ít|thấp|nhỏ|ngắn|nhẹ|rẻ) nhất",
  },
  cells: {
    neutral: "trị kết quả đạt được",
    kinds: "điểm tỷ tỉ lệ",
    shares: "%",
    turning: "trước sau không khác tổng ròng gộp trừ ngoài trung bình",
    asksAmount: "(?:là )?bao nhiêu",
    most: "(?:nhiều|cao|lớn|dài|nặng) nhất",
    least: "(?:ít|thấp|nhỏ|ngắn|nhẹ|rẻ) nhất",
    more: "(?:nhiều|cao|lớn|dài|nặng) hơn",
    less: "(?:ít|thấp|nhỏ|ngắn|nhẹ|rẻ) hơn",
    whichYear: "năm nào",
    years: "năm",
    others: "(?:tại|vì) sao|làm (?:sao|thế nào)",
    apart: {
      more: "(?:nhiều|cao|lớn|dài|nặng) hơn bao nhiêu",
      less: "(?:ít|thấp|nhỏ|ngắn|nhẹ) hơn bao nhiêu",
      than: "so với",
      distances: "chênh lệch|khác biệt",
      between: "giữa",
    },
  },
  limits: {
    above: "trên|hơn|nhiều hơn|lớn hơn|cao hơn|vượt(?: quá)?|quá",
    below: "dưới|ít hơn|nhỏ hơn|thấp hơn",
    from: "ít nhất|tối thiểu|không dưới|không ít hơn|từ",
    upTo: "tối đa|nhiều nhất|không quá|không vượt quá|không nhiều hơn|đến|tới|trong vòng",
    minimum: "tối thiểu",
    maximum: "tối đa|giới hạn|hạn mức",
    orMore: "trở lên",
    orLess: "trở xuống",
  },
  refusals: "từ chối|không(?: được)?|nghiêm cấm|cấm|trả lại",
  affirmations: "được phép|cho phép",
  breaks: "so với|trong khi|từ|nhằm|hoặc",
  aggregates: "tổng|tổng cộng|tổng số|trung bình|bình quân|cả thảy",
  differences: {
    asks: "chênh lệch giữa|cách biệt giữa",
    holds: "chênh|cách biệt|khác biệt|hơn|điểm phần trăm|so với",
  },
  changes: "thay đổi|biến động|chênh lệch|khác biệt",
  approximations: "khoảng|gần|hơn",
  and: "và",
  or: "hoặc",
  until: "đến|tới",
  directions: { up: "tăng|tăng trưởng|cao hơn", down: "giảm|sụt giảm|thấp hơn" },
  periods: {
    since: "kể từ",
    fiscal: "năm tài chính|năm tài khóa|niên độ",
    latest: "mới nhất|gần đây nhất|gần nhất",
    quarters: ["quý 1|quý i|quý một", "quý 2|quý ii|quý hai", "quý 3|quý iii|quý ba", "quý 4|quý iv|quý tư"],
    halves: [
      "nửa đầu năm|6 tháng đầu năm|sáu tháng đầu năm",
      "nửa cuối năm|6 tháng cuối năm|sáu tháng cuối năm",
    ],
  },
  answerForms: {
    leads: "hãy xin vui lòng và chỉ",
    answering: "làm_tròn trả_lời",
    giving: "cho đưa_ra viết liệt_kê ghi trình_bày",
    answers: "câu trả lời đáp án",
    forms: "số nguyên thập phân danh sách phần trăm câu gạch đầu dòng định dạng ngắn gọn",
    beside: "trong một hai ba bằng tiếng việt anh theo thứ tự dưới dạng chữ từ tôi",
    examples: "ví dụ|chẳng hạn",
    manners:
      "(?:bằng|trong) (?:một|hai|ba|vài|\\d{1,2}) (?:câu|từ|gạch đầu dòng)|(?:một cách )?ngắn gọn|dưới dạng danh sách",
  },
  documentKinds: "biên_bản hóa_đơn công_văn luận_văn|luận_án",
  phrases: {
    greeting: "xin chào|chào|chào buổi sáng|chào buổi tối|chào buổi chiều|a lô|alo|rất vui được gặp bạn",
    wellbeing: "bạn khỏe không|bạn có khỏe không|dạo này thế nào",
    thanks: "cảm ơn|cám ơn|cảm ơn bạn|cảm ơn rất nhiều|cảm ơn nhiều",
    farewell: "tạm biệt|hẹn gặp lại|chúc ngủ ngon",
    praise: "tốt|tốt lắm|hay quá|tuyệt vời|được rồi",
  },
  fillers: "bạn nhé ạ nhiều lắm anh chị em các mọi người ơi trợ lý vậy",
};

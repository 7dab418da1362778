import { formatDecimalComma, joinPhrases } from "./phrases.ts";
import type { Notes } from "./words.ts";

const atLeast = (isLeast: boolean): string => (isLeast ? "Ít nhất " : "");

export const vietnameseNotes: Notes = {
  and: "và",
  others: (count) => `${count} mục khác`,
  mentions: {
    none: (subject, documents) =>
      `Trong ${documents} tài liệu đã tìm, không có tài liệu nào nói về “${subject}”.`,
    some: (documents, isLeast, subject) => `${atLeast(isLeast)}${documents} tài liệu nói về “${subject}”:`,
    apart: (documents, isLeast, subject) =>
      `Không câu nào nói về “${subject}”, nhưng có ${atLeast(isLeast).toLowerCase()}${documents} tài liệu chứa các từ đó trong cùng một đoạn:`,
    pages: (pages) => `trang ${pages}`,
    places: (places) => `${places} chỗ`,
    more: (documents) => `và ${documents} tài liệu khác`,
    narrowed: (agent) => `Chỉ tìm trong các bộ sưu tập mà ${agent} được đọc.`,
  },
  contents: {
    called: {
      pages: ["trang", "trang"],
      slides: ["trang chiếu", "trang chiếu"],
      headings: ["tiêu đề", "tiêu đề"],
      chapters: ["chương", "chương"],
      sections: ["mục", "mục"],
      appendices: ["phụ lục", "phụ lục"],
      tables: ["bảng", "bảng"],
      figures: ["hình", "hình"],
    },
    some: (name, count, called) => `${name} có ${count} ${called}`,
    none: (name, called) => `Không nhận dạng được ${called} nào trong ${name}.`,
    which: (documents) => `Câu hỏi không nêu rõ tài liệu nào trong số ${documents} tài liệu.`,
  },
  partMissing: (part) => `Không có đoạn nào trả lời: “${part}”`,
  noTotal: "Tổng chưa được tính. Đây là từng phần, như các đoạn đã nêu.",
  refusals: {
    noPassage: "Tôi không tìm thấy đoạn nào trả lời câu hỏi này trong các bộ sưu tập đã tìm.",
    nearest: "Những đoạn gần nhất:",
    ungrounded: "Các đoạn tìm được không đủ để đưa ra một câu trả lời đầy đủ và chắc chắn.",
    found: "Nội dung có trong các đoạn:",
  },
  holdings: {
    documentsIn: (documents, folder) => `${documents} tài liệu trong thư mục “${folder}”:`,
    noFolder: (folder) => `Không có thư mục “${folder}”.`,
    documents: (documents) => `${documents} tài liệu:`,
    more: (documents) => `${documents} tài liệu khác`,
    none: "Chưa có tài liệu nào để tìm. Để thêm tài liệu, hãy chạy `ragctl ingest THƯ_MỤC`.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "bộ sưu tập" : `${collections} bộ sưu tập:`;
      return `Tôi có thể tìm trong ${documents} tài liệu${collections === 0 ? "" : ` thuộc ${where} ${names}`}.`;
    },
    agents: (names) => `Các trợ lý: ${names}.`,
  },
  about: "Tôi là ragctl. Tôi trả lời câu hỏi dựa trên tài liệu của bạn và trích dẫn nguồn.",
  social: {
    greeting: "Xin chào! Bạn muốn biết điều gì trong tài liệu?",
    wellbeing: "Mọi thứ đều ổn, cảm ơn bạn. Bạn muốn biết điều gì trong tài liệu?",
    thanks: "Không có gì.",
    farewell: "Tạm biệt.",
    praise: "Vâng. Bạn cứ hỏi tiếp nhé.",
  },
  which: {
    subject: "Bạn muốn hỏi về chủ đề nào? Hãy nêu tên sản phẩm, người, địa điểm hoặc ngày.",
    example: (titles) => `Bạn muốn hỏi về chủ đề nào? Ví dụ, các tài liệu nói về ${titles}.`,
    ofOne: (title) => `Cụ thể bạn muốn biết điều gì trong ${title}?`,
    ofSeveral: (titles, last) => `Bạn muốn nói đến ${titles} hay ${last}?`,
  },
  sheets: {
    locale: "vi-VN",
    amount: (number, unit) => `${number}${unit === "%" ? "" : " "}${unit}`,
    colon: ":",
    where: (table, conditions) => `${table} có ${conditions}`,
    conditions: {
      "=": (column, value) => `${column} là ${value}`,
      ">": (column, value) => `${column} lớn hơn ${value}`,
      ">=": (column, value) => `${column} từ ${value} trở lên`,
      "<": (column, value) => `${column} nhỏ hơn ${value}`,
      "<=": (column, value) => `${column} không quá ${value}`,
    },
    none: (rows) => `Không có dòng nào phù hợp: ${rows}`,
    empty: "Không có dòng nào phù hợp.",
    count: (rows) => `Số dòng trong ${rows}`,
    sum: (column, rows) => `Tổng của ${column} trong ${rows}`,
    average: (column, rows) => `Trung bình của ${column} trong ${rows}`,
    highest: (column, rows) => `${column} lớn nhất trong ${rows}`,
    lowest: (column, rows) => `${column} nhỏ nhất trong ${rows}`,
    difference: "Chênh lệch",
    ofRows: (count) => `, ${count} dòng`,
    rowHighest: (column, rows) => `Dòng có ${column} lớn nhất trong ${rows}`,
    rowLowest: (column, rows) => `Dòng có ${column} nhỏ nhất trong ${rows}`,
    row: (rows) => `Dòng trong ${rows}`,
    columns: (columns, rows) => `${columns} trong ${rows}`,
    found: (rows) => `tìm thấy ${rows} dòng`,
    moreRows: (rows) => `còn ${rows} dòng nữa trong kết quả`,
    leftOut: (rows, isExact) => `${isExact ? "" : "ít nhất "}${rows} dòng khác bị bỏ qua do giới hạn số dòng`,
    cut: (cells) => `${cells} ô dài đã bị cắt bớt`,
    resultOf: (sql) => `Kết quả của ${sql}`,
    called: {
      count: (column) => `số ${column}`,
      sum: (column) => `tổng ${column}`,
      average: (column) => `trung bình ${column}`,
      lowest: (column) => `${column} nhỏ nhất`,
      highest: (column) => `${column} lớn nhất`,
    },
    allRows: "dòng",
  },
  reasons: {
    evidence: (lacks) => `không đủ bằng chứng${lacks === "" ? "" : `: ${lacks}`}`,
    absent: (names, numbers) =>
      `không đoạn nào trong số các đoạn gần nhất ${joinPhrases([names && `nhắc đến ${names}`, numbers && `có ${numbers}`], " hoặc ")}`,
    beside: (names, isAlso) =>
      `chỉ phần văn bản liền kề ${isAlso ? "các đoạn đó" : "các đoạn gần nhất"} nhắc đến ${names}`,
    noDocument: (name) => `trong các tài liệu đã tìm, không có tài liệu nào tên “${name}”`,
    onlyForms: (names) => `chỉ tìm thấy các biểu mẫu trống: ${names}`,
    unsearched: (agent, collections) => `${agent} không tìm trong ${collections} bộ sưu tập mà bạn đọc được`,
    askAgent: (agent) => `hãy hỏi ${agent} (--agent "${agent}")`,
    quoted: "các dòng trong tài liệu gần với câu hỏi nhất, nguyên văn",
    asFound: "kết quả của công cụ, giữ nguyên văn",
    wroteNothing: "mô hình không viết gì",
    declined: "mô hình không tìm thấy câu trả lời trong các đoạn",
    groundless: (reason) => `không có nội dung nào mô hình viết được các đoạn chứng thực: ${reason}`,
    standing: (supported, all) => `${supported} trên ${all} câu có căn cứ trong các đoạn được trích dẫn`,
    inPart: (count) => `trong đó ${count} câu chỉ có căn cứ một phần`,
    withheld: (count) => `đã ẩn ${count} câu trong các đoạn vì đó là chỉ dẫn dành cho trợ lý AI`,
    noTotal: "tổng chưa được tính",
    whole: (marker, isProcedure) =>
      `toàn bộ ${isProcedure ? "quy trình" : "danh sách"}, như trong [${marker}]`,
    mentioned: (mentions, documents) => `được nhắc đến trong ${mentions} trên ${documents} tài liệu đã tìm`,
    readOff: (chunks, name) => `đọc từ ${chunks} đoạn của ${name}`,
  },
  judged: {
    uncited: "không trích dẫn đoạn nào",
    unstated: "không đoạn nào nói điều này",
    noPassage: (marker) => `không có đoạn [${marker}]`,
    opposite: (where) => `${where} nói ngược lại`,
    absent: (what, where) => `${what} không có trong ${where}`,
    elsewhere: (what, there, where) => `${what} có trong ${there}, không có trong ${where}`,
    otherValue: (what, where) => `${what} trái với ${where}`,
    otherUnit: (number, where) => `${number} có trong ${where} nhưng với đơn vị khác`,
    notEntailed: (where, probability, label, judge) =>
      `không suy ra được từ ${where}: ${label} (xác suất ${formatDecimalComma(probability)}, theo ${judge})`,
  },
};

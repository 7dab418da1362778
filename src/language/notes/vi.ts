import { joined, withComma } from "./phrases.ts";
import type { Notes } from "./words.ts";

const atLeast = (isLeast: boolean): string => (isLeast ? "Ít nhất " : "");

export const vietnameseNotes: Notes = {
  and: "và",
  others: (count) => `${count} mục khác`,
  mentions: {
    none: (subject, documents) =>
      `Không có tài liệu nào trong ${documents} tài liệu đã tìm nói về “${subject}”.`,
    some: (documents, isLeast, subject) => `${atLeast(isLeast)}${documents} tài liệu nói về “${subject}”:`,
    apart: (documents, isLeast, subject) =>
      `Không câu nào nói về “${subject}”; ${atLeast(isLeast).toLowerCase()}${documents} tài liệu có các từ đó trong một đoạn:`,
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
    none: (name, called) => `Không nhận ra ${called} nào trong ${name}.`,
    which: (documents) => `Câu hỏi không cho biết tài liệu nào trong ${documents} tài liệu.`,
  },
  sideMissing: (side) => `Các đoạn không nói gì về ${side}.`,
  partMissing: (part) => `Không có đoạn nào trả lời: “${part}”`,
  partUnanswered: (part) => `Chưa trả lời: “${part}”`,
  noTotal: "Không có phép tính tổng nào được thực hiện: đây là từng phần, như trong các đoạn.",
  refusals: {
    noPassage: "Tôi không tìm thấy đoạn nào trả lời câu hỏi này trong các bộ sưu tập đã tìm.",
    nearest: "Những đoạn gần nhất:",
    ungrounded: "Các đoạn tìm được không đủ để đưa ra một câu trả lời đầy đủ và chắc chắn.",
    found: "Những gì đã tìm thấy:",
  },
  holdings: {
    documentsIn: (documents, folder) => `${documents} tài liệu trong thư mục “${folder}”:`,
    noFolder: (folder) => `Không có thư mục “${folder}”.`,
    documents: (documents) => `${documents} tài liệu:`,
    more: (documents) => `${documents} tài liệu khác`,
    none: "Hiện chưa có tài liệu nào để tìm.",
    searched: (documents, collections, names) => {
      const where = collections === 1 ? "bộ sưu tập" : `${collections} bộ sưu tập:`;
      return `Tôi có thể tìm trong ${documents} tài liệu${collections === 0 ? "" : ` thuộc ${where} ${names}`}.`;
    },
    agents: (names) => `Các trợ lý: ${names}.`,
  },
  about: "Tôi là ragctl, một chương trình trả lời câu hỏi từ tài liệu của bạn và trích dẫn nguồn.",
  social: {
    greeting: "Xin chào! Bạn muốn biết điều gì trong tài liệu?",
    wellbeing: "Mọi thứ đều ổn, cảm ơn bạn. Bạn muốn biết điều gì trong tài liệu?",
    thanks: "Không có gì ạ.",
    farewell: "Tạm biệt.",
    praise: "Vâng. Bạn cứ hỏi tiếp nhé.",
  },
  which: {
    subject: "Bạn muốn hỏi về chủ đề nào?",
    example: (titles) => `Bạn muốn hỏi về chủ đề nào, ví dụ ${titles}?`,
    ofOne: (title) => `Bạn muốn biết gì cụ thể trong ${title}?`,
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
    evidence: (score, threshold, lacks) =>
      `điểm bằng chứng ${withComma(score)} thấp hơn ${withComma(threshold)}${lacks === "" ? "" : `: ${lacks}`}`,
    absent: (names, numbers) =>
      `không đoạn nào trong những đoạn gần nhất ${joined([names && `nhắc đến ${names}`, numbers && `có ${numbers}`], " hoặc ")}`,
    beside: (names, isAlso) =>
      `chỉ phần văn bản bên cạnh ${isAlso ? "chúng" : "những đoạn gần nhất"} nhắc đến ${names}`,
    noDocument: (name) => `không có tài liệu nào đã tìm có tên “${name}”`,
    unsearched: (agent, collections) =>
      `${agent} không tìm trong ${collections} bộ sưu tập mà bạn được phép đọc`,
    askAgent: (agent) => `hãy hỏi với --agent "${agent}"`,
    unseen: "câu hỏi về hình thức của trang, nhưng chỉ phần chữ của trang được đọc",
    noSentence: "không có câu nào trong các đoạn trả lời câu hỏi này",
    asFound: "kết quả của công cụ, giữ nguyên",
    noModel: "chưa cài mô hình trả lời: trích dẫn câu từ các đoạn",
    noTime: "không mô hình nào kịp trả lời trong thời gian cho phép: trích dẫn câu từ các đoạn",
  },
};

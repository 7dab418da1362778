import { vietnamese } from "../lexicons/vi.ts";
import type { SheetWords } from "./words.ts";

export const vietnameseSheets: SheetWords = {
  decimal: ",",
  apart: (text) => text,
  hasCompounds: false,
  rootOf: (word) => word,
  silent: [
    ...(vietnamese.functionWords ?? []),
    `bình bảng cả thảy trở bản ghi biết cao chiếc con cộng danh dài dòng dưới giá_trị giữa hết kê khoảng kể liệt loại lớn mức ngắn nhất nhỏ
nhiều ít quá sách số sản_phẩm tên tất thiểu thấp tìm tối trung trị tổng vượt xem đa đạt đến tới bé nằm nặng nhẹ mới cũ`,
  ],
  figures: {
    avg: "trung bình|bình quân",
    sum: "tổng|tổng cộng|cả thảy",
    max: "max|mới nhất|gần đây nhất|tối đa",
    min: "min|cũ nhất|sớm nhất|tối thiểu",
    count: "có (?:tất cả )?bao nhiêu|có mấy|đếm|số (?:dòng|bản ghi)|(?:tổng )?số lượng các",
  },
  counting: "có (?:tất cả )?(?:bao nhiêu|mấy)|số lượng các",
  between: "từ|giữa|trong khoảng(?: từ)?|khoảng từ",
  placing: "(?:ở|tại|trong|từ|do|bởi|thuộc|trên)",
  beyond: "không|chưa|ngoài|trừ|mỗi|từng|theo|hơn (?:mức )?trung bình",
  beforeRanked: "(?:của|ở|tại|trong)(?: \\p{L}+){1,4} ",
  asksExtreme: "(?:(?!của )\\p{L}{1,12} ){1,6}",
  names: "tên",
  identifiers: "id mã năm code",
  meanings: {
    giá: "đơn",
    đắt: "đơn giá",
    rẻ: "đơn giá",
    còn: "tồn kho",
    đâu: "vị trí địa điểm",
  },
};

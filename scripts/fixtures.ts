// Writes fixtures/documents (or the folder named as the first argument). Same script, same bytes: the clock
// is frozen and every source is text in scripts/fixtures. Run: node scripts/fixtures.ts [folder]
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mock } from "node:test";
import { fileURLToPath } from "node:url";
import { bulletin } from "./fixtures/bulletin.ts";
import { handbook } from "./fixtures/handbook.ts";
import { manual } from "./fixtures/manual.ts";
import { commissioning, intranet, shiftLog, vietnamese } from "./fixtures/notes.ts";
import { made, writePdf } from "./fixtures/pdf.ts";
import { writeScan } from "./fixtures/scan.ts";
import { writeSlides } from "./fixtures/slides.ts";
import { prices, writeSpreadsheet } from "./fixtures/spreadsheet.ts";
import { writeLeaveTemplate, writeMinutes } from "./fixtures/word.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../fixtures/documents", import.meta.url));

// The office writers stamp "now" into their files and zip entries (in local time, hence the zone).
process.env["TZ"] = "UTC";
mock.timers.enable({ apis: ["Date"], now: made });

const documents: Readonly<Record<string, Uint8Array | string>> = {
  "policy_handbook.pdf": await writePdf(handbook),
  "equipment_manual.pdf": await writePdf(manual),
  "seal_bulletin.pdf": await writePdf(bulletin),
  "delivery_note_scan.pdf": await writeScan(),
  "equipment_data.xlsx": writeSpreadsheet(),
  "supplier_prices.csv": prices,
  "safety_training.pptx": await writeSlides(),
  "maintenance_minutes.docx": await writeMinutes(),
  "leave_request_template.docx": await writeLeaveTemplate(),
  "it_service_desk.html": intranet,
  "commissioning_notes.md": commissioning,
  "ghi_chu_bao_tri.md": vietnamese,
  "shift_log.txt": shiftLog,
};

await mkdir(folder, { recursive: true });
for (const [name, content] of Object.entries(documents)) await writeFile(join(folder, name), content);

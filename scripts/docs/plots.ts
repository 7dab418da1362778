// Draws the plots of docs/measurements.md: docs/images/NAME.svg for each entry of docs/images/figures.json.
// A point is [value, low, high]; without an interval, [value]. Scale `share` is 0 to 1, `log` is decades;
// `joined` draws a line through the points of a series.
import { readFileSync } from "node:fs";
import { z } from "../../src/core/schema.ts";

const point = z.union([z.tuple([z.number()]), z.tuple([z.number(), z.number(), z.number()])]);
const panelShape = z.strictObject({
  title: z.string(),
  joined: z.boolean(),
  scale: z.enum(["share", "log"]),
  labels: z.array(z.string()),
  series: z.record(z.string(), z.array(point)),
});
const plotShape = z.strictObject({ title: z.string(), panels: z.array(panelShape) });
type Panel = z.infer<typeof panelShape>;
type Plot = z.infer<typeof plotShape>;

const [width, top, height] = [400, 62, 220];
const [left, gap] = [44, 28];

/** Colours of series in the order of the file, legible on white and on black. */
const colours = ["#3b82f6", "#d97706", "#8b949e"];

const style = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;fill:#24292f}
line{stroke:#8b949e;stroke-opacity:.35}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.title{fill:#e6edf3}}`;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const round = (value: number): string => String(Number(value.toFixed(1)));
const text = (x: number, y: number, words: string, attributes = ""): string =>
  `<text x="${round(x)}" y="${round(y)}"${attributes}>${escaped(words)}</text>`;

/** Ticks of a panel's scale, least first. */
function ticksOf({ scale, series }: Panel): readonly number[] {
  if (scale === "share") return [0, 0.25, 0.5, 0.75, 1];
  const most = Math.max(...Object.values(series).flat(2));
  return Array.from({ length: Math.ceil(Math.log10(most)) + 1 }, (_, decade) => 10 ** decade);
}

/** One series: its points with their intervals, and the line through them where they are joined. */
function drawSeries(
  points: Panel["series"][string],
  joined: boolean,
  colour: string,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  const places = points.map(([value], at) => `${round(x(at))},${round(y(value))}`).join(" ");
  const line = `<polyline points="${places}" fill="none" stroke="${colour}" stroke-opacity=".5"/>`;
  const marks = points.map(([value, low = value, high = value], at) => {
    const bar = `<path d="M${round(x(at))} ${round(y(low))}V${round(y(high))}" stroke="${colour}" stroke-width="2"/>`;
    return `${bar}<circle cx="${round(x(at))}" cy="${round(y(value))}" r="4" fill="${colour}"/>`;
  });
  return (joined ? line : "") + marks.join("");
}

function drawPanel(panel: Panel, place: number): string {
  const start = place * (width + gap) + left;
  const inner = width - left;
  const ticks = ticksOf(panel);
  const [least = 0, most = 1] = [ticks[0], ticks.at(-1)];
  const share = (value: number): number =>
    panel.scale === "share" ? value : Math.log10(value / least) / Math.log10(most / least);
  const y = (value: number): number => top + height - share(value) * height;
  const names = Object.keys(panel.series);
  const step = inner / panel.labels.length;
  const x = (series: number, at: number): number =>
    start + step * (at + 0.5) + (series - (names.length - 1) / 2) * 14;
  const grid = ticks.map(
    (tick) =>
      `<line x1="${start}" x2="${start + inner}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>` +
      text(start - 6, y(tick) + 4, String(tick), ' text-anchor="end"'),
  );
  const labels = panel.labels.map((label, at) =>
    text(start + step * (at + 0.5), top + height + 18, label, ' text-anchor="middle"'),
  );
  const key = names.map((name, at) => {
    const [keyX, colour] = [start + at * (inner / names.length), colours[at] ?? ""];
    const swatch = `<circle cx="${round(keyX + 4)}" cy="${top + height + 36}" r="4" fill="${colour}"/>`;
    return swatch + text(keyX + 12, top + height + 40, name);
  });
  const drawn = Object.values(panel.series).map((points, at) =>
    drawSeries(points, panel.joined, colours[at] ?? "", (point) => x(at, point), y),
  );
  return [text(start, top - 16, panel.title), ...grid, ...labels, ...key, ...drawn].join("\n");
}

function draw({ title, panels }: Plot): string {
  const [all, tall] = [panels.length * (width + gap), top + height + 54];
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${all} ${tall}" width="${all}" role="img">`;
  const body = panels.map(drawPanel).join("\n");
  return `${head}\n<title>${escaped(title)}</title>\n<style>${style}</style>\n${text(left, 20, title, ' class="title"')}\n${body}\n</svg>\n`;
}

/** The plots of docs/images/figures.json as SVG, by their path from the root. */
export function plots(): ReadonlyMap<string, string> {
  const figures = z.record(z.string(), plotShape);
  const path = new URL("../../docs/images/figures.json", import.meta.url);
  const read = figures.parse(JSON.parse(readFileSync(path, "utf8")));
  return new Map(Object.entries(read).map(([name, plot]) => [`docs/images/${name}.svg`, draw(plot)]));
}

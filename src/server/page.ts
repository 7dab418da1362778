import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStatic } from "@hono/node-server/serve-static";
import type { Env, Hono } from "hono";

/** The page may load files of this server only; pdf.js needs WebAssembly for its decoders. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data: blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const pageFolder = fileURLToPath(new URL("./page/", import.meta.url));

/** Paths of the page's files. */
const pageFile = /^\/(?:[\w-]+\/)*[\w-][\w.-]*\.(?:html|js|mjs|css|svg|png|ico|woff2|json|txt)$/;

const resolvePackage = createRequire(import.meta.url).resolve;

/** Folder of an installed package. */
const packageFolder = (name: string): string => {
  let folder = dirname(resolvePackage(name));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
};

/** Package files the page imports, under `/vendor/`. */
const vendored = [
  { from: "/vendor/marked/marked.esm.js", in: "marked", at: "lib" },
  { from: "/vendor/dompurify/purify.es.mjs", in: "dompurify", at: "dist" },
  ...["build", "web", "cmaps", "standard_fonts", "wasm", "iccs"].map((folder) => ({
    from: `/vendor/pdfjs/${folder}/*`,
    in: "pdfjs-dist",
    at: folder,
  })),
];

/** Serves the page and its packages; nothing is loaded from elsewhere. */
export function mountPage<E extends Env>(app: Hono<E>): void {
  for (const { from, in: name, at } of vendored) {
    const prefix = from.slice(0, from.lastIndexOf("/"));
    const serve = serveStatic({
      root: join(packageFolder(name), at),
      rewriteRequestPath: (path) => path.slice(prefix.length),
    });
    app.get(from, serve);
  }
  if (!existsSync(pageFolder)) return;
  const page = serveStatic({ root: pageFolder });
  app.get("/", page);
  app.get("/*", (context, next) => (pageFile.test(context.req.path) ? page(context, next) : next()));
}

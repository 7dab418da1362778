import { events, messageOf, post, withQuery, writeHeaders } from "../core/api.js";
import { append, fill, h, icon, iconButton } from "../core/dom.js";
import { t } from "../core/text.js";

/** @typedef {(key: string, values?: Readonly<Record<string, unknown>>, done?: number) => void} Say */

/** A drop zone and a file picker with progress for each file. `added` is called once one was ingested. @param {() => void} added */
export function createUploads(added) {
  const list = h("ul", { class: "uploads" });
  const chosen = h("select", { id: "into" });
  /** @type {HTMLInputElement} */
  const input = h("input", {
    type: "file",
    multiple: true,
    class: "visually-hidden",
    id: "files",
    onchange: () => take([...(input.files ?? [])]),
  });
  const zone = h(
    "section",
    { class: "drop", "aria-label": t("upload.title") },
    icon("upload"),
    h("p", {}, t("upload.drop"), " ", h("label", { for: "files", class: "choose" }, t("upload.choose"))),
    input,
    h("p", { class: "into" }, h("label", { for: "into" }, t("upload.into")), " ", chosen),
    list,
  );
  const take = (/** @type {readonly File[]} */ files) => {
    for (const file of files) void upload(file, chosen.value, list, added);
    input.value = "";
  };
  const hover = (/** @type {boolean} */ isOver) => (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    zone.classList.toggle("over", isOver);
  };
  zone.addEventListener("dragover", hover(true));
  zone.addEventListener("dragleave", (event) =>
    hover(event.relatedTarget instanceof Node && zone.contains(event.relatedTarget))(event),
  );
  zone.addEventListener("drop", (event) => {
    hover(false)(event);
    if (event.dataTransfer !== null) take(filesOf(event.dataTransfer, list));
  });
  return {
    element: zone,
    /** Fills the list of collections. @param {readonly string[]} names */
    offer(names) {
      const usual = "general_knowledge";
      fill(
        chosen,
        [...new Set([usual, ...names])].map((name) => h("option", { value: name }, name)),
      );
    },
  };
}

/** The dropped files. Browsers give no bytes of a folder, so it is listed as failed. @param {DataTransfer} transfer @param {Element} list */
function filesOf({ items, files }, list) {
  const folders = new Set(
    [...items].flatMap((item) =>
      item.webkitGetAsEntry?.()?.isDirectory ? [item.getAsFile()?.name ?? ""] : [],
    ),
  );
  append(
    list,
    [...folders].map((name) =>
      h(
        "li",
        { dataset: { failed: "" } },
        h("strong", {}, name),
        h("span", { class: "muted", role: "status" }, t("upload.failed", { reason: t("upload.folder") })),
      ),
    ),
  );
  return [...files].filter(({ name }) => !folders.has(name));
}

/** @param {File} file @param {string} collection @param {Element} list @param {() => void} added */
async function upload(file, collection, list, added) {
  const state = h("span", { class: "muted", role: "status" });
  const bar = h("progress", { max: "1", value: 0, "aria-label": file.name });
  const row = h("li", {}, h("strong", { title: file.name }, file.name), state, bar);
  append(list, [row]);
  /** @type {Say} */
  const say = (key, values, done) => {
    fill(state, t(key, values));
    if (done === undefined) bar.removeAttribute("value");
    else bar.value = done;
  };
  try {
    const { job_id: id } = await sendFile(file, collection, (share) =>
      say("upload.sending", { percent: Math.round(share * 100) }, share),
    );
    say("upload.waiting");
    const cancel = iconButton("close", t("upload.cancel", { name: file.name }), () =>
      post(`/v1/jobs/${id}/cancel`, {}),
    );
    append(row, [cancel]);
    await follow(id, say, added).finally(() => cancel.remove());
  } catch (thrown) {
    say("upload.failed", { reason: messageOf(thrown) }, 0);
    row.dataset.failed = "";
  }
}

/** @param {string} id @param {Say} say @param {() => void} added */
async function follow(id, say, added) {
  for await (const { data: job } of events(`/v1/jobs/${id}/events`)) {
    const { pages, chunks } = job.progress;
    if (job.state === "running") say("upload.running", { pages, chunks });
    if (job.state === "cancelled") return say("upload.cancelled", {}, 0);
    if (job.state === "dead") throw new Error(job.error?.message ?? "");
    if (job.state === "done") {
      say(chunks === 0 ? "upload.same" : "upload.done", { chunks }, 1);
      return added();
    }
  }
  throw new Error(t("upload.lost"));
}

/** Sends a file by XMLHttpRequest, because `fetch` reports no upload progress. @param {File} file @param {string} collection @param {(share: number) => void} progressed */
function sendFile(file, collection, progressed) {
  /** @type {PromiseWithResolvers<{ readonly job_id: string }>} */
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  request.open("POST", withQuery("/v1/documents", { name: file.name, collection }));
  request.responseType = "json";
  for (const [name, value] of Object.entries(writeHeaders())) request.setRequestHeader(name, value);
  request.setRequestHeader("content-type", "application/octet-stream");
  request.upload.onprogress = ({ loaded, total }) => progressed(total === 0 ? 1 : loaded / total);
  request.onload = () =>
    request.status === 202
      ? resolve(request.response)
      : reject(new Error(request.response?.error?.message ?? String(request.status)));
  request.onerror = () => reject(new Error(t("upload.lost")));
  request.send(file);
  return promise;
}

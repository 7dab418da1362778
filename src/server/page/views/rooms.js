import { createAnswer } from "../answer/answer.js";
import { adviceOf, get, openSocket, post, remove, session } from "../core/api.js";
import { actionButton, append, fill, h } from "../core/dom.js";
import { date, t } from "../core/text.js";
import { createComposer } from "./composer.js";
import { createNarrow } from "./narrow.js";

/** @import { Message, Room, RoomLine } from "../shapes.d.ts" */
/** @typedef {(element: HTMLElement) => void} Follow Appends the latest message and scrolls to it. */
/** @typedef {{ socket: WebSocket | undefined, kept: string, answer: ReturnType<typeof createAnswer> | undefined, shown: string, seen: Set<string>, closed: boolean }} Live */

/** `#/chats` lists rooms, `#/chats/NAME` opens one. @param {HTMLElement} place @param {readonly string[]} path */
export async function open(place, path) {
  const name = path.join("/");
  const { rooms } = await get("/v1/chats");
  // Rooms of a person have the person's name before their own.
  const names = [name, `${session.current.principal}/${name}`];
  const current = rooms.find((room) => names.includes(room.name));
  const aside = h(
    "section",
    { class: "room-list", "aria-label": t("rooms.list") },
    h("h1", {}, t("view.chats")),
    rooms.length === 0 && h("p", { class: "muted" }, t("rooms.none")),
    h(
      "ul",
      {},
      rooms.map((room) => roomLine(room, room === current)),
    ),
    creator(),
  );
  const inside = h("section", { class: "room-place" });
  place.classList.add("rooms", name === "" ? "rooms-listed" : "rooms-inside");
  fill(place, aside, inside);
  if (name !== "") return openRoom(inside, name, current?.visibility);
  if (rooms.length > 0) fill(inside, h("p", { class: "muted empty" }, t("rooms.choose")));
  return undefined;
}

/** @param {string} name */
const roomPath = (name) => `#/chats/${name.split("/").map(encodeURIComponent).join("/")}`;

/** @param {Room} room @param {boolean} isCurrent */
const roomLine = ({ name, visibility, messages }, isCurrent) =>
  h(
    "li",
    {},
    h(
      "a",
      { href: roomPath(name), "aria-current": isCurrent && "page" },
      h("span", {}, name),
      h(
        "span",
        { class: "muted small" },
        `${t(visibility === "public" ? "rooms.open" : "rooms.private")} · ${t("rooms.messages", { count: messages })}`,
      ),
    ),
  );

function creator() {
  const problem = h("p", { class: "notice", role: "alert", hidden: true });
  const name = h("input", { id: "room-name", required: true, maxlength: "200" });
  const isPublic = h("input", { type: "checkbox", id: "room-public" });
  const make = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    try {
      await post("/v1/chats", {
        name: name.value.trim(),
        visibility: isPublic.checked ? "public" : "private",
      });
      location.hash = roomPath(name.value.trim());
    } catch (thrown) {
      fill(problem, adviceOf(thrown));
      problem.hidden = false;
    }
  };
  return h(
    "details",
    { class: "new-room" },
    h("summary", {}, t("rooms.new")),
    h(
      "form",
      { onsubmit: make },
      h("label", { for: "room-name" }, t("rooms.name")),
      name,
      h("label", { class: "check" }, isPublic, " ", t("rooms.public")),
      h("button", { type: "submit", class: "secondary" }, t("rooms.create")),
      problem,
    ),
  );
}

/** Pause before reconnecting, ms. */
const againMs = 2000;

/**
 * For the owner: lets a principal read and write in a room.
 * @param {string} room
 */
async function inviter(room) {
  if (session.current.kind !== "owner") return undefined;
  const { principals } = await get("/v1/principals");
  const others = principals.filter(({ kind, enabled }) => kind === "person" && enabled);
  const [chosen, said] = [
    h(
      "select",
      { "aria-label": t("rooms.invite") },
      others.map(({ name }) => h("option", { value: name }, name)),
    ),
    h("span", { class: "muted small", role: "status" }),
  ];
  const invite = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const [subject, rule] = [chosen.value, { effect: "allow", level: "write", subject_kind: "principal" }];
    await post("/v1/permissions", { ...rule, subject, resource_kind: "room", resource: room });
    fill(said, t("rooms.invited", { name: subject }));
  };
  return h(
    "details",
    { class: "new-room invite" },
    h("summary", {}, t("rooms.invite")),
    others.length === 0
      ? h("p", { class: "muted small" }, t("rooms.nobody"))
      : h("form", { onsubmit: invite }, chosen, h("button", { class: "secondary" }, t("rooms.let-in")), said),
  );
}

/** @param {HTMLElement} place @param {string} name @param {Room["visibility"]} [visibility] */
async function openRoom(place, name, visibility = "private") {
  const messages = h("div", { class: "messages", role: "log", "aria-label": name, tabindex: "0" });
  const status = h("p", { class: "notice", hidden: true }, t("rooms.lost"));
  const { messages: past } = await get(`/v1/chats/${encodeURIComponent(name)}/messages`);
  append(messages, past.map(messageElement));
  /** @type {Live} */
  const live = {
    socket: undefined,
    kept: "",
    answer: undefined,
    shown: "",
    seen: new Set(past.map(({ id }) => id)),
    closed: false,
  };
  /** @type {Follow} */
  const follow = (element) => {
    append(messages, [element]);
    element.scrollIntoView({ block: "end" });
  };
  const narrow = createNarrow();
  const composer = createComposer({
    placeholder: t("rooms.placeholder", { room: name }),
    below: [h("div", { class: "filters" }, narrow.button), narrow.panel],
    send(text) {
      live.kept = live.socket?.readyState === WebSocket.OPEN ? "" : text;
      if (live.kept !== "") return false;
      live.socket?.send(JSON.stringify({ type: "say", text, ...narrow.values() }));
      return true;
    },
  });
  keepConnected(name, live, status, follow, () => live.kept !== "" && composer.sendKept(live.kept));
  const forget = async () => {
    if (!confirm(t("rooms.remove-sure", { room: name }))) return;
    await remove(`/v1/chats/${encodeURIComponent(name)}`);
    location.hash = "#/chats";
  };
  fill(
    place,
    h(
      "div",
      { class: "room" },
      h(
        "div",
        { class: "room-scroll" },
        h(
          "div",
          { class: "room-head" },
          h("a", { href: "#/chats", class: "room-back" }, `← ${t("view.chats")}`),
          h("h2", {}, name),
          actionButton("quiet", forget, t("rooms.remove")),
        ),
        messages,
        h("p", { class: "muted nothing-said" }, t("rooms.empty"), " ", t(`rooms.read-${visibility}`)),
        await inviter(name),
        status,
      ),
      composer.element,
    ),
  );
  messages.lastElementChild?.scrollIntoView({ block: "end" });
  composer.focus();
  return () => {
    live.closed = true;
    live.socket?.close();
  };
}

/** Keeps the socket of a room open until the room is left. @param {string} name @param {Live} live @param {HTMLElement} status @param {Follow} follow @param {() => unknown} connected */
function keepConnected(name, live, status, follow, connected) {
  // Messages sent before there was a connection, or while it was lost.
  const catchUp = async () => {
    const { messages } = await get(`/v1/chats/${encodeURIComponent(name)}/messages`);
    for (const data of messages) receive({ name: "message", data }, live, follow);
  };
  const connect = () => {
    const socket = openSocket(name);
    live.socket = socket;
    socket.onopen = () => {
      void catchUp().finally(connected);
      status.hidden = true;
    };
    socket.onmessage = ({ data: line }) => {
      const { type, data } = JSON.parse(line);
      receive({ name: type, data }, live, follow);
    };
    socket.onclose = () => {
      if (live.closed) return;
      live.answer?.fail({ message: t("answer.lost") });
      live.answer = undefined;
      status.hidden = false;
      setTimeout(() => live.closed || connect(), againMs);
    };
  };
  connect();
}

/**
 * Handles a line from the socket: a stored message, or an event of the answer to one's own message.
 * @param {RoomLine} line
 * @param {Live} live
 * @param {Follow} follow
 */
function receive(line, live, follow) {
  switch (line.name) {
    case "message-stored":
    case "message":
      return receiveMessage(line.data, live, follow);
    case "silent":
      return follow(h("p", { class: "muted small" }, t("rooms.silent", { reason: line.data.reason })));
    case "error":
      if (live.answer === undefined)
        follow(h("p", { class: "notice", role: "alert" }, line.data.error.message));
      else live.answer.fail(line.data.error);
      live.answer = undefined;
      return;
  }
  if (live.answer === undefined) {
    live.answer = createAnswer();
    follow(h("div", { class: "message from-assistant" }, live.answer.element));
  }
  live.answer.take(line);
  if (line.name !== "answer-end") return;
  live.shown = line.data.response;
  live.answer = undefined;
}

/** Shows a stored message once, however often it arrives. @param {Message} message @param {Live} live @param {Follow} follow */
function receiveMessage(message, live, follow) {
  if (live.seen.has(message.id)) return;
  live.seen.add(message.id);
  // The answer also arrives as a message; whoever watched it being written has it already.
  const isShown = message.message_type === "assistant" && message.content.trim() === live.shown.trim();
  if (!isShown) follow(messageElement(message));
}

/** @param {Message} message */
function messageElement({ author, message_type: type, content, created_at: at }) {
  const isOwn = type === "user" && author === session.current.principal;
  return h(
    "article",
    { class: `message from-${type} ${isOwn ? "own" : ""}` },
    h(
      "header",
      {},
      h("strong", {}, author),
      " ",
      h("time", { class: "muted small", datetime: at }, date(at)),
    ),
    h("p", {}, content),
  );
}

// Drop, saving as it is typed, live progress and the words of the heat map. Every page also works without it.
"use strict";

// Everything that this script says.
const WORDS = {
  saved: "Saved.",
  notSaved: "Not saved: ",
  noAnswer: "Idiograph is not answering.",
  beside: "Drop files onto one of the fields with a dashed line around it.",
  reading: "Reading …",
  copying: (n) => "Copying " + n + (n === 1 ? " file …" : " files …"),
  tooLarge: (name, bytes) => name + " has more than " + (bytes / 1e6).toLocaleString("en") + " MB, so nothing was sent. Split the file.",
  nameFirst: (n) => (n === 1 ? "1 file waits" : n + " files wait") + " here: type the name, and it goes in at once.",
  find: "Find ",
  inAll: " in all texts",
  lookingUp: "Looking the words up …",
  scoredAs: ", scored as ",
  sentence: ", sentence ",
};

const formToken = document.body.dataset.formToken;
const status = document.getElementById("status");
const gone = document.getElementById("gone");
document.documentElement.classList.add("script");

function say(text) {
  status.textContent = text;
}

// A server that has ended is noticed here, whatever the page waits for.
async function answered(request) {
  try {
    const answer = await request;
    gone.hidden = true;
    return answer;
  } catch {
    gone.hidden = false;
    throw new Error(WORDS.noAnswer);
  }
}
setInterval(() => {
  if (!document.hidden) answered(fetch("/static/icon.svg", { cache: "no-store" })).catch(() => {});
}, 4000);

async function send(action, body) {
  const answer = await answered(fetch(action, { method: "POST", body, headers: { Accept: "application/json" }, keepalive: !(body instanceof FormData) }));
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

// Parts of the page are put in place of the old ones, and what was typed, unfolded and focused stays.
const unsaved = new Set();

function keyOf(field) {
  const form = field.form;
  if (!form || !field.name) return null;
  const hidden = [...form.querySelectorAll("input[type=hidden]")].filter((one) => ["part", "name", "file"].includes(one.name));
  return [form.getAttribute("action"), ...hidden.map((one) => one.value), field.name, ["checkbox", "radio"].includes(field.type) ? field.value : ""].join("|");
}

function fieldsOf(place) {
  return [...place.querySelectorAll("input:not([type=hidden]):not([type=file]), textarea, select")].filter(keyOf);
}

function isTyped(field) {
  if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((one) => one.selected !== one.defaultSelected) && field.selectedIndex > 0;
  return field.value !== field.defaultValue;
}

// The page as it is now. The policy of the pages lets no text become markup, but a request may bring a document.
function thisPage() {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.onload = () => {
      request.response.querySelectorAll("noscript").forEach((one) => one.remove()); // they would act here
      done(request.response);
    };
    request.onerror = () => failed(new Error(WORDS.noAnswer));
    request.send();
  });
}

async function refresh() {
  await Promise.all([...unsaved].map((save) => save()));
  const made = await answered(thisPage());
  const main = document.querySelector("main");
  const typed = new Map(fieldsOf(main).filter(isTyped).map((one) => [keyOf(one), one]));
  const unfolded = new Set([...main.querySelectorAll("details[open] > summary")].map((one) => one.textContent.trim()));
  const active = document.activeElement;
  const focused = active && main.contains(active) ? keyOf(active) : null;
  const top = scrollY;
  document.title = made.title;
  for (const css of ["nav.steps", "main"]) {
    const old = document.querySelector(css);
    const fresh = made.querySelector(css);
    if (old && fresh) old.replaceWith(fresh);
  }
  const fresh = document.querySelector("main");
  for (const fold of fresh.querySelectorAll("details")) {
    if (unfolded.has(fold.querySelector("summary").textContent.trim())) fold.open = true;
  }
  for (const field of fieldsOf(fresh)) {
    const before = typed.get(keyOf(field));
    if (before) {
      if (["checkbox", "radio"].includes(field.type)) field.checked = before.checked;
      else field.value = before.value;
    }
    if (focused && keyOf(field) === focused) {
      field.focus({ preventScroll: true });
      if (active.selectionStart !== null && field.setSelectionRange) field.setSelectionRange(active.selectionStart, active.selectionEnd);
    }
  }
  scrollTo(0, top);
  begin(fresh);
}

// Saving as it is typed: one field at a time, so that two windows do not undo each other's work.
function autosave(form) {
  const waiting = new Map();
  const going = new Set();
  const all = () => Promise.all([...going, ...[...waiting.keys()].map((name) => save(form.elements[name]))]);
  let last = Promise.resolve();
  const save = (field) => {
    if (field instanceof RadioNodeList) field = field[0];
    clearTimeout(waiting.get(field.name));
    waiting.delete(field.name);
    // One after the other: the case is written by one at a time.
    const sent = last = last.then(() => saved(form, field)).finally(() => {
      going.delete(sent);
      if (!waiting.size && !going.size) unsaved.delete(all);
    });
    going.add(sent);
    return sent;
  };
  const later = (event) => {
    const field = event.target;
    if (!field.name) return;
    say("");
    clearTimeout(waiting.get(field.name));
    waiting.set(field.name, setTimeout(() => save(field), event.type === "change" ? 0 : 700));
    unsaved.add(all);
  };
  form.addEventListener("input", later);
  form.addEventListener("change", later);
  // The whole form is sent once the single fields are, whose answers it must know.
  form.addEventListener("submit", async (event) => {
    if (!unsaved.has(all)) return;
    event.preventDefault();
    await all();
    form.requestSubmit();
  });
}

async function saved(form, field) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (name === field.name || name === field.name + ".sent") body.append(name, value);
  }
  body.set("form_token", formToken);
  try {
    const said = await send(form.action, body);
    form.elements.version.value = said.version;
    for (const place of form.querySelectorAll(".error")) {
      place.textContent = said.errors[place.id.replace(/-error$/, "")] || "";
      place.closest(".field").classList.toggle("wrong", place.textContent !== "");
    }
    say(WORDS.saved);
  } catch (error) {
    say(WORDS.notSaved + error.message);
  }
}

addEventListener("pagehide", () => unsaved.forEach((save) => save()));

// Files and folders that are dropped.
async function filesOf(entry, place) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [[place + entry.name, file]];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const one of some) found.push(...await filesOf(one, place + entry.name + "/"));
  }
}

// A file that is dropped beside a field would else take the place of the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => {
    if (event.defaultPrevented || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    if (kind === "drop") say(WORDS.beside);
  });
}

// Files that were given before the name they belong to; they go in as soon as it is typed.
const waitingFiles = new Map();
const placeOf = (form) => form.action + "|" + form.elements.part.value;

function drop(form) {
  const give = async (files) => {
    if (!files.length) return;
    try {
      if (form.checkValidity()) {
        await upload(form, files);
        return;
      }
      waitingFiles.set(placeOf(form), files);
      waits(form);
      form.elements.name.focus();
    } catch (error) {
      say(error.message);
    }
  };
  const stop = (event) => {
    event.preventDefault();
    form.classList.toggle("over", event.type === "dragover");
  };
  form.addEventListener("dragover", stop);
  form.addEventListener("dragleave", stop);
  form.addEventListener("drop", async (event) => {
    stop(event);
    const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
    const plain = [...event.dataTransfer.files];
    say(WORDS.reading);
    let found = [];
    if (items.length && items.every((item) => item)) {
      for (const item of items) found.push(...await filesOf(item, ""));
    } else {
      found = plain.map((file) => [file.name, file]);
    }
    say("");
    await give(found);
  });
  // With script, choosing is enough: the files go up at once.
  for (const input of form.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => give([...input.files].map((file) => [file.webkitRelativePath || file.name, file])));
  }
  const named = () => form.isConnected && give(waitingFiles.get(placeOf(form)) || []);
  // Not "change", which stays away where the name was put back into a part of the page that is new.
  form.elements.name.addEventListener("focusout", named);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    named();
  });
  waits(form);
}

function waits(form) {
  const files = waitingFiles.get(placeOf(form));
  if (files) form.querySelector(".hint").textContent = WORDS.nameFirst(files.length);
}

async function upload(form, files) {
  // The server would cut it off, and a browser shows no answer to half an upload.
  const largest = Number(document.body.dataset.largest);
  for (const [name, file] of files) if (file.size > largest) throw new Error(WORDS.tooLarge(name, largest));
  const body = new FormData();
  body.append("form_token", formToken);
  body.append("part", form.elements.part.value);
  body.append("name", form.elements.name.value);
  for (const [name, file] of files) body.append("files", file, name);
  say(WORDS.copying(files.length));
  waitingFiles.delete(placeOf(form));
  await send(form.action, body);
  form.reset();
  say("");
  await refresh();
}

// How far the work is.
function watch(place) {
  if (!["queued", "running"].includes(place.dataset.state)) return;
  const source = new EventSource("/job/" + place.dataset.job + "/events");
  const list = place.querySelector(".stages");
  source.addEventListener("open", () => { gone.hidden = true; });
  source.addEventListener("error", () => {
    if (!place.isConnected) source.close();
    else answered(fetch("/static/icon.svg", { cache: "no-store" })).catch(() => {});
  });
  source.addEventListener("message", (event) => {
    const seen = JSON.parse(event.data);
    if (!place.isConnected) {
      source.close();
      return;
    }
    if (!["queued", "running"].includes(seen.state)) {
      source.close();
      refresh().catch((error) => say(error.message));
      return;
    }
    place.querySelector(".state").textContent = seen.said;
    [...document.querySelectorAll(".order li")].forEach((step, number) => {
      if (number + 1 === seen.phase) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    seen.stages.forEach((stage, number) => {
      const line = list.children[number] || list.appendChild(newStage());
      const [name, bar, count] = line.children;
      line.classList.toggle("finished", stage.state === "finished");
      name.textContent = stage.stage;
      bar.setAttribute("aria-label", stage.stage);
      if (stage.total) {
        bar.max = stage.total;
        bar.value = stage.state === "finished" ? stage.total : stage.done;
      } else if (stage.state === "finished") {
        bar.max = bar.value = 1;
      }
      count.textContent = stage.said;
    });
  });
}

function newStage() {
  const line = document.createElement("li");
  const count = document.createElement("span");
  count.className = "count";
  line.append(document.createElement("span"), document.createElement("progress"), count);
  return line;
}

// The words of the heat map: under the pointer, or chosen with the arrow keys.
function heatMap(map) {
  const tokens = [...map.querySelectorAll("a")];
  const panel = document.getElementById("word");
  const known = new Map();
  let wanted = null;
  let timer = 0;
  tokens.forEach((token, number) => { token.tabIndex = number ? -1 : 0; });

  const show = async (token) => {
    const place = new URL(token.href).searchParams.get("word");
    wanted = place;
    if (!known.has(place)) {
      const answer = await fetch(map.dataset.word + "&word=" + place, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      known.set(place, await answer.json());
    }
    if (wanted !== place) return;
    map.querySelectorAll(".chosen").forEach((one) => one.classList.remove("chosen"));
    token.classList.add("chosen");
    describe(known.get(place));
  };

  const element = (name, text, of) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (of) of.append(made);
    return made;
  };

  const describe = (word) => {
    panel.replaceChildren();
    const first = element("p", "", panel);
    element("strong", word.word, first);
    first.append(WORDS.scoredAs);
    element("code", word.scored, first);
    first.append(WORDS.sentence + word.sentence + ": " + word.lambda_g + ", " + word.side + ". " + word.context + " ");
    if (word.pattern) {
      const all = element("a", WORDS.find, first);
      element("code", word.pattern, all);
      all.append(WORDS.inAll);
      all.href = location.pathname.replace(/result$/, "look?masked=1&words=") + encodeURIComponent(word.pattern);
    }
    if (!word.places) return;
    const second = element("p", "", panel);
    element("code", word.places.tokens, second);
    second.append(" " + word.places.said);
    const list = element("ul", "", panel);
    for (const line of [...word.places.k, ...word.places.reference]) {
      const item = element("li", "", list);
      element("span", line.text + ": ", item).className = "help";
      item.append("…" + line.before);
      element("mark", line.match, item);
      item.append(line.after + "…");
    }
  };

  map.addEventListener("pointerover", (event) => {
    const token = event.target.closest("a");
    clearTimeout(timer);
    if (token) timer = setTimeout(() => show(token), 60);
  });
  map.addEventListener("focusin", (event) => {
    const token = event.target.closest("a");
    if (token) show(token);
  });
  map.addEventListener("click", (event) => {
    const token = event.target.closest("a");
    if (!token) return;
    event.preventDefault();
    show(token);
  });
  map.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10 }[event.key];
    const here = tokens.indexOf(document.activeElement);
    if (!step || here < 0) return;
    event.preventDefault();
    const next = tokens[Math.min(tokens.length - 1, Math.max(0, here + step))];
    tokens[here].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  const form = document.querySelector("form[data-lookup]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    say(WORDS.lookingUp);
    try {
      const said = await send(form.action, new URLSearchParams(new FormData(form)));
      if (said.state !== "done") throw new Error(said.error);
      known.clear();
      button.hidden = true;
      say("");
      const chosen = map.querySelector(".chosen");
      if (chosen) show(chosen);
    } catch (error) {
      button.disabled = false;
      say(error.message);
    }
  });
}

function begin(place) {
  place.querySelectorAll("form[data-autosave]").forEach(autosave);
  place.querySelectorAll("form[data-drop]").forEach(drop);
  place.querySelectorAll("[data-job]").forEach(watch);
  const map = place.querySelector("#map");
  if (map) heatMap(map);
}
begin(document);

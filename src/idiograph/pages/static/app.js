// Drop, saving as it is typed, live progress and the words of the heat map. Every page also works without it.
"use strict";

// Everything that this script says.
const WORDS = {
  saved: "Saved.",
  notSaved: "Not saved: ",
  reading: "Reading …",
  copying: (n) => "Copying " + n + (n === 1 ? " file …" : " files …"),
  tooLarge: (name, bytes) => name + " has more than " + (bytes / 1e6).toLocaleString("en") + " MB, so nothing was sent. Split the file, or start Idiograph with a higher --largest.",
  waiting: "Waiting for the work before it.",
  atWork: "At work.",
  lookingUp: "Looking the words up …",
  of: " of ",
  scoredAs: ", scored as ",
  sentence: ", sentence ",
};

const formToken = document.body.dataset.formToken;
const status = document.getElementById("status");

function say(text) {
  status.textContent = text;
}

async function send(action, body) {
  const answer = await fetch(action, { method: "POST", body, headers: { Accept: "application/json" }, keepalive: !(body instanceof FormData) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

// Saving as it is typed: one field at a time, so that two windows do not undo each other's work.
for (const form of document.querySelectorAll("form[data-autosave]")) {
  const waiting = new Map();
  const save = async (field) => {
    clearTimeout(waiting.get(field.name));
    waiting.delete(field.name);
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
  };
  const later = (event) => {
    const field = event.target;
    if (!field.name) return;
    say("");
    clearTimeout(waiting.get(field.name));
    waiting.set(field.name, setTimeout(() => save(field), event.type === "change" ? 0 : 700));
  };
  form.addEventListener("input", later);
  form.addEventListener("change", later);
  form.addEventListener("submit", () => waiting.forEach((timer) => clearTimeout(timer)));
  addEventListener("pagehide", () => waiting.forEach((timer, name) => save(form.elements[name])));
}

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

for (const form of document.querySelectorAll("form[data-drop]")) {
  const stop = (event) => {
    event.preventDefault();
    form.classList.toggle("over", event.type === "dragover");
  };
  form.addEventListener("dragover", stop);
  form.addEventListener("dragleave", stop);
  form.addEventListener("drop", async (event) => {
    stop(event);
    if (!form.reportValidity()) return;
    const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
    const plain = [...event.dataTransfer.files];
    try {
      say(WORDS.reading);
      let found = [];
      if (items.length && items.every((item) => item)) {
        for (const item of items) found.push(...await filesOf(item, ""));
      } else {
        found = plain.map((file) => [file.name, file]);
      }
      await upload(form, found);
    } catch (error) {
      say(error.message);
    }
  });
  // With script, choosing is enough: the files go up at once.
  for (const input of form.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", async () => {
      if (!input.files.length || !form.reportValidity()) return;
      try {
        await upload(form, [...input.files].map((file) => [file.webkitRelativePath || file.name, file]));
      } catch (error) {
        say(error.message);
      }
    });
  }
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
  await send(form.action, body);
  location.reload();
}

// How far the work is.
for (const place of document.querySelectorAll("[data-job]")) {
  if (!["queued", "running"].includes(place.dataset.state)) continue;
  const source = new EventSource("/job/" + place.dataset.job + "/events");
  const list = place.querySelector(".stages");
  source.addEventListener("message", (event) => {
    const seen = JSON.parse(event.data);
    if (!["queued", "running"].includes(seen.state)) {
      source.close();
      location.reload();
      return;
    }
    place.querySelector(".state").textContent = seen.state === "queued" ? WORDS.waiting : WORDS.atWork;
    seen.stages.forEach((stage, number) => {
      const line = list.children[number] || list.appendChild(newStage());
      const [name, bar, count] = line.children;
      name.textContent = stage.stage;
      bar.setAttribute("aria-label", stage.stage);
      if (stage.total) {
        bar.max = stage.total;
        bar.value = stage.state === "finished" ? stage.total : stage.done;
      } else if (stage.state === "finished") {
        bar.max = bar.value = 1;
      }
      const of = stage.total ? WORDS.of + Math.round(stage.total).toLocaleString("en") : "";
      count.textContent = Math.round(stage.done).toLocaleString("en") + of + " " + stage.unit + ", " + Math.round(stage.seconds) + " s";
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
const map = document.getElementById("map");
if (map) {
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
    first.append(WORDS.sentence + word.sentence + ": " + word.lambda_g + ", " + word.side + ". " + word.context);
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

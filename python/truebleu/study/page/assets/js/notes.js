// Marks and notes of the reader. They are kept in this browser, under the digest of the report, where it allows that; they
// can be saved as a file, and are no part of the address.

const notes = new Map(); // by segment: { marked, note }

function startNotes(data) {
  try {
    const kept = JSON.parse(localStorage.getItem(`truebleu ${data.meta.digest}`) ?? "[]");
    for (const { segment, marked, note } of kept) {
      const at = segmentOf(data, segment);
      if (at >= 0) notes.set(at, { marked: marked === true, note: String(note ?? "").slice(0, LONGEST_TEXT) });
    }
  } catch {
    // Nothing is kept here, or what is kept is not ours; notes last as long as the page.
  }
}

function noteOf(segment) {
  return notes.get(segment) ?? { marked: false, note: "" };
}

function setNote(segment, changes) {
  const one = { ...noteOf(segment), ...changes };
  if (one.marked || one.note) notes.set(segment, one);
  else notes.delete(segment);
  try {
    localStorage.setItem(`truebleu ${live.data.meta.digest}`, JSON.stringify(listNotes(live.data)));
  } catch {
    // The page works without.
  }
  showNoteCount();
}

function listNotes(data) {
  return [...notes].sort(([x], [y]) => x - y).map(([segment, one]) => ({ segment: numberOf(data, segment), ...one }));
}

function markButton(segment) {
  const words = (marked) => (marked ? "★ marked" : "☆ mark");
  const button = el("button", { type: "button", class: "label mark", "aria-pressed": String(noteOf(segment).marked), title: "mark this segment (x)" }, words(noteOf(segment).marked));
  button.addEventListener("click", () => {
    const marked = !noteOf(segment).marked;
    setNote(segment, { marked });
    button.setAttribute("aria-pressed", String(marked));
    button.textContent = words(marked);
  });
  return button;
}

function noteField(segment) {
  const { note } = noteOf(segment);
  const number = shownCount(numberOf(live.data, segment));
  const field = el("textarea", { rows: 2, "aria-label": `Note on segment ${number}` });
  field.value = note;
  field.addEventListener("input", () => setNote(segment, { note: field.value }));
  return [el("details", { class: "note-of", open: note !== "" }, el("summary", {}, "note"), field)];
}

function noteWords(segment) {
  const { marked, note } = noteOf(segment);
  return `${marked ? "★ " : ""}${note}`.trim();
}

function buildNotes() {
  const save = (kind, made) => el("button", { type: "button", onclick: () => saveText(made(live.data), `notes.${kind}`, kind === "json" ? "application/json" : "text/tab-separated-values") }, `save as ${kind.toUpperCase()}`);
  const only = el("button", { type: "button", onclick: () => addFilter(["noted"]) }, "show them");
  return el("span", { id: "tb-notes", role: "group", "aria-label": "Marks and notes" }, el("span", { class: "count" }), " ", only, " ", save("json", notesAsJson), " ", save("tsv", notesAsTable));
}

function showNoteCount() {
  const box = document.getElementById("tb-notes");
  box.querySelector(".count").textContent = `Marks and notes: ${notes.size}`;
  for (const button of box.querySelectorAll("button")) button.disabled = notes.size === 0;
}

function notesAsJson(data) {
  const { title, digest, version } = data.meta;
  return `${JSON.stringify({ title, digest, truebleu: version, notes: listNotes(data) }, null, 1)}\n`;
}

function notesAsTable(data) {
  const cell = (text) => notFormula(text.replace(/[\t\r\n]+/g, " "));
  const rows = listNotes(data).map(({ segment, marked, note }) => [segment, marked ? "yes" : "no", cell(note)]);
  return [["segment", "marked", "note"], ...rows].map((row) => `${row.join("\t")}\n`).join("");
}

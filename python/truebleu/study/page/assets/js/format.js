// Numbers as text, and elements. Text from elsewhere only ever becomes the text of a node.

// What Python's f"{x:.{decimals}f}" gives. toFixed takes the exact value as well, but rounds ties up and not to even.
function fixed(x, decimals) {
  const odd = Math.abs(x) * 2 ** (decimals + 1);
  if (odd % 2 !== 1) return Object.is(x, -0) ? `-${(0).toFixed(decimals)}` : x.toFixed(decimals);
  const below = (BigInt(odd) * 5n ** BigInt(decimals)) / 2n; // |x| * 10 ** decimals, rounded down
  const even = String(below + (below % 2n)).padStart(decimals + 1, "0");
  const whole = decimals ? `${even.slice(0, -decimals)}.${even.slice(-decimals)}` : even;
  return x < 0 ? `-${whole}` : whole;
}

// For the eye: a true minus, and never a minus before zero.
function shownNumber(x, decimals) {
  if (x === null || !Number.isFinite(x)) return "–";
  const text = fixed(x, decimals);
  if (!text.startsWith("-")) return text;
  return /[1-9]/.test(text) ? `−${text.slice(1)}` : text.slice(1);
}

function shownDifference(x, decimals) {
  const text = shownNumber(x, decimals);
  return x > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

// As Python's p_text has it.
function shownP(p) {
  const text = shownNumber(p, 4);
  return text === "0.0000" ? "<0.0001" : text;
}

function shownCount(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

// Makes an element. Names that begin with "on" are listeners; `class`, `data-…` and the like are attributes.
function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Characters that change the direction of text, or cannot be seen, are drawn as boxes with their number.
const BOXED = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/gu;

function codePoint(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// A name or a label, so that it can stand anywhere.
function plainName(text) {
  const shown = String(text).slice(0, 200).replace(BOXED, codePoint);
  return String(text).length > 200 ? `${shown}…` : shown;
}

function appendText(parent, text, all = false) {
  let done = 0;
  for (const { 0: found, index } of text.matchAll(all ? INVISIBLE : BOXED)) {
    if (index > done) parent.append(text.slice(done, index));
    const number = codePoint(found);
    if (found === " ") parent.append(el("span", { class: "box" }, "·"), el("wbr"));
    else parent.append(el("span", { class: "box", title: number }, number));
    done = index + found.length;
  }
  if (done < text.length) parent.append(text.slice(done));
  return parent;
}

// Copies text; where the clipboard is denied, the text is shown and selected.
async function copyText(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
    say("copied");
  } catch {
    const field = el("textarea", { readonly: true, class: "copied", "aria-label": "text to copy" });
    field.value = text;
    beside.after(field);
    field.select();
    field.addEventListener("blur", () => field.remove(), { once: true });
  }
}

// Text for papers gets a button that copies it.
function buildCopies() {
  for (const text of document.querySelectorAll("#methods-text, #methods pre")) {
    const about = text.getAttribute("aria-label") ?? "The paragraph";
    const copy = el("button", { type: "button", class: "copy", "aria-label": `copy: ${about}` }, "copy");
    copy.addEventListener("click", () => copyText(text.textContent.replace(/^\n/, ""), copy));
    text.before(copy);
  }
}

// So that a spreadsheet does not take a text for a formula.
function notFormula(text) {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

// The scores of some segments as CSV, at full precision; the heads say that it is a subset.
function subsetCsv(data, chosen) {
  const cell = (text) => `"${notFormula(text).replaceAll('"', '""')}"`;
  const about = `subset of ${chosen.length} of ${data.n} segments`;
  const scores = data.metrics.map((metric) => scoresOf(data, metric, chosen));
  const head = ["system", ...data.metrics.map((metric) => `${metric.name} (${about})`)].map(cell);
  const rows = data.systems.map((name, system) => [cell(name), ...scores.map((of) => of[system] ?? "")]);
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

// Tells screen readers and readers what happened; what can be seen elsewhere is for screen readers alone.
function say(message, isSeen = false) {
  const place = document.getElementById("tb-said");
  if (!place) return;
  place.textContent = message;
  place.classList.toggle("heard", isSeen);
}

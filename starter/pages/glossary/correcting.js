// A word that was misheard, corrected everywhere: the places are shown, ticked, and put right together.
import { once, post } from "../parts/api.js";
import { shown } from "../parts/asking.js";
import { freshId, make } from "../parts/elements.js";
import { tell, tellError } from "../parts/messages.js";
import { clock } from "../parts/moments.js";
import { say } from "../parts/strings.js";

const LOOK_AFTER_MS = 350;
const AROUND = 48; // domain/documents/correcting.py
const KEEP = ["no", "project", "all"];

/**
 * Ask which places are to be put right, and do it.
 * @param {{job: string, project: string | null, heard?: string, right?: string, glossary?: boolean, changed: () => unknown}} what
 *   `project`: null where it is somebody else's, who keeps its glossary; `glossary`: look for all that the glossary knows; `changed`: something reads otherwise now
 * @returns {Promise<boolean>} whether something was put right
 */
export async function correctEverywhere(what) {
  return new Everywhere(what).result();
}

class Everywhere {
  #found = null;
  #asked = 0;
  #timer;
  #done = false;
  #key = once();

  constructor({ job, project, heard = "", right = "", glossary = false, changed }) {
    Object.assign(this, { job, project, glossary, changed });
    const id = freshId("everywhere");
    const field = (name, value) => make("input", { type: "text", maxlength: 100, autocomplete: "off", spellcheck: "false", value, oninput: () => this.#soon(), name });
    this.heard = field("heard", heard);
    this.right = field("right", right);
    this.list = make("div", { class: "found", tabindex: "-1" });
    this.summary = make("p", { role: "status", class: "small" });
    this.failure = make("p", { class: "notice bad", role: "alert", hidden: true });
    this.kept = make("select", {}, ...KEEP.filter((each) => project || each !== "project").map((each) => make("option", { value: each }, say(`everywhere-keep-${each}`))));
    this.kept.addEventListener("change", () => this.#count());
    this.all = make("button", { class: "button small quiet", type: "button", onclick: () => this.#tick(true) }, say("everywhere-all"));
    this.none = make("button", { class: "button small quiet", type: "button", onclick: () => this.#tick(false) }, say("everywhere-none"));
    this.yes = make("button", { class: "button primary", type: "button", disabled: true, onclick: () => this.#correct() });
    const words = make("div", { class: "words" }, make("label", { class: "field" }, say("everywhere-heard"), this.heard), arrow(), make("label", { class: "field" }, say("everywhere-right"), this.right));
    const keeping = make("label", { class: "field" }, say("everywhere-keep"), this.kept);
    this.dialog = make(
      "dialog",
      { class: "everywhere", "aria-labelledby": id },
      make("header", {}, make("h2", { id }, say(glossary ? "everywhere-known" : "everywhere-title")), !glossary && words),
      this.list,
      make(
        "footer",
        {},
        make("div", { class: "row" }, this.summary, make("span", { class: "row end" }, this.all, this.none)),
        !glossary && keeping,
        this.failure,
        make("div", { class: "row" }, this.yes, make("button", { class: "button", type: "button", onclick: () => this.dialog.close() }, say("cancel")), make("a", { class: "end small", href: "/glossary", target: "_blank" }, say("everywhere-glossary"))),
      ),
    );
    this.list.addEventListener("change", () => this.#count());
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation()); // shortcuts are for the page
    this.#count();
  }

  async result() {
    const closed = shown(this.dialog);
    const first = this.heard.value ? this.right : this.heard;
    if (!this.glossary) first.focus(), first.select();
    if (this.glossary || (this.heard.value && this.right.value)) this.#look();
    await closed;
    clearTimeout(this.#timer);
    return this.#done;
  }

  get #pair() {
    return { heard: this.heard.value.trim().replace(/\s+/g, " "), right: this.right.value.trim().replace(/\s+/g, " ") };
  }

  get #isWhole() {
    const { heard, right } = this.#pair;
    return Boolean(heard && right) && heard !== right;
  }

  get #ticked() {
    return [...this.list.querySelectorAll("input:checked")].map((each) => each.value);
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#found = null;
    this.yes.disabled = true;
    this.#timer = setTimeout(() => this.#look(), LOOK_AFTER_MS);
  }

  async #look() {
    this.#asked += 1;
    const turn = this.#asked;
    if (!this.glossary && !this.#isWhole) return this.#show(null);
    this.summary.textContent = say("everywhere-looking");
    const found = await this.#told(() => post(`jobs/${this.job}/corrections/find`, this.glossary ? { glossary: true } : { pairs: [this.#pair] }));
    if (turn === this.#asked) this.#show(found);
    return undefined;
  }

  #show(found) {
    this.#found = found;
    this.#key = once();
    const [steps, said] = [(found?.places ?? []).filter((each) => each.block_id), (found?.places ?? []).filter((each) => !each.block_id)];
    this.list.replaceChildren(...(steps.length ? group("everywhere-steps", steps) : []), ...(said.length ? group("everywhere-said", said) : []));
    this.list.scrollTop = 0;
    this.#count();
  }

  #tick(isTicked) {
    for (const each of this.list.querySelectorAll("input")) each.checked = isTicked;
    this.#count();
  }

  #count() {
    const [count, every] = [this.#ticked.length, this.#found?.places.length ?? 0];
    const isKept = !this.glossary && this.kept.value !== "no" && this.#isWhole;
    this.yes.disabled = !this.#found || (!count && !isKept);
    this.yes.textContent = count || !isKept ? say("everywhere-do", { count }) : say("everywhere-only-keep");
    this.all.hidden = this.none.hidden = every === 0;
    this.summary.textContent = this.#found ? say(this.#found.more ? "everywhere-more" : "everywhere-found", { count: every, ticked: count }) : say("everywhere-start");
  }

  async #correct() {
    this.yes.disabled = true;
    const [places, { pairs, base_version: base }] = [this.#ticked, this.#found];
    const kept = this.glossary ? "no" : this.kept.value;
    const made = await this.#told(async () => {
      if (kept !== "no") await post("glossary", { ...this.#pair, project_id: kept === "project" ? this.project : null });
      return places.length ? post(`jobs/${this.job}/corrections`, { pairs, places, base_version: base }, { key: this.#key }) : {};
    });
    if (!made) return this.#look();
    this.#done = Boolean(made.id);
    this.dialog.close();
    if (!made.id) return tell(say("everywhere-kept"), "good");
    await this.changed();
    tell(say("everywhere-done", { steps: made.blocks, segments: made.segments }), "good", { words: say("everywhere-undo"), doing: () => this.#undo(made.id) });
    return undefined;
  }

  async #undo(id) {
    try {
      await post(`jobs/${this.job}/corrections/${id}/undo`);
      await this.changed();
      tell(say("everywhere-undone"));
    } catch (error) {
      tellError(error);
    }
  }

  async #told(asked) {
    this.failure.hidden = true;
    try {
      return await asked();
    } catch (error) {
      this.failure.textContent = error.code ? error.message : say("failed-unforeseen");
      this.failure.hidden = false;
      return null;
    }
  }
}

const group = (name, places) => [make("h3", {}, say(name)), make("ul", { class: "places" }, ...places.map(place))];

function place({ id, before, found, after, becomes, how, certain, start_ms: start }) {
  const where = [!certain && say("everywhere-how", { how }), start !== null && clock(start)].filter(Boolean).join(" · ");
  const tick = make("input", { type: "checkbox", value: id });
  tick.checked = certain;
  const words = make("span", {}, excerpt(before, "start"), make("del", {}, found), " ", make("ins", {}, becomes), excerpt(after, "end"));
  return make("li", {}, make("label", {}, tick, words, make("mark", {}, where)));
}

/** What is around a place, on one line; with dots where it goes on. */
function excerpt(text, edge) {
  const line = text.replace(/^#+\s+/, "").replace(/\s+/g, " ");
  if (text.length < AROUND) return line;
  return edge === "start" ? `…${line}` : `${line}…`;
}

function arrow() {
  const sign = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  sign.setAttribute("viewBox", "0 0 24 24");
  sign.setAttribute("class", "icon");
  sign.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M5 12h14M12 5l7 7-7 7");
  sign.append(path);
  return sign;
}

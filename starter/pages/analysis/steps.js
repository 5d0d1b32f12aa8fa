// The steps of a plan as sentences: to read, and to change by choosing. What they say is the plan's own typed JSON,
// which programs see as it is; a choice that the tables cannot bear is refused where the steps are saved.
import { make } from "../parts/elements.js";
import { say } from "../parts/strings.js";

export const MOST_STEPS = 8;
const SUMMARY = ["column", "type", "filled", "empty", "distinct", "least", "most", "mean"];
const TESTS = ["eq", "ne", "lt", "le", "gt", "ge", "in", "not_in", "contains", "starts_with", "ends_with", "is_null", "not_null"];
const OF_NOTHING = new Set(["is_null", "not_null"]);
const OF_MANY = new Set(["in", "not_in"]);
const FUNCTIONS = ["count", "count_distinct", "sum", "mean", "median", "min", "max"];
const EVERY = ["day", "week", "month", "quarter", "year"];
const PARTS = ["year", "quarter", "month", "week", "day", "weekday", "hour"];
const FORMULAS = ["arithmetic", "date_part", "to_number", "share", "change", "running"];
const KINDS = ["load", "filter", "derive", "aggregate", "trend", "join", "sort", "chart", "summary"];
const NEEDS = { load: 0, join: 2 };
const SLOT = /⟦(\d+)⟧/;

/** A step of `kind` as it begins, over columns that there are. */
function fresh(kind, tables, columns) {
  const [first = "", second = first] = columns;
  const measures = [{ function: "count", column: null, name: "rows" }];
  return {
    load: { op: "load", table: tables[0]?.name ?? "" },
    filter: { op: "filter", match: "all", conditions: [{ column: first, test: "not_null", values: [] }] },
    derive: { op: "derive", column: "new_column", formula: formulaOf("arithmetic", first) },
    aggregate: { op: "aggregate", by: first ? [first] : [], measures },
    trend: { op: "trend", time: first, every: "month", by: [], measures },
    join: { op: "join", on: [{ left: first, right: first }], how: "inner" },
    sort: { op: "sort", by: [{ column: first, descending: true }], limit: null },
    chart: { op: "chart", kind: "bar", x: first, y: [second], series: null },
    summary: { op: "summary", columns: [] },
  }[kind];
}

function formulaOf(kind, column) {
  const along = { along: column, within: [] };
  return {
    arithmetic: { kind, left: column, operator: "+", right: column },
    date_part: { kind, column, part: "year" },
    to_number: { kind, column },
    share: { kind, column, within: [] },
    change: { kind, column, ...along, form: "percent" },
    running: { kind, column, ...along },
  }[kind];
}

/** The columns that a step gives, as far as its choices tell. */
function columnsOf(step, steps, tables) {
  if (!step) return [];
  const { operation } = step;
  const before = (place) => columnsOf(steps.find((each) => each.id === step.needs[place] && each !== step), steps, tables);
  switch (operation.op) {
    case "load":
      return tables.find((each) => each.name === operation.table)?.columns.map((each) => each.name) ?? [];
    case "derive":
      return [...before(0), operation.column];
    case "aggregate":
      return [...operation.by, ...operation.measures.map((each) => each.name)];
    case "trend":
      return [operation.every, ...operation.by, ...operation.measures.map((each) => each.name)];
    case "join": {
      const left = before(0);
      const keys = new Set(operation.on.map((each) => each.right));
      return [...left, ...before(1).filter((each) => !keys.has(each)).map((each) => (left.includes(each) ? `${each}_2` : each))];
    }
    case "summary":
      return SUMMARY;
    default:
      return before(0);
  }
}

/** A sentence of the catalogue with elements in it, in the order that the language has. */
function sentence(name, parts, facts = {}) {
  const names = Object.keys(parts);
  const slots = Object.fromEntries(names.map((each, place) => [each, `⟦${place}⟧`]));
  return say(name, { ...slots, ...facts })
    .split(SLOT)
    .map((piece, place) => (place % 2 ? parts[names[Number(piece)]] : piece))
    .flat()
    .filter((piece) => piece !== "");
}

/** Nothing builds on a picture. */
const hasRows = (step) => step.operation.op !== "chart";

export class Steps {
  /**
   * @param {HTMLElement} target where they are shown
   * @param {{steps: object[], titles: Record<string, string>, rows: Record<string, string>,
   *   tables: {name: string, columns: {name: string, type: string}[]}[]}} facts `titles`: those that the planner gave, in
   *   the visitor's language; `rows`: what is said of how many rows a step came to, by its id
   * @param {{edit?: boolean, changed?: () => void}} options
   */
  constructor(target, { steps, tables, titles, rows }, { edit = false, changed = () => {} } = {}) {
    Object.assign(this, { target, tables, titles, rows, edit, changed, steps: structuredClone(steps) });
    this.draw();
  }

  draw(focus = null) {
    this.target.replaceChildren(...this.steps.map((step, place) => this.#step(step, place)));
    if (this.edit && this.steps.length < MOST_STEPS) this.target.append(make("li", { class: "add-step" }, this.#adding()));
    if (focus) this.target.querySelector(focus)?.focus();
  }

  #touch(focus) {
    this.changed();
    this.draw(focus);
  }

  // --- a step

  #step(step, place) {
    const columns = (needed = 0) => columnsOf(this.steps.find((each) => each.id === step.needs[needed]), this.steps, this.tables);
    const words = make("p", { class: "step-words" }, ...this.#operation(step.operation, columns));
    if (!this.edit) {
      if (this.rows[step.id]) words.append(` · ${this.rows[step.id]}`);
      return make("li", {}, make("strong", {}, this.titles[step.id] ?? step.title), words);
    }
    const name = say("step-number", { number: place + 1 });
    const title = make("input", { class: "step-title", value: step.title, maxlength: 200, "aria-label": say("step-title", { name }) });
    title.addEventListener("input", () => ((step.title = title.value), this.changed()));
    const away = make("button", { type: "button", class: "button small quiet", "aria-label": say("step-remove", { name }), title: say("step-remove", { name }), onclick: () => this.#remove(place) }, "×");
    return make("li", { class: "step-edited" }, make("div", { role: "group", "aria-label": name }, make("div", { class: "step-head" }, title, away), words, this.#needs(step, place)));
  }

  #needs(step, place) {
    const count = NEEDS[step.operation.op] ?? 1;
    if (!count) return null;
    const titles = Object.fromEntries(this.steps.map((each, number) => [each.id, `${number + 1}. ${each.title}`]));
    const others = this.steps.slice(0, place).filter(hasRows);
    const choices = Array.from({ length: count }, (_, needed) =>
      this.#choice(step.needs[needed] ?? "", others.map((each) => each.id), (value) => this.#set(step.needs, needed, value), say("step-from-label"), (id) => titles[id] ?? id),
    );
    return make("p", { class: "small faint step-words" }, ...sentence(count > 1 ? "step-from-both" : "step-from", Object.fromEntries(choices.map((each, number) => [`step${number + 1}`, each]))));
  }

  #remove(place) {
    const [gone] = this.steps.splice(place, 1);
    const [instead] = gone.needs;
    for (const step of this.steps) step.needs = step.needs.map((each) => (each === gone.id ? instead : each)).filter(Boolean);
    this.#touch(`li:nth-child(${Math.max(1, place)}) .step-title`);
  }

  #adding() {
    const kind = make("select", { "aria-label": say("step-add") }, make("option", { value: "" }, say("step-add")), ...KINDS.map((each) => make("option", { value: each }, say(`step-kind-${each.replace("_", "-")}`))));
    kind.addEventListener("change", () => {
      if (!kind.value) return;
      const rows = this.steps.filter(hasRows);
      const needs = rows.slice(rows.length - (NEEDS[kind.value] ?? 1)).map((each) => each.id);
      const columns = columnsOf(rows.at(-1), this.steps, this.tables);
      let number = this.steps.length + 1;
      while (this.steps.some((each) => each.id === `step_${number}`)) number += 1;
      this.steps.push({ id: `step_${number}`, title: say(`step-kind-${kind.value}`), needs, operation: fresh(kind.value, this.tables, columns) });
      this.#touch(`li:nth-child(${this.steps.length}) .step-title`);
    });
    return kind;
  }

  // --- what it does

  #operation(operation, columns) {
    const before = columns();
    const column = (name, label = "step-column") => this.#choice(operation[name], before, (value) => this.#set(operation, name, value), say(label));
    const many = (name) => this.#many(operation[name], before, (value) => this.#set(operation, name, value));
    const one = (name, values, word) => this.#choice(operation[name], values, (value) => this.#set(operation, name, value), say(`step-choose-${name}`), word);
    switch (operation.op) {
      case "load":
        return sentence("step-load", { table: this.#choice(operation.table, this.tables.map((each) => each.name), (value) => this.#set(operation, "table", value), say("step-table")) });
      case "filter":
        return sentence("step-filter", {
          match: one("match", ["all", "any"], (value) => say(`step-match-${value}`)),
          conditions: this.#list(operation, "conditions", (condition) => this.#condition(condition, before), () => ({ column: before[0] ?? "", test: "not_null", values: [] })),
        });
      case "derive":
        return sentence("step-derive", { column: this.#text(operation.column, (value) => (operation.column = value), say("step-new-column")), formula: this.#formula(operation, before) });
      case "aggregate":
        return sentence(operation.by.length || this.edit ? "step-aggregate" : "step-aggregate-all", { measures: this.#measures(operation, before), by: many("by") });
      case "trend":
        return sentence(operation.by.length || this.edit ? "step-trend-by" : "step-trend", { measures: this.#measures(operation, before), every: one("every", EVERY, (value) => say(`step-every-${value}`)), time: column("time"), by: many("by") });
      case "join":
        return sentence("step-join", {
          on: this.#list(
            operation,
            "on",
            (key) => sentence("step-key", { left: this.#choice(key.left, before, (value) => this.#set(key, "left", value), say("step-column")), right: this.#choice(key.right, columns(1), (value) => this.#set(key, "right", value), say("step-column")) }),
            () => ({ left: before[0] ?? "", right: columns(1)[0] ?? "" }),
          ),
          how: one("how", ["inner", "left"], (value) => say(`step-how-${value}`)),
        });
      case "sort":
        return sentence(operation.limit === null && !this.edit ? "step-sort" : "step-sort-limit", {
          by: this.#list(
            operation,
            "by",
            (order) => sentence("step-order", {
              column: this.#choice(order.column, before, (value) => this.#set(order, "column", value), say("step-column")),
              direction: this.#choice(String(order.descending), ["false", "true"], (value) => this.#set(order, "descending", value === "true"), say("step-direction"), (value) => say(value === "true" ? "step-descending" : "step-ascending")),
            }),
            () => ({ column: before[0] ?? "", descending: false }),
          ),
          limit: this.#text(operation.limit ?? "", (value) => (operation.limit = value.trim() ? Number(value) : null), say("step-limit"), { inputmode: "numeric", placeholder: say("step-all"), size: 6 }),
        });
      case "chart":
        return sentence(operation.series || this.edit ? "step-chart-series" : "step-chart", {
          kind: one("kind", ["bar", "line"], (value) => say(`step-chart-${value}`)),
          y: many("y"),
          x: column("x"),
          series: this.#choice(operation.series ?? "", ["", ...before], (value) => this.#set(operation, "series", value || null), say("step-series"), (value) => value || say("step-nothing")),
        });
      case "summary":
        return sentence(operation.columns.length || this.edit ? "step-summary" : "step-summary-all", { columns: many("columns") });
      default:
        return [JSON.stringify(operation)];
    }
  }

  #formula(operation, before) {
    const { formula } = operation;
    const column = (name) => this.#choice(formula[name], before, (value) => this.#set(formula, name, value), say("step-column"));
    const operand = (name) => this.#text(formula[name], (value) => (formula[name] = value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value.trim()), say("step-operand"), { size: 14 }, before);
    const within = () => this.#many(formula.within, before, (value) => this.#set(formula, "within", value));
    const inside = formula.within?.length || this.edit ? "-within" : "";
    const made = {
      arithmetic: () => sentence("step-arithmetic", { left: operand("left"), operator: this.#choice(formula.operator, ["+", "-", "*", "/"], (value) => this.#set(formula, "operator", value), say("step-operator"), (value) => ({ "*": "×", "-": "−", "/": "÷" })[value] ?? value), right: operand("right") }),
      date_part: () => sentence("step-date-part", { part: this.#choice(formula.part, PARTS, (value) => this.#set(formula, "part", value), say("step-choose-part"), (value) => say(`step-part-${value}`)), column: column("column") }),
      to_number: () => sentence("step-to-number", { column: column("column") }),
      share: () => sentence(`step-share${inside}`, { column: column("column"), within: within() }),
      change: () => sentence(`step-change${inside}`, { form: this.#choice(formula.form, ["percent", "difference"], (value) => this.#set(formula, "form", value), say("step-choose-form"), (value) => say(`step-form-${value}`)), column: column("column"), along: column("along"), within: within() }),
      running: () => sentence(`step-running${inside}`, { column: column("column"), along: column("along"), within: within() }),
    }[formula.kind]();
    if (!this.edit) return made;
    const kind = this.#choice(formula.kind, FORMULAS, (value) => this.#set(operation, "formula", formulaOf(value, before[0] ?? "")), say("step-choose-formula"), (value) => say(`step-formula-${value.replace("_", "-")}`));
    return [kind, " ", ...made];
  }

  #measures(operation, before) {
    const measure = (each) => {
      const counts = each.function === "count" && each.column === null;
      const parts = {
        function: this.#choice(counts ? "rows" : each.function, ["rows", ...FUNCTIONS], (value) => {
          each.function = value === "rows" ? "count" : value;
          this.#set(each, "column", value === "rows" ? null : (each.column ?? before[0] ?? ""));
        }, say("step-choose-function"), (value) => say(`step-function-${value.replace("_", "-")}`)),
        column: counts ? "" : this.#choice(each.column, before, (value) => this.#set(each, "column", value), say("step-column")),
      };
      const words = sentence(counts ? "step-measure-rows" : "step-measure", parts);
      if (!this.edit) return words;
      return [...words, ...sentence("step-measure-as", { name: this.#text(each.name, (value) => (each.name = value), say("step-new-column")) })];
    };
    return this.#list(operation, "measures", measure, () => ({ function: "count", column: null, name: `rows_${operation.measures.length + 1}` }));
  }

  #condition(condition, before) {
    const column = this.#choice(condition.column, before, (value) => this.#set(condition, "column", value), say("step-column"));
    const test = this.#choice(condition.test, TESTS, (value) => {
      if (OF_NOTHING.has(value)) condition.values = [];
      else if (!condition.values.length) condition.values = [""];
      else if (!OF_MANY.has(value)) condition.values = condition.values.slice(0, 1);
      this.#set(condition, "test", value);
    }, say("step-choose-test"), (value) => say(`step-test-${value.replace("_", "-")}`));
    if (OF_NOTHING.has(condition.test)) return sentence("step-condition-nothing", { column, test });
    const type = this.tables.flatMap((each) => each.columns).find((each) => each.name === condition.column)?.type;
    const typed = (text) => {
      const parts = OF_MANY.has(condition.test) ? text.split(";") : [text];
      condition.values = parts.map((part) => valueOf(part.trim(), type));
    };
    return sentence("step-condition", { column, test, value: this.#text(condition.values.join("; "), typed, say(OF_MANY.has(condition.test) ? "step-values" : "step-value"), { size: 16 }) });
  }

  // --- the parts of a sentence

  #set(holder, name, value) {
    holder[name] = value;
    const { activeElement } = document;
    const focus = this.target.contains(activeElement) ? activeElement.dataset.place : null;
    this.#touch();
    if (focus) this.target.querySelectorAll("[data-place]")[Number(focus)]?.focus();
  }

  #choice(value, values, changed, label, word = (each) => each.replaceAll("_", " ")) {
    if (!this.edit) return make("span", { class: "said" }, word(value ?? ""));
    const known = values.includes(value) ? values : [value, ...values];
    const select = make("select", { class: "inline-choice", "aria-label": label, "data-place": "" }, ...known.map((each) => make("option", { value: each, selected: each === value }, word(each ?? ""))));
    if (!values.includes(value)) select.setAttribute("aria-invalid", "true");
    select.addEventListener("change", () => {
      this.#number();
      changed(select.value);
    });
    return select;
  }

  /** Where each control stands, so that who has changed one goes on at it. */
  #number() {
    this.target.querySelectorAll("[data-place]").forEach((each, place) => (each.dataset.place = place));
  }

  #text(value, changed, label, attributes = {}, offered = null) {
    if (!this.edit) return make("span", { class: "said" }, typeof value === "string" ? value.replaceAll("_", " ") : String(value));
    const list = offered ? `offered-${(this.lists = (this.lists ?? 0) + 1)}` : null;
    const input = make("input", { class: "inline-choice", value, size: 12, "aria-label": label, autocomplete: "off", "data-place": "", list, ...attributes });
    input.addEventListener("input", () => (changed(input.value), this.changed()));
    input.addEventListener("change", () => (this.#number(), this.#set({}, "", null)));
    return offered ? make("span", {}, input, make("datalist", { id: list }, ...offered.map((each) => make("option", { value: each })))) : input;
  }

  #many(values, offered, changed) {
    if (!this.edit) return joined(values.map((each) => [make("span", { class: "said" }, each.replaceAll("_", " "))]));
    const chips = values.map((value, place) => make("span", { class: "chip" }, this.#choice(value, offered, (chosen) => changed(values.with(place, chosen)), say("step-column")), this.#away(() => changed(values.toSpliced(place, 1)), value)));
    const more = offered.filter((each) => !values.includes(each));
    if (more.length) {
      const add = make("select", { class: "inline-choice add", "aria-label": say("step-add-column"), "data-place": "" }, make("option", { value: "" }, `+ ${say("step-add-column")}`), ...more.map((each) => make("option", { value: each }, each.replaceAll("_", " "))));
      add.addEventListener("change", () => (this.#number(), changed([...values, add.value])));
      chips.push(add);
    }
    return chips.flatMap((each) => [each, " "]);
  }

  #list(holder, name, drawn, another) {
    const values = holder[name];
    if (!this.edit) return joined(values.map(drawn));
    const lines = values.map((value, place) =>
      make("span", { class: "step-line" }, ...drawn(value), values.length > 1 ? this.#away(() => this.#set(holder, name, values.toSpliced(place, 1)), "") : ""),
    );
    const add = make("button", { type: "button", class: "button small quiet", "data-place": "", onclick: () => (this.#number(), this.#set(holder, name, [...values, another()])) }, `+ ${say(`step-add-${name}`)}`);
    return [...lines, add];
  }

  #away(work, name) {
    return make("button", { type: "button", class: "chip-away", "aria-label": say("step-away", { name: name.replaceAll("_", " ") }), "data-place": "", onclick: () => (this.#number(), work()) }, "×");
  }
}

/** What was typed as the column's type compares it: a text of digits (a code) stays a text. */
function valueOf(text, type) {
  if (type === "boolean" && ["true", "false"].includes(text)) return text === "true";
  const isNumber = type === undefined || type === "integer" || type === "number";
  return isNumber && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** "a, b and c", each a list of nodes. */
function joined(pieces) {
  const format = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" });
  return format.formatToParts(pieces.map((_, place) => String(place))).flatMap(({ type, value }) => (type === "element" ? pieces[Number(value)] : value));
}

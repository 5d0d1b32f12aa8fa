// The transcript page: plays, follows, searches, corrects.
import { player } from "../parts/player.js";
import { correct } from "./correcting.js";
import { Finding } from "./finding.js";
import { Lines } from "./lines.js";
import { certainPlaces, misheard } from "../glossary/misheard.js";
import { make } from "../parts/elements.js";
import { follow } from "../parts/live.js";
import { tell, tellError } from "../parts/messages.js";
import { heard } from "../parts/session.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";

const MOVES = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 };
const context = JSON.parse(document.getElementById("context").textContent);
const list = document.querySelector("[data-lines]");

if (list) open();
else if (!context.ready) follow(`/api/v1/jobs/${context.job_id}/events`, ["status", "resync"], () => location.reload(), { from: String(context.heard) });

/** What is selected, where it is a few words of one line. */
function selected() {
  const text = String(getSelection()).trim();
  return text.length <= 100 && !text.includes("\n") ? text : "";
}

/** Words that the glossary knows are told above the lines. */
async function known(everywhere) {
  const count = await certainPlaces(context.job_id, { glossary: true });
  if (!count) return;
  const look = make("button", { class: "button small", type: "button", onclick: () => everywhere({ glossary: true }).then(() => notice.remove()) }, say("everywhere-knows-do"));
  const notice = make("div", { class: "notice row", role: "status" }, make("span", {}, say("everywhere-knows", { count })), look);
  document.querySelector("[data-known]").append(notice);
}

async function open() {
  const lines = new Lines(list);
  const watch = player();
  const following = document.querySelector("[data-follow]");
  const form = document.querySelector("[data-find]");
  const finding = new Finding(form, lines, {
    went: (index) => {
      lines.activate(index);
      lines.reveal(index, "center");
    },
  });
  let current = -1;

  const mark = (ms) => {
    const now = lines.at(ms);
    if (now === current) return;
    lines.line(current)?.removeAttribute("aria-current");
    current = now;
    const line = lines.line(now);
    line?.setAttribute("aria-current", "true");
    const isBusy = list.contains(document.activeElement) || list.querySelector("form");
    if (line && following?.checked && watch.video && !watch.video.paused && !isBusy) lines.reveal(now);
  };
  watch.follow(mark);

  const play = async (index) => {
    if (!(await ready())) return;
    const facts = lines.facts[index];
    lines.activate(index);
    watch.seek(facts.start, { play: true });
    mark(facts.start);
  };
  let loaded = null; // the lines' facts; where they did not come, whoever needs them next asks again
  const ready = () => (loaded ??= load().catch(tellError));
  const load = async () => {
    const answer = await fetch(`/jobs/${context.job_id}/transcript/segments`, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (answer) heard(answer.status);
    if (answer?.ok) await lines.fill(await answer.json());
    else {
      loaded = null;
      tell(say(answer?.status === 401 ? "failed-signed-out" : "failed-unreachable"), "bad");
    }
    finding.find({ stay: true });
    return Boolean(answer?.ok);
  };
  const change = async (index) => {
    if (context.may_correct && (await ready())) correct(index, { job: context.job_id, lines, changed: changedLine, stale: load });
  };
  const changedLine = async (before, after) => {
    finding.find({ stay: true });
    const pair = misheard(before, after);
    const count = pair ? await certainPlaces(context.job_id, { pairs: [pair] }) : 0; // in the instruction, too
    if (count) tell(say("everywhere-offer", { heard: pair.heard, count }), "plain", { words: say("everywhere-offer-do"), doing: () => everywhere(pair) });
  };
  const everywhere = async (what) => {
    const { correctEverywhere } = await import("../glossary/correcting.js");
    await correctEverywhere({ job: context.job_id, project: context.is_own ? context.project_id : null, changed: load, ...what });
  };
  const goTo = () => {
    const ms = /^#t=(\d{1,12})$/.exec(location.hash)?.[1];
    if (ms === undefined) return;
    const index = Math.max(0, lines.at(Number(ms)));
    watch.seek(Number(ms));
    mark(Number(ms));
    lines.activate(index, { focus: true });
    lines.reveal(index, "center");
  };

  list.addEventListener("click", (event) => {
    const index = lines.indexOf(event.target);
    if (event.target.closest("[data-at]")) play(index);
    else if (event.target.closest("[data-correct]")) change(index);
    else if (event.target.closest("[data-text]") && getSelection().isCollapsed) play(index);
  });
  list.addEventListener("dblclick", (event) => event.target.closest("[data-text]") && change(lines.indexOf(event.target)));
  list.addEventListener("focusin", (event) => {
    const index = lines.indexOf(event.target);
    if (index >= 0 && index !== lines.active) lines.activate(index);
  });
  list.addEventListener("keydown", (event) => {
    const by = MOVES[event.key];
    if (by === undefined || event.target.closest("form") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    lines.activate(Math.max(0, Math.min(lines.active + by, list.children.length - 1)), { focus: true });
  });

  shortcut("/", say("shortcut-search"), () => form.elements.wanted.focus());
  shortcut("n", say("shortcut-found-next"), () => finding.step(1));
  shortcut("p", say("shortcut-found-previous"), () => finding.step(-1));
  if (context.may_correct) shortcut("c", say("shortcut-correct"), () => change(list.contains(document.activeElement) || current < 0 ? lines.active : current));
  addEventListener("hashchange", goTo);
  if (context.may_correct) {
    document.querySelector("[data-everywhere]").addEventListener("click", () => everywhere({ heard: selected() }).catch(tellError));
    if (context.has_glossary) known(everywhere);
  }
  await ready();
  goTo();
}

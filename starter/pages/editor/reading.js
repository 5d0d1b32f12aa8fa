// The guide for who reads it: it plays, is sought through, shows its pictures large. Nothing is changed here.
import { get } from "../parts/api.js";
import { tellError } from "../parts/messages.js";
import { player } from "../parts/player.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";
import { openLarge } from "../pictures/whole_picture.js";
import { contents } from "./contents.js";
import { markPlaying } from "./list.js";
import { notice } from "./notices.js";
import { named, watchVersions } from "./saving/watching.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const [context, state] = ["context", "state"].map(read);
const facts = new Map(state.blocks.map((each) => [each.id, each]));
const watch = player();

contents(state.blocks);
watch.follow((ms) => markPlaying(ms, state.blocks, facts));

document.querySelector(".desk").addEventListener("click", ({ target }) => {
  const large = target.closest("[data-enlarge]");
  if (large) return enlarge(large.closest(".shot").dataset.anchor).catch(tellError);
  const seek = target.closest("[data-seek]");
  if (seek?.dataset.seek) watch.seek(Number(seek.dataset.seek), { play: true });
  return undefined;
});

async function enlarge(anchorId) {
  const anchor = await get(`anchors/${anchorId}`); // its addresses hold for a while only
  await openLarge(anchor, anchor.assets.find(({ id }) => id === anchor.active_asset_id));
}

watchVersions({ instruction: state.instruction_id, job: state.job_id, from: context.heard }, ({ version, author }) => {
  if (version <= state.version) return;
  const text = say("version-exists", { number: version, author: named(author), mine: "no" });
  notice("version", text, [{ words: say("version-load"), doing: () => location.reload() }]);
});

const isHere = (target) => target === document.body || target.closest?.("[data-block]");
const blocks = () => [...document.querySelectorAll("[data-block]")];

function step(by) {
  const all = blocks();
  const place = all.indexOf(document.activeElement.closest("[data-block]"));
  all[place < 0 ? 0 : place + by]?.focus();
}

for (const [key, by] of [["ArrowUp", -1], ["ArrowDown", 1]]) {
  shortcut(key, say("shortcut-blocks"), ({ target }) => (isHere(target) ? step(by) : false));
}
shortcut("t", say("shortcut-seek"), ({ target }) => {
  const id = target.closest?.("[data-block]")?.dataset.block;
  return id === undefined ? false : watch.seek(facts.get(id)?.start_ms ?? 0, { play: true });
});

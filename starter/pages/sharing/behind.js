// Something was blurred: links that still show what was before are told of at once, and moved on or revoked.
import { get, post, remove } from "../parts/api.js";
import { shown } from "../parts/asking.js";
import { freshId, make } from "../parts/elements.js";
import { tell } from "../parts/messages.js";
import { say } from "../parts/strings.js";

/** Where open links show what was before, or the recording, which nothing blurs: ask what is to become of them. */
export async function offerLinks(instruction) {
  const links = (await all(`instructions/${instruction}/shares?limit=100`)).filter((each) => each.is_open && (each.is_behind || each.recording));
  if (!links.length) return;
  const behind = links.filter((each) => each.is_behind);
  const recordings = links.filter((each) => each.recording);
  const id = freshId("behind");
  const choice = (value, kind, words) => make("button", { class: `button ${kind}`, value }, words);
  const answer = await shown(
    make(
      "dialog",
      { "aria-labelledby": id },
      make("h2", { id }, say("behind-title", { count: links.length })),
      behind.length > 0 && make("p", {}, say("behind-what")),
      recordings.length > 0 && make("p", { class: "notice warn" }, say("behind-recording", { count: recordings.length })),
      make("ul", {}, ...links.map((each) => make("li", {}, make("bdi", {}, each.name ?? say("behind-nameless"))))),
      make(
        "form",
        { method: "dialog", class: "row" },
        behind.length > 0 && choice("update", "primary", say("behind-update")),
        choice("revoke", "danger", say("behind-revoke", { count: links.length })),
        choice("", "", say("behind-leave")),
      ),
    ),
  );
  if (answer === "update") {
    await Promise.all(behind.map((each) => post(`shares/${each.id}/update`)));
    tell(say("share-brought"), "good");
  } else if (answer === "revoke") {
    await Promise.all(links.map((each) => remove(`shares/${each.id}`)));
    tell(say("behind-revoked", { count: links.length }), "good");
  }
}

async function all(path) {
  const found = [];
  let cursor = null;
  do {
    const page = await get(cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`);
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

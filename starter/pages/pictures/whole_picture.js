// A picture as large as there is room, or looked at more closely; and one of which a part shows, as a whole: with all that is drawn
// on it, and without the crop.
import { shown } from "../parts/asking.js";
import { paint } from "./drawing/paint.js";
import { freshId, make } from "../parts/elements.js";
import { say } from "../parts/strings.js";
import { Zoom } from "./zoom.js";

/** The picture that a crop was made of, or undefined where nothing is cut off, or it is gone. */
export const wholeOf = (anchor, asset) =>
  asset?.operations?.some((each) => each.op_type === "crop") ? anchor.assets.find(({ id }) => id === asset.rendered_from_asset_id) : undefined;

/** Show what is shown, until it is closed. */
export const openLarge = (_, asset) => opened(asset, [], say("shot-large"));

/** Show all of a picture that is cropped, until it is closed. */
export const openWhole = (anchor, asset) => opened(wholeOf(anchor, asset), asset.operations.filter((each) => each.op_type !== "crop"), say("shot-whole"));

async function opened(base, operations, title) {
  const id = freshId("whole");
  const canvas = make("canvas", { width: base.width, height: base.height, role: "img", "aria-labelledby": id });
  const failure = make("p", { class: "notice bad", role: "alert", hidden: true }, say("picture-lost"));
  const close = make("button", { class: "button", type: "button", onclick: () => dialog.close() }, say("close"));
  const stage = make("div", { class: "stage large" }, canvas);
  const zoom = new Zoom(stage, canvas, { width: base.width, looks: true });
  const dialog = make("dialog", { class: "pictures", "aria-labelledby": id }, make("h2", { id }, title), stage, failure, make("div", { class: "row ends" }, close, zoom.tools, make("span", { class: "hint" }, say("zoom-keys"))));
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== " " && !event.ctrlKey && !event.metaKey && zoom.key(event)) event.preventDefault();
  });
  const closed = shown(dialog);
  const picture = new Image();
  picture.src = base.image_uri;
  try {
    await picture.decode();
    paint(canvas, picture, base, operations);
  } catch {
    failure.hidden = false;
  }
  await closed;
  zoom.end();
}

// A picture of which a part shows, as a whole: with all that is drawn on it, and without the crop.
import { shown } from "../parts/asking.js";
import { paint } from "./drawing/paint.js";
import { freshId, make } from "../parts/elements.js";
import { say } from "../parts/strings.js";

/** The picture that a crop was made of, or undefined where nothing is cut off, or it is gone. */
export const wholeOf = (anchor, asset) =>
  asset?.operations?.some((each) => each.op_type === "crop") ? anchor.assets.find(({ id }) => id === asset.rendered_from_asset_id) : undefined;

/** Show it until it is closed. */
export async function openWhole(anchor, asset) {
  const base = wholeOf(anchor, asset);
  const id = freshId("whole");
  const canvas = make("canvas", { width: base.width, height: base.height, role: "img", "aria-labelledby": id });
  const failure = make("p", { class: "notice bad", role: "alert", hidden: true }, say("picture-lost"));
  const close = make("button", { class: "button", type: "button", onclick: () => dialog.close() }, say("close"));
  const dialog = make("dialog", { class: "pictures", "aria-labelledby": id }, make("h2", { id }, say("shot-whole")), make("div", { class: "stage" }, canvas), failure, make("div", { class: "row ends" }, close));
  const closed = shown(dialog);
  const picture = new Image();
  picture.src = base.image_uri;
  try {
    await picture.decode();
    paint(canvas, picture, base, asset.operations.filter((each) => each.op_type !== "crop"));
  } catch {
    failure.hidden = false;
  }
  await closed;
}

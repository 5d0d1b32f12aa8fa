// What people draw on a picture, as the API takes it: coordinates are parts (0 to 1) of the picture's width and height,
// from the top left. Operations never change; each of these answers a new one.

export const TOOLS = ["blur", "ring", "outline", "arrow", "number", "text", "marker", "pencil", "crop"];
export const COLOURS = ["#e5484d", "#f5a623", "#ffd60a", "#30a46c", "#3b82f6", "#111111", "#ffffff"];
export const WIDTHS = { thin: 0.002, medium: 0.004, thick: 0.008, bold: 0.016 };
export const STRENGTHS = { light: 0.2, medium: 0.5, strong: 1 };
export const MOST_OPERATIONS = 100;
const MOST_POINTS = 5000;
const LEAST = 0.004;
const LEAST_CROP = 0.02;

export const LONGEST_LABEL = 300;
export const HIGHEST_NUMBER = 999;
/** How much of the picture's width and height a label takes that is put where somebody presses, without a pull. */
const LABELS = { number: [0.04, 0.07], text: [0.22, 0.07] };

const isLabel = (type) => type in LABELS;

const least = (type) => (type === "crop" ? LEAST_CROP : LEAST);

const within = (value, low = 0, high = 1) => Math.min(high, Math.max(low, value));
const grained = (value) => Math.round(value * 1e6) / 1e6;

/** The style that a tool takes of what is chosen. */
export function styled(type, { color, width, strength, whole }) {
  if (type === "crop") return { whole };
  if (type === "blur") return { strength };
  if (isLabel(type)) return { color };
  if (type === "marker") return { color, opacity: 0.4 };
  return { color, width, opacity: 1 };
}

/** An operation between two points, as it is drawn with the mouse. */
export function between(type, from, to, style) {
  const [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map((each) => within(each));
  if (type === "arrow") return { op_type: type, geometry: { x1, y1, x2, y2 }, style };
  if (type === "pencil") return { op_type: type, geometry: { points: [[x1, y1]] }, style };
  return { op_type: type, geometry: { x: Math.min(x1, x2), y: Math.min(y1, y2), w: Math.abs(x2 - x1), h: Math.abs(y2 - y1) }, style };
}

/** A label of the usual size around a point, or undefined: what the tool draws has to be pulled. */
export function placed(type, at, style) {
  if (!isLabel(type)) return undefined;
  const [w, h] = LABELS[type];
  const [x, y] = [within(at.x - w / 2, 0, 1 - w), within(at.y - h / 2, 0, 1 - h)];
  return { op_type: type, geometry: { x, y, w, h }, style };
}

/** With what it says where it says something: a number, the next one; a text, `words` to begin with. */
export function saying(operation, all, words) {
  if (operation.op_type === "text") return { text: words, ...operation };
  if (operation.op_type !== "number") return operation;
  const highest = Math.max(0, ...all.filter((each) => each.op_type === "number").map((each) => each.number));
  return { number: Math.min(highest + 1, HIGHEST_NUMBER), ...operation };
}

/** Whether it can be kept: a text without words says nothing. */
export const isSaid = ({ op_type: type, text }) => type !== "text" || text.trim() !== "";

/** An operation in the middle, as it is added from the keyboard. */
export function centred(type, style) {
  if (isLabel(type)) return placed(type, { x: 0.5, y: 0.5 }, style);
  if (type === "pencil") return { op_type: type, geometry: { points: [[0.45, 0.5], [0.55, 0.5]] }, style };
  return between(type, { x: 0.4, y: 0.4 }, { x: 0.6, y: 0.6 }, style);
}

/** Whether there is enough of it to be meant: a slip of the mouse is not. */
export function isMeant({ op_type: type, geometry: at }) {
  if (type === "pencil") return true;
  if (type === "arrow") return Math.hypot(at.x2 - at.x1, at.y2 - at.y1) > LEAST;
  return at.w > least(type) && at.h > least(type);
}

/** A pencil line, drawn on to a point. */
export function drawnOn(operation, to) {
  const points = operation.geometry.points;
  if (points.length >= MOST_POINTS) return operation;
  return { ...operation, geometry: { points: [...points, [within(to.x), within(to.y)]] } };
}

/** The corners of the smallest box around it. */
export function bounds({ op_type: type, geometry: at }) {
  if (type === "arrow") {
    return { left: Math.min(at.x1, at.x2), top: Math.min(at.y1, at.y2), right: Math.max(at.x1, at.x2), bottom: Math.max(at.y1, at.y2) };
  }
  if (type === "pencil") {
    const [xs, ys] = [at.points.map(([x]) => x), at.points.map(([, y]) => y)];
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  }
  return { left: at.x, top: at.y, right: at.x + at.w, bottom: at.y + at.h };
}

/** Moved as far as the picture reaches. */
export function moved(operation, dx, dy) {
  const box = bounds(operation);
  const x = within(dx, -box.left, 1 - box.right);
  const y = within(dy, -box.top, 1 - box.bottom);
  const at = operation.geometry;
  const geometry = {
    arrow: () => ({ x1: at.x1 + x, y1: at.y1 + y, x2: at.x2 + x, y2: at.y2 + y }),
    pencil: () => ({ points: at.points.map(([px, py]) => [px + x, py + y]) }),
  }[operation.op_type]?.() ?? { ...at, x: at.x + x, y: at.y + y };
  return { ...operation, geometry };
}

/** The points that can be pulled, each with its name. */
export function handles({ op_type: type, geometry: at }) {
  if (type === "pencil") return [];
  if (type === "arrow") return [{ name: "tail", x: at.x1, y: at.y1 }, { name: "head", x: at.x2, y: at.y2 }];
  return [
    { name: "nw", x: at.x, y: at.y },
    { name: "ne", x: at.x + at.w, y: at.y },
    { name: "sw", x: at.x, y: at.y + at.h },
    { name: "se", x: at.x + at.w, y: at.y + at.h },
  ];
}

/** One of its points pulled to another place. */
export function pulled(operation, name, to) {
  const [x, y] = [within(to.x), within(to.y)];
  const { op_type: type, geometry: at } = operation;
  let next;
  if (type === "arrow") {
    next = { ...operation, geometry: name === "head" ? { ...at, x2: x, y2: y } : { ...at, x1: x, y1: y } };
  } else {
    const fixed = { x: name.endsWith("w") ? at.x + at.w : at.x, y: name.startsWith("n") ? at.y + at.h : at.y };
    next = { ...operation, ...between(type, fixed, { x, y }, operation.style) };
  }
  return isMeant(next) ? next : operation;
}

/** Made larger or smaller from the keyboard: a box at its lower right, an arrow at its head, a line drawn on. */
export function stretched(operation, dx, dy) {
  const at = operation.geometry;
  if (operation.op_type === "pencil") {
    const [x, y] = at.points.at(-1);
    return drawnOn(operation, { x: x + dx, y: y + dy });
  }
  const end = handles(operation).find(({ name }) => name === "head" || name === "se");
  if (operation.op_type !== "arrow" && (at.w + dx <= least(operation.op_type) || at.h + dy <= least(operation.op_type))) return operation;
  return pulled(operation, end.name, { x: end.x + dx, y: end.y + dy });
}

/** Whether a point lies on it; `near` is a part of the picture's width. */
export function hits(operation, point, near) {
  if ("w" in operation.geometry) {
    const box = bounds(operation);
    return point.x >= box.left - near && point.x <= box.right + near && point.y >= box.top - near && point.y <= box.bottom + near;
  }
  const at = operation.geometry;
  const line = operation.op_type === "arrow" ? [[at.x1, at.y1], [at.x2, at.y2]] : at.points;
  const reach = near + operation.style.width;
  return line.some((end, index) => distance(point, line[Math.max(0, index - 1)], end) <= reach);
}

function distance({ x, y }, [ax, ay], [bx, by]) {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const along = length === 0 ? 0 : within(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length);
  return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
}

/** As it is sent: in millionths, boxes within the picture. */
export function sent(operation) {
  const at = operation.geometry;
  if (operation.op_type === "pencil") return { ...operation, geometry: { points: at.points.map((point) => point.map(grained)) } };
  const geometry = Object.fromEntries(Object.entries(at).map(([name, value]) => [name, grained(value)]));
  if ("w" in geometry) {
    geometry.w = grained(Math.min(geometry.w, 1 - geometry.x));
    geometry.h = grained(Math.min(geometry.h, 1 - geometry.y));
  }
  return { ...operation, geometry };
}

/** The part of the picture that shows, or undefined: all of it. */
export const cropOf = (operations) => operations.find((each) => each.op_type === "crop");

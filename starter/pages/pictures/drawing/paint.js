// A preview of what the server draws (activities/pictures/drawing.py), close enough to see what one will get. The server's
// blur keeps less than this one: it rounds the shades, and its cells are averages to the pixel.
import { bounds, cropOf, handles } from "./operations.js";

const FINEST_CELL = 40;
const [WEAKEST, STRONGEST] = [0.02, 0.06];
const RING = { least: 2.5, leastHalo: 1.5, halo: 0.45, gap: 0.8, corner: 0.18, roundest: 4 };

/**
 * Draw the picture and the operations on it, in their order.
 * @param {HTMLCanvasElement} canvas may be smaller than the picture
 * @param {CanvasImageSource} picture
 * @param {{width: number}} size the picture's own, in pixels
 */
export function paint(canvas, picture, size, operations) {
  const pen = canvas.getContext("2d");
  pen.imageSmoothingEnabled = true;
  pen.imageSmoothingQuality = "high";
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const scale = canvas.width / size.width;
  for (const operation of operations) {
    pen.save();
    if (operation.op_type === "blur") blur(pen, canvas, operation, scale);
    else if (operation.op_type === "marker") marker(pen, canvas, operation);
    else if (operation.op_type === "ring") ring(pen, canvas, operation, scale);
    else if (operation.op_type === "outline") outline(pen, canvas, operation, scale);
    else if (operation.op_type === "text") label(pen, canvas, operation);
    else if (operation.op_type === "number") badge(pen, canvas, operation);
    else if (operation.op_type !== "crop") ink(pen, canvas, operation, scale);
    pen.restore();
  }
  const crop = cropOf(operations);
  if (crop) outside(pen, canvas, crop.geometry);
}

/** Show which operation is chosen, and where it can be pulled. `unit` is a pixel of the screen in the canvas's. */
export function paintChosen(canvas, operation, unit) {
  const pen = canvas.getContext("2d");
  const box = bounds(operation);
  const [x, y] = [box.left * canvas.width, box.top * canvas.height];
  pen.save();
  for (const [color, dash] of [["#ffffff", []], ["#1b2a80", [6 * unit, 4 * unit]]]) {
    pen.strokeStyle = color;
    pen.lineWidth = 2 * unit;
    pen.setLineDash(dash);
    pen.strokeRect(x - 4 * unit, y - 4 * unit, (box.right - box.left) * canvas.width + 8 * unit, (box.bottom - box.top) * canvas.height + 8 * unit);
  }
  pen.setLineDash([]);
  for (const handle of handles(operation)) {
    pen.beginPath();
    pen.arc(handle.x * canvas.width, handle.y * canvas.height, 6 * unit, 0, 2 * Math.PI);
    pen.fillStyle = "#ffffff";
    pen.fill();
    pen.stroke();
  }
  pen.restore();
}

function blur(pen, canvas, { geometry: at, style }, scale) {
  const left = Math.floor(at.x * canvas.width);
  const top = Math.floor(at.y * canvas.height);
  const width = Math.max(1, Math.ceil((at.x + at.w) * canvas.width) - left);
  const height = Math.max(1, Math.ceil((at.y + at.h) * canvas.height) - top);
  const longer = Math.max(canvas.width, canvas.height);
  const cell = Math.max(FINEST_CELL * scale, longer * (WEAKEST + (STRONGEST - WEAKEST) * style.strength));
  const coarse = document.createElement("canvas");
  coarse.width = Math.max(1, Math.floor(width / cell));
  coarse.height = Math.max(1, Math.floor(height / cell));
  const small = coarse.getContext("2d");
  small.imageSmoothingQuality = "high";
  small.drawImage(canvas, left, top, width, height, 0, 0, coarse.width, coarse.height);
  pen.drawImage(coarse, 0, 0, coarse.width, coarse.height, left, top, width, height);
}

function marker(pen, canvas, { geometry: at, style }) {
  pen.globalAlpha = style.opacity;
  pen.fillStyle = style.color;
  pen.fillRect(at.x * canvas.width, at.y * canvas.height, at.w * canvas.width, at.h * canvas.height);
}

function ring(pen, canvas, { geometry: at, style }, scale) {
  const width = Math.max(style.width * canvas.width, RING.least * scale);
  const halo = Math.max(RING.leastHalo * scale, width * RING.halo);
  const away = Math.max(width * RING.gap, 1.5 * halo) + width / 2;
  const [w, h] = [at.w * canvas.width, at.h * canvas.height];
  const [left, top] = [at.x * canvas.width - away, at.y * canvas.height - away].map((each) => Math.max(each, width));
  const right = Math.min((at.x + at.w) * canvas.width + away, canvas.width - width);
  const bottom = Math.min((at.y + at.h) * canvas.height + away, canvas.height - width);
  const radius = Math.min(Math.min(w, h) * RING.corner, RING.roundest * width) + away;
  pen.globalAlpha = style.opacity;
  for (const [color, thick] of [["rgb(17 17 17 / .75)", width + 3 * halo], ["#ffffff", width + 2 * halo], [style.color, width]]) {
    pen.strokeStyle = color;
    pen.lineWidth = thick;
    pen.beginPath();
    pen.roundRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top), radius);
    pen.stroke();
  }
}

function outline(pen, canvas, { geometry: at, style }, scale) {
  pen.globalAlpha = style.opacity;
  pen.strokeStyle = style.color;
  pen.lineJoin = "round";
  pen.lineWidth = Math.max(style.width * canvas.width, scale);
  pen.strokeRect(at.x * canvas.width, at.y * canvas.height, at.w * canvas.width, at.h * canvas.height);
}

const FONT = "Inter, system-ui, sans-serif";
const [LINE, MARGIN, ROUND] = [1.25, 0.3, 0.18]; // activities/pictures/labels.py

function label(pen, canvas, { geometry: at, style, text }) {
  const [x, y, w, h] = [at.x * canvas.width, at.y * canvas.height, at.w * canvas.width, at.h * canvas.height];
  const lines = text.replace(/\n+$/, "").split("\n");
  pen.fillStyle = style.color;
  pen.beginPath();
  pen.roundRect(x, y, w, h, Math.min(w, h) * ROUND);
  pen.fill();
  let size = Math.max(1, h / (LINE * lines.length + 2 * MARGIN - (LINE - 1)));
  pen.font = `600 ${size}px ${FONT}`;
  const widest = Math.max(...lines.map((line) => pen.measureText(line).width)) + 2 * MARGIN * size;
  if (widest > w) size *= w / widest;
  pen.font = `600 ${size}px ${FONT}`;
  written(pen, style.color);
  lines.forEach((line, place) => pen.fillText(line, x + w / 2, y + h / 2 + (place - (lines.length - 1) / 2) * LINE * size));
}

function badge(pen, canvas, { geometry: at, style, number }) {
  const side = Math.min(at.w * canvas.width, at.h * canvas.height);
  const [x, y] = [(at.x + at.w / 2) * canvas.width, (at.y + at.h / 2) * canvas.height];
  for (const [color, radius] of [["#ffffff", side / 2], [style.color, side * 0.43]]) {
    pen.fillStyle = color;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
  }
  const digits = String(number);
  pen.font = `600 ${side * 0.62 * Math.min(1, 2.2 / (digits.length + 0.8))}px ${FONT}`;
  written(pen, style.color);
  pen.fillText(digits, x, y);
}

/** Black or white letters, whichever stands out on `color`. */
function written(pen, color) {
  const [red, green, blue] = [1, 3, 5].map((from) => parseInt(color.slice(from, from + 2), 16));
  pen.fillStyle = (299 * red + 587 * green + 114 * blue) / 1000 > 150 ? "#111111" : "#ffffff";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
}

/** What a crop leaves out, dimmed: it is there to be moved. */
function outside(pen, canvas, at) {
  const [x, y, w, h] = [at.x * canvas.width, at.y * canvas.height, at.w * canvas.width, at.h * canvas.height];
  pen.save();
  pen.fillStyle = "rgb(0 0 0 / .55)";
  pen.beginPath();
  pen.rect(0, 0, canvas.width, canvas.height);
  pen.rect(x, y, w, h);
  pen.fill("evenodd");
  pen.restore();
}

function ink(pen, canvas, { op_type: type, geometry: at, style }, scale) {
  const width = Math.max(style.width * canvas.width, scale);
  const place = ([x, y]) => [x * canvas.width, y * canvas.height];
  pen.strokeStyle = style.color;
  pen.fillStyle = style.color;
  pen.globalAlpha = style.opacity;
  pen.lineCap = "round";
  pen.lineJoin = "round";
  if (type === "arrow") arrow(pen, place([at.x1, at.y1]), place([at.x2, at.y2]), width, scale);
  else line(pen, at.points.map(place), width);
}

function line(pen, points, width) {
  pen.lineWidth = width;
  pen.beginPath();
  pen.moveTo(...points[0]);
  for (const point of points.length > 1 ? points.slice(1) : points) pen.lineTo(...point);
  pen.stroke();
}

function arrow(pen, tail, head, width, scale) {
  const length = Math.max(Math.hypot(head[0] - tail[0], head[1] - tail[1]), scale);
  const along = [(head[0] - tail[0]) / length, (head[1] - tail[1]) / length];
  const reach = Math.min(Math.max(4.5 * width, 9 * scale), length);
  const neck = [head[0] - along[0] * reach, head[1] - along[1] * reach];
  const half = reach * 0.42;
  line(pen, [tail, neck], Math.min(width, half));
  pen.beginPath();
  pen.moveTo(...head);
  pen.lineTo(neck[0] - along[1] * half, neck[1] + along[0] * half);
  pen.lineTo(neck[0] + along[1] * half, neck[1] - along[0] * half);
  pen.fill();
}

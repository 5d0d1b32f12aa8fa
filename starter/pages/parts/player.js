// The recording: played and sought by keys, by the times in the text, and by who else asks.
import { shortcut } from "./shortcuts.js";
import { say } from "./strings.js";

const JUMP_S = 5;
const NOTHING = { video: null, seek: () => {}, follow: () => {} };

/** The page's player. `seek(ms, {play})`; `follow(heard)`: heard(ms) as it plays. */
export function player() {
  const video = document.querySelector("[data-video]");
  if (!video) return NOTHING;
  float(video);
  const frame = Number(video.dataset.frameMs) / 1000;
  const jump = (seconds) => {
    video.currentTime = Math.min(Math.max(0, video.currentTime + seconds), video.duration || Infinity);
  };
  const step = (seconds) => {
    video.pause();
    jump(seconds);
  };
  const toggle = () => (video.paused ? play(video) : video.pause());
  shortcut("Space", say("shortcut-play"), toggle);
  shortcut("k", say("shortcut-play"), toggle);
  for (const key of ["j", "ArrowLeft"]) shortcut(key, say("shortcut-back"), () => jump(-JUMP_S));
  for (const key of ["l", "ArrowRight"]) shortcut(key, say("shortcut-on"), () => jump(JUMP_S));
  shortcut(",", say("shortcut-frame-back"), () => step(-frame));
  shortcut(".", say("shortcut-frame-on"), () => step(frame));
  return {
    video,
    seek(ms, { play: playing = false } = {}) {
      video.currentTime = ms / 1000;
      if (playing) play(video);
    },
    follow(heard) {
      for (const name of ["timeupdate", "seeking"]) video.addEventListener(name, () => heard(video.currentTime * 1000));
    },
  };
}

/** Where there is one column, the recording stays in sight when it has been scrolled away. */
function float(video) {
  const screen = video.closest("[data-screen]");
  screen.style.setProperty("--shape", `${video.getAttribute("width") ?? 16} / ${video.getAttribute("height") ?? 9}`);
  new IntersectionObserver(([{ intersectionRatio: seen, boundingClientRect: { top } }]) => screen.classList.toggle("away", seen < 0.3 && top < 0), { threshold: [0, 0.3, 1] }).observe(screen);
}

const play = (video) => video.play().catch(() => {}); // a browser that wants a click first: the person has one

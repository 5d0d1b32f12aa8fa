// What a correction says was misheard: the few words that became others; and how often they stand elsewhere.
import { post } from "../parts/api.js";

const MOST_WORDS = 4;
const LONGEST = 100;
const EDGES = /^[\s.,;:!?"'“”„()[\]*_`#>-]+|[\s.,;:!?"'“”„()[\]*_`]+$/g;

/** The words that were changed from `before` to `after`, where they are few and in one place; else null. */
export function misheard(before, after) {
  const [one, other] = [before.split(/\s+/), after.split(/\s+/)];
  let [start, end] = [0, 0];
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [was, is] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (!was.length || !is.length || Math.max(was.length, is.length) > MOST_WORDS) return null;
  const [heard, right] = [was, is].map((words) => words.join(" ").replaceAll(EDGES, ""));
  const isWord = (text) => /\p{L}/u.test(text) && text.length <= LONGEST;
  return isWord(heard) && isWord(right) && heard !== right ? { heard, right } : null;
}

/** How often `heard` stands in these texts as words of their own. */
export function times(heard, texts) {
  const words = heard.split(/\s+/).map((each) => each.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}_])${words.join("\\s+")}(?![\\p{L}\\p{N}_])`, "giu");
  return texts.reduce((sum, text) => sum + (text.match(wanted)?.length ?? 0), 0);
}

/** How many places are certain of what is looked for, in the transcript and in the instruction; none where nobody answers. */
export async function certainPlaces(job, wanted) {
  const found = await post(`jobs/${job}/corrections/find`, wanted).catch(() => null);
  return found?.places.filter((each) => each.certain).length ?? 0;
}

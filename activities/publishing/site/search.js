// The search over everything that the guides say. It works on what stands in this page: nothing is fetched.
(() => {
  const PLACES = 3;
  const AROUND = 60;
  const SNIPPET = 170;
  addEventListener("DOMContentLoaded", () => {
    const { guides, words, sections } = JSON.parse(document.querySelector("#searched").textContent);
    const form = document.querySelector("[data-search]");
    const field = form.querySelector("input");
    const shelves = document.querySelector("[data-shelves]");
    const results = document.querySelector("[data-results]");
    const told = document.querySelector("[data-told]");
    form.hidden = false;

    const bare = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    const hays = guides.map(({ title, entries }) => ({
      title: bare(title),
      entries: entries.map(([, , heading, text]) => ({ heading: bare(heading), text: bare(text) })),
    }));

    /** How well an entry holds the words: a heading counts more than the text below it. */
    const weight = ({ heading, text }, asked) => asked.reduce((sum, word) => sum + (heading.includes(word) ? 4 : 0) + (text.includes(word) ? 1 : 0), 0);

    function find(asked) {
      const found = [];
      hays.forEach((hay, place) => {
        const everywhere = (word) => hay.title.includes(word) || hay.entries.some(({ heading, text }) => heading.includes(word) || text.includes(word));
        if (!asked.every(everywhere)) return;
        const weighed = hay.entries.map((entry, at) => [weight(entry, asked), at]).filter(([heavy]) => heavy > 0);
        weighed.sort(([one, first], [other, second]) => other - one || first - second);
        const title = asked.filter((word) => hay.title.includes(word)).length * 8;
        found.push([title + (weighed[0]?.[0] ?? 0), place, weighed.slice(0, PLACES).map(([, at]) => at)]);
      });
      return found.sort(([one, first], [other, second]) => other - one || first - second);
    }

    /** Where each of the words stands in a text, as pairs of places in the text itself. */
    function marksIn(text, asked) {
      let hay = "";
      const from = [];
      let at = 0;
      for (const letter of text) {
        for (const each of bare(letter)) {
          hay += each;
          for (let unit = 0; unit < each.length; unit += 1) from.push([at, at + letter.length]);
        }
        at += letter.length;
      }
      const marks = [];
      for (const word of asked) {
        for (let place = hay.indexOf(word); place >= 0; place = hay.indexOf(word, place + word.length)) {
          marks.push([from[place][0], from[place + word.length - 1][1]]);
        }
      }
      marks.sort(([one], [other]) => one - other);
      return marks.filter(([start], place) => !place || start >= marks[place - 1][1]);
    }

    function marked(element, text, asked, short) {
      const marks = marksIn(text, asked);
      let begin = 0;
      let end = text.length;
      if (short && text.length > SNIPPET) {
        begin = Math.max(0, (marks[0]?.[0] ?? 0) - AROUND);
        if (begin) begin = text.indexOf(" ", begin) + 1 || begin;
        end = Math.min(text.length, begin + SNIPPET);
        if (begin) element.append("… ");
      }
      let last = begin;
      for (const [start, stop] of marks.filter(([start, stop]) => start >= begin && stop <= end)) {
        const mark = document.createElement("mark");
        mark.textContent = text.slice(start, stop);
        element.append(text.slice(last, start), mark);
        last = stop;
      }
      element.append(text.slice(last, end));
      if (end < text.length) element.append(" …");
      return element;
    }

    const make = (tag, kind) => Object.assign(document.createElement(tag), { className: kind });

    function link(guide, address, kind) {
      const made = make("a", kind);
      made.href = address;
      made.lang = guide.language;
      made.dir = guide.direction;
      return made;
    }

    function shown([, place, entries], asked) {
      const guide = guides[place];
      const item = make("li", "found");
      const title = link(guide, guide.address, "found-title");
      marked(title, guide.title, asked, false);
      item.append(title);
      if (sections) item.append(Object.assign(make("span", "found-section"), { textContent: guide.section }));
      for (const at of entries) {
        const [id, number, heading, text] = guide.entries[at];
        const row = link(guide, id ? `${guide.address}#${id}` : guide.address, "found-place");
        const where = make("span", "found-where");
        where.textContent = number ? `${words.step} ${number}` : words.text;
        const what = make("span", "found-what");
        if (heading) what.append(marked(make("strong", ""), heading, asked, false));
        if (text) what.append(marked(make("span", "found-text"), text, asked, true));
        row.append(where, what);
        item.append(row);
      }
      return item;
    }

    function search() {
      const asked = [...new Set(bare(field.value).split(/\s+/u).filter(Boolean))];
      const is = asked.length > 0;
      shelves.hidden = is;
      results.hidden = !is;
      const address = is ? `#q=${encodeURIComponent(field.value.trim())}` : location.pathname + location.search;
      history.replaceState(null, "", address);
      if (!is) {
        told.textContent = "";
        results.replaceChildren();
        return;
      }
      const found = find(asked);
      told.textContent = found.length ? words.found[Number(found.length !== 1)].replace("{}", found.length) : words.none;
      results.replaceChildren(...found.map((each) => shown(each, asked)));
    }

    function read() {
      const { hash } = location;
      if (hash.startsWith("#q=")) {
        try {
          field.value = decodeURIComponent(hash.slice(3));
        } catch {
          return; // an address that somebody has cut
        }
        search();
      } else if (hash === "#search") field.focus();
    }

    field.addEventListener("input", search);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      results.querySelector("a")?.focus();
    });
    addEventListener("hashchange", read);
    addEventListener("keydown", (event) => {
      if (event.key === "/" && document.activeElement !== field && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        field.focus();
      } else if (event.key === "Escape" && field.value) {
        field.value = "";
        search();
        field.focus();
      } else if (["ArrowDown", "ArrowUp"].includes(event.key) && !results.hidden) {
        const stops = [field, ...results.querySelectorAll("a")];
        const at = stops.indexOf(document.activeElement);
        if (at < 0) return;
        event.preventDefault();
        stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
      }
    });
    read();
  });
})();

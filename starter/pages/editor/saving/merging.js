// Two people's changes to one document, put together block by block against the version that both began from.

/**
 * @typedef {"same" | "mine" | "theirs" | "both"} By who changed the block
 * @typedef {{id: string, by: By, base: string | null, mine: string | null, theirs: string | null,
 *   result: string | null, gap: string}} Row a text of null: there is no such block
 */

/** What became of each block, in the order of the result. @returns {Row[]} */
export function merge(base, mine, theirs) {
  const [was, here, there] = [base, mine, theirs].map((blocks) => new Map(blocks.map((each) => [each.id, each])));
  return order(base, mine, theirs).map((id) => {
    const [before, my, their] = [was, here, there].map((known) => known.get(id)?.markdown ?? null);
    const by = my === their || their === before ? (my === before ? "same" : "mine") : my === before ? "theirs" : "both";
    const kept = here.get(id) ?? there.get(id) ?? was.get(id);
    const result = by === "theirs" ? their : my;
    return { id, by, base: before, mine: my, theirs: their, result, gap: kept.gap, ...told(was.get(id), here.get(id), there.get(id)) };
  });
}

/** What a block is beside its text: as I have it, unless only they changed it. */
function told(before, my, their) {
  const kept = Object.fromEntries(["cutFrom", "absorbs", "at"].filter((key) => my?.[key] !== undefined && my[key] !== before?.[key]).map((key) => [key, my[key]]));
  return { role: (my && my.role !== before?.role ? my : (their ?? my ?? before)).role, ...kept };
}

/** The document that rows come to. */
export const outcome = (rows) =>
  rows.filter(({ result }) => result !== null).map(({ id, result, gap, role, cutFrom, absorbs, at }) => ({ id, markdown: result, gap, role, ...(cutFrom && { cutFrom }), ...(absorbs && { absorbs }), ...(at !== undefined && { at }) }));

/** `mine`, with what `theirs` changed where I changed nothing; where both did, mine. */
export const onto = (base, mine, theirs) => outcome(merge(base, mine, theirs));

function order(base, mine, theirs) {
  const ids = [base, mine, theirs].map((blocks) => blocks.map((each) => each.id));
  const [inMine, inTheirs] = [new Set(ids[1]), new Set(ids[2])];
  const common = new Set(ids[0].filter((id) => inMine.has(id) && inTheirs.has(id)));
  const [was, here, there] = ids.map((each) => each.filter((id) => common.has(id)).join());
  const leads = here !== was || there === was ? [ids[1], ids[2], ids[0]] : [ids[2], ids[1], ids[0]];
  const made = [...leads[0]];
  const placed = new Set(made);
  for (const following of leads.slice(1)) {
    following.forEach((id, place) => {
      if (placed.has(id)) return;
      placed.add(id);
      made.splice(place === 0 ? 0 : made.indexOf(following[place - 1]) + 1, 0, id); // what stands before it has its place by now
    });
  }
  return made;
}

// Recordings while they are made, kept in this browser (IndexedDB) until a job has all of them: whatever happens to the
// tab or to the network, a second is lost at most.
const NAME = "guidesmith-recordings";
const RECORDINGS = "recordings";
const CHUNKS = "chunks";

let opening;
function opened() {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore(RECORDINGS, { keyPath: "id" });
      asked.result.createObjectStore(CHUNKS, { keyPath: ["id", "number"] });
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opening;
}

/** Do `work` on both stores; its answer, once what it wrote is kept. */
async function within(mode, work) {
  const database = await opened();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction([RECORDINGS, CHUNKS], mode);
    const asked = work(transaction.objectStore(RECORDINGS), transaction.objectStore(CHUNKS));
    transaction.oncomplete = () => resolve(asked?.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

const all = (id, from = 0, to = Infinity) => IDBKeyRange.bound([id, from], [id, to]);

/** The recordings of `owner` that are kept here and that no living tab has, oldest first. */
export async function interrupted(owner) {
  const found = await within("readonly", (recordings) => recordings.getAll()).catch(() => []);
  const left = [];
  for (const record of found.filter((each) => each.owner === owner)) {
    const release = await hold(record.id);
    release?.();
    if (release) left.push(record);
  }
  return left.sort((one, other) => one.begun - other.begun);
}

/** Take the recording for this tab: what gives it back, or null where another tab has it. A tab that dies lets go. */
export function hold(id) {
  return new Promise((resolve) => {
    navigator.locks.request(`guidesmith-recording-${id}`, { ifAvailable: true }, (lock) => (lock ? new Promise(resolve) : resolve(null)));
  });
}

/** The storage of this browser has no room left. */
export class StorageFull extends Error {}

/** What is asked for is with the server alone, or was lost here. */
export class NotKept extends Error {}

/**
 * One recording as a file that grows.
 *
 * `record`: {id, owner, name, type, project, projectName, wanted, key, job, begun, ms, dropped, thrown}; `wanted` is what
 * its job is asked for, `key` the request's Idempotency-Key, `ms` how long it is, `dropped` how many bytes of its
 * beginning are with the server alone, `thrown` whether it was thrown away.
 */
export class KeptRecording {
  chunks = []; // of each: {start, size, blob?}, in bytes; the blob of what could not be kept here
  delivered = 0; // bytes from the beginning that the server has acknowledged

  constructor(record) {
    this.record = record;
    this.size = record.dropped;
    this.writing = Promise.resolve();
  }

  /** Begin one. */
  static async begin(record) {
    await within("readwrite", (recordings) => recordings.put(record));
    return new KeptRecording(record);
  }

  /** One that is kept, as far as it goes. */
  static async opened(record) {
    const kept = new KeptRecording(record);
    const found = await within("readonly", (_, chunks) => chunks.getAll(all(record.id)));
    let next = found[0]?.number;
    for (const { number, blob } of found) if (number === next++) kept.push(blob.size, number);
    return kept;
  }

  push(size, number = this.chunks.length) {
    this.chunks[number] = { start: this.size, size };
    this.size += size;
    return number;
  }

  /** Whether all of it can be looked at here. */
  get isWhole() {
    return this.record.dropped === 0;
  }

  /** Add what was recorded until `ms`. Raises: StorageFull: from now on it is in this tab's memory alone. */
  append(blob, ms) {
    const number = this.push(blob.size);
    this.record.ms = ms;
    const chunk = { id: this.record.id, number, blob };
    const write = () => within("readwrite", (recordings, chunks) => (recordings.put(this.record), chunks.put(chunk)));
    this.writing = this.writing
      .catch(() => {})
      .then(write)
      .catch(async () => {
        await this.drop();
        await write();
      })
      .catch(() => {
        this.chunks[number].blob = blob;
        throw new StorageFull();
      });
    return this.writing;
  }

  /** Let go of what the server has: only where there is no room for more. */
  async drop() {
    const gone = this.chunks.findIndex((each) => each && each.start + each.size > this.delivered);
    const first = this.chunks.findIndex(Boolean);
    if (gone <= first) throw new StorageFull();
    this.record.dropped = this.chunks[gone].start;
    await within("readwrite", (recordings, chunks) => (recordings.put(this.record), chunks.delete(all(this.record.id, first, gone - 1))));
    for (let number = first; number < gone; number++) delete this.chunks[number];
  }

  /** The bytes from `start` to `end`. Raises: NotKept. */
  async slice(start, end) {
    await this.writing.catch(() => {});
    const wanted = [...this.chunks.entries()].filter(([, each]) => each && each.start < end && each.start + each.size > start);
    if (!wanted.length || wanted[0][1].start > start) throw new NotKept();
    const [first, last] = [wanted[0][0], wanted.at(-1)[0]];
    const found = await within("readonly", (_, chunks) => chunks.getAll(all(this.record.id, first, last)));
    const kept = new Map(found.map(({ number, blob }) => [number, blob]));
    const blobs = wanted.map(([number, each]) => each.blob ?? kept.get(number));
    if (!blobs.every(Boolean)) throw new NotKept();
    const joined = new Blob(blobs, { type: this.record.type });
    const before = wanted[0][1].start;
    return joined.slice(start - before, end - before, this.record.type);
  }

  /** All of it, to be looked at. */
  whole() {
    return this.slice(0, this.size);
  }

  /** Note `facts` of it. */
  async note(facts) {
    Object.assign(this.record, facts);
    await within("readwrite", (recordings) => recordings.put(this.record));
  }

  /** Keep nothing of it; `but`: what there is to remember all the same. */
  async forget(but = null) {
    await this.writing.catch(() => {});
    const { id } = this.record;
    await within("readwrite", (recordings, chunks) => (recordings.delete(id), chunks.delete(all(id)))); // needs no room
    if (but) await this.note(but);
  }
}

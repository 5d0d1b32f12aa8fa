// Uploads that have begun, kept in the browser (IndexedDB) so that a reload loses nothing: which job, which file, how
// far; where the browser has one, also the file's handle, which spares choosing it again.
const NAME = "guidesmith";
const STORE = "uploads";

function opened() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: "jobId" });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

async function within(mode, work) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const asked = work(database.transaction(STORE, mode).objectStore(STORE));
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
  } finally {
    database.close();
  }
}

/** Those that were not finished, oldest first. */
export async function pending() {
  const all = await within("readonly", (store) => store.getAll()).catch(() => []);
  return all.sort((one, other) => one.begun - other.begun);
}

/** Keep `upload` ({jobId, name, size, modified, handle?, sent, begun}); without a place to keep it, nothing is lost
 * but the offer to go on after a reload. */
export const remember = (upload) => within("readwrite", (store) => store.put(upload)).catch(() => {});

export const forget = (jobId) => within("readwrite", (store) => store.delete(jobId)).catch(() => {});

/** The pending upload of this very file, if there is one. */
export async function pendingOf(file) {
  const all = await pending();
  return all.find((each) => each.name === file.name && each.size === file.size && each.modified === file.lastModified);
}

/** The file itself, where the browser may still read it: it asks its user. */
export async function fileOf(upload) {
  if (!upload.handle) return null;
  try {
    if ((await upload.handle.requestPermission({ mode: "read" })) !== "granted") return null;
    const file = await upload.handle.getFile();
    return file.size === upload.size && file.lastModified === upload.modified ? file : null;
  } catch {
    return null; // moved or deleted
  }
}

// A recording on its way to the server while it is made: part by part as they fill, whatever the network does, and the
// job that comes of it.
import { get, once, post, Refused, remove } from "../parts/api.js";
import { nameOf, pathOf, Sending, Stopped } from "../parts/sending.js";

const STILL_SENT = ["CREATED", "UPLOADING"];

/** As Sending, of a file that grows until it is said to be whole. */
class Growing extends Sending {
  isWhole = false;

  grew() {
    this.more?.();
  }

  whole() {
    this.isWhole = true;
    this.grew();
  }

  stop() {
    super.stop();
    this.grew();
  }

  async run() {
    this.upload = await this.patiently(() => this.begin());
    const size = this.upload.part_size;
    const { received_parts: numbers, received_bytes: bytes } = await this.patiently(() => get(pathOf(this.upload.upload_url)));
    const arrived = new Set(numbers);
    // a browser that broke down may have written less to its disk than the server has: that is good all the same
    if (this.isWhole && arrived.size === Math.max(0, ...numbers)) this.file.size = Math.max(this.file.size, bytes);
    for (let part = 1, start = 0; ; part++, start += size) {
      await this.filled(start + size);
      if (start >= this.file.size) return this.upload;
      const end = Math.min(start + size, this.file.size);
      if (arrived.has(part)) this.done += end - start;
      else await this.deliver(part, await this.file.slice(start, end));
      this.file.delivered = end;
      this.tell();
    }
  }

  async filled(bytes) {
    while (!this.isWhole && this.file.size < bytes) {
      if (this.stopped) throw new Stopped();
      await new Promise((resolve) => (this.more = resolve));
    }
  }
}

export class Delivery {
  /** @param {(facts: object) => void} told those of Sending, or {failed}: why nothing more is sent for now */
  constructor(kept, told) {
    this.kept = kept;
    this.told = told;
  }

  /** Send what there is, and what comes. */
  start() {
    const session = async () => post(`jobs/${await this.job()}/upload`, { filename: nameOf({ name: fileName(this.kept.record) }) });
    this.sending = new Growing(this.kept, session, this.told);
    this.failed = null;
    this.going = this.sending.run();
    this.going.catch((failed) => {
      this.failed = failed;
      if (!(failed instanceof Stopped)) this.told({ failed });
    });
  }

  grew() {
    this.sending?.grew();
  }

  /** The job that it is for, made now where there is none. */
  async job() {
    const { record } = this.kept;
    if (record.job) return record.job;
    const project = record.project || (await post("projects", { name: record.projectName }, { key: record.key })).id;
    const { id } = await post(`projects/${project}/jobs`, record.wanted, { key: record.key });
    await this.kept.note({ project, job: id });
    return id;
  }

  /** Send the rest, say that it is all, and start the job: its id. */
  async finish(name) {
    await this.kept.note({ name });
    try {
      await this.sent();
    } catch (error) {
      if (!(error instanceof Refused) || ![404, 409].includes(error.status)) throw error;
      if (await this.hasAll()) return this.run(); // it was confirmed when the tab died
      if (!this.kept.isWhole) throw error;
      await this.kept.note({ job: null, key: once() }); // somebody has cancelled or erased it: another one
      this.start();
      await this.sent();
    }
    return this.run();
  }

  async sent() {
    if (!this.sending || this.failed) this.start();
    const sending = this.sending;
    sending.whole();
    await this.going;
    const { video_uri: video } = await sending.patiently(() => sending.begin()); // under the name that it has now
    const told = { video_uri: video, size_bytes: this.kept.size };
    await sending.patiently(() => post(`jobs/${this.kept.record.job}/confirm-upload`, told));
  }

  async run() {
    const { job } = this.kept.record;
    await this.sending.patiently(() => post(`jobs/${job}/run`));
    await this.kept.forget();
    return job;
  }

  async hasAll() {
    const job = await get(`jobs/${this.kept.record.job}`).catch(() => null);
    return job !== null && job.status !== "CANCELLED" && !STILL_SENT.includes(job.status);
  }

  /** Throw it away, here and with the server: where that cannot be reached, the next time that the page is opened. */
  async discard() {
    this.sending?.stop();
    await Promise.allSettled([this.going]);
    const { job } = this.kept.record;
    try {
      if (job) await remove(`jobs/${job}`);
    } catch (error) {
      if (error.status !== 404) {
        await this.kept.forget({ thrown: true });
        throw error;
      }
    }
    await this.kept.forget();
  }
}

const fileName = ({ name, type }) => `${name}.${type === "video/mp4" ? "mp4" : "webm"}`;

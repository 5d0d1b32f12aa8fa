// The form of a new instruction: choose a recording, say what is in it, send it, start the job.
import { get, once, post, Refused } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { clock } from "../parts/moments.js";
import { forget, pendingOf, remember } from "./pending.js";
import { Sending, Stopped, nameOf } from "../parts/sending.js";
import { bytes } from "../parts/sizes.js";
import { say } from "../parts/strings.js";

const MEDIA = /^(video|audio)\//;
const ENDINGS = /\.(mp4|m4v|mov|mkv|webm|avi|mpe?g|wmv|ts|m4a|mp3|wav|flac|ogg|opus|aac)$/i;

class NewForm {
  constructor(form) {
    this.form = form;
    this.most = Number(form.dataset.most);
    this.part = (name) => form.querySelector(`[data-${name}]`);
    const zone = this.part("zone");
    form.addEventListener("input", () => (this.key = undefined)); // another order
    form.elements.recording.addEventListener("change", () => this.take(form.elements.recording.files[0]));
    for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, () => zone.classList.add("over"));
    for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
    form.elements.project.addEventListener("change", () => {
      this.part("project-name").hidden = form.elements.project.value !== "";
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.start().catch(tellError);
    });
    this.part("stop").addEventListener("click", () => this.sending?.stop());
    addEventListener("beforeunload", (event) => {
      if (this.sending) event.preventDefault();
    });
    this.take(form.elements.recording.files[0]); // chosen before this was loaded, or before the page was left
  }

  /** Take the file that was dropped, and, where there is one, its handle. */
  drop(transfer) {
    const item = [...transfer.items].find((each) => each.kind === "file");
    if (!item) return;
    const handle = item.getAsFileSystemHandle?.();
    this.take(item.getAsFile());
    handle?.then((found) => (this.handle = found)).catch(() => {});
  }

  /** Ask for the file of an upload that was broken off. */
  choose(upload) {
    this.part("zone-hint").textContent = say("new-choose-again", { name: upload.name });
    this.form.elements.recording.click();
  }

  take(file) {
    if (!file || this.sending) return;
    this.handle = undefined;
    this.key = undefined; // its job is another one
    const refusal = this.refusalOf(file);
    this.refuse(refusal);
    this.file = refusal ? undefined : file;
    this.part("start").disabled = Boolean(refusal);
    this.part("zone-name").textContent = file.name;
    this.part("zone-hint").textContent = bytes(file.size);
  }

  refusalOf(file) {
    if (file.size === 0) return say("refused-empty");
    if (file.size > this.most) return say("refused-large", { size: bytes(file.size), most: bytes(this.most) });
    if (!MEDIA.test(file.type) && !ENDINGS.test(file.name)) return say("refused-type");
    return "";
  }

  refuse(text) {
    const notice = this.part("refused");
    notice.textContent = text;
    notice.hidden = !text;
  }

  async start() {
    if (!this.file || this.sending) return;
    const known = await pendingOf(this.file);
    await this.resume(this.file, known ?? (await this.begun(this.file)));
  }

  /** The job that the file is for, made now. */
  async begun(file) {
    const { elements } = this.form;
    this.key ??= once();
    const project = elements.project.value || (await post("projects", { name: elements.project_name.value.trim() || say("new-project-name-default") }, { key: this.key })).id;
    const wanted = { language: elements.language.value || null };
    if (elements.model_profile) wanted.model_profile = elements.model_profile.value;
    const job = await post(`projects/${project}/jobs`, wanted, { key: this.key });
    const upload = { jobId: job.id, name: file.name, size: file.size, modified: file.lastModified, handle: this.handle, sent: 0, begun: Date.now() };
    await remember(upload);
    return upload;
  }

  /** Send `file` as the recording of the job that `upload` began, and start the job. */
  async resume(file, upload) {
    if (this.sending) return undefined;
    this.refuse("");
    this.showSending(file);
    const session = () => post(`jobs/${upload.jobId}/upload`, { filename: nameOf(file), size_bytes: file.size });
    let kept = 0;
    this.sending = new Sending(file, session, (facts) => {
      this.tell(facts);
      if (facts.sent - kept > file.size / 50) {
        kept = facts.sent;
        remember({ ...upload, sent: facts.sent });
      }
    });
    try {
      const { video_uri: video } = await this.sending.run();
      this.part("sending-words").textContent = say("new-checking");
      await this.sending.patiently(() => post(`jobs/${upload.jobId}/confirm-upload`, { video_uri: video, size_bytes: file.size }));
      await this.sending.patiently(() => post(`jobs/${upload.jobId}/run`));
      await forget(upload.jobId);
      this.sending = undefined;
      location.assign(`/jobs/${upload.jobId}`);
    } catch (error) {
      this.sending = undefined;
      this.part("sending").hidden = true;
      this.lock(false);
      this.part("start").disabled = false;
      if (error instanceof Stopped) {
        tell(say("new-stopped"));
        return this.part("start").focus();
      }
      if (error instanceof Refused && (error.status === 404 || error.status === 409)) await forget(upload.jobId);
      if (error.status === 409 && (await hasAll(upload.jobId))) return location.assign(`/jobs/${upload.jobId}`);
      this.refuse(error instanceof Refused ? error.message : say("failed-unforeseen"));
      if (!(error instanceof Refused)) throw error;
    }
    return undefined;
  }

  /** What is chosen counts for what is being sent: it does not change any more. */
  lock(on) {
    for (const each of this.form.querySelectorAll("select, input")) each.disabled = on;
  }

  showSending(file) {
    this.lock(true);
    this.part("sending").hidden = false;
    this.part("start").disabled = true;
    this.part("sending-name").textContent = file.name;
    this.part("sending-words").textContent = say("new-sending");
  }

  tell({ sent, speed, remaining, waiting }) {
    const whole = this.sending?.file.size ?? 1;
    this.part("sending-progress").value = sent / whole;
    this.part("sending-words").textContent = waiting ? say("new-waiting") : say("new-sending");
    const facts = [`${Math.floor((100 * sent) / whole)} %`, `${bytes(sent)} / ${bytes(whole)}`];
    if (!waiting && speed > 0) facts.push(say("new-speed", { speed: bytes(speed) }));
    if (!waiting && remaining !== null) facts.push(say("new-remaining", { time: clock(1000 * remaining) }));
    this.part("sending-facts").textContent = facts.join(" · ");
  }
}

const STILL_SENT = ["CREATED", "UPLOADING"];

/** Whether the job has its recording: another tab was faster. */
async function hasAll(jobId) {
  const job = await get(`jobs/${jobId}`).catch(() => null);
  return job !== null && !STILL_SENT.includes(job.status);
}

export const formOf = (element) => new NewForm(element);

// The form of a new instruction: choose recordings, say what is in them, send them one after the other; each is a job.
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
  chosen = []; // {file, handle}

  constructor(form) {
    this.form = form;
    this.most = Number(form.dataset.most);
    this.part = (name) => form.querySelector(`[data-${name}]`);
    const zone = this.part("zone");
    form.addEventListener("input", () => (this.key = undefined)); // another order
    form.elements.recording.addEventListener("change", () => this.take([...form.elements.recording.files]));
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
    this.take([...form.elements.recording.files]); // chosen before this was loaded, or before the page was left
  }

  /** Whether there is something to send. */
  get isReady() {
    return this.chosen.length > 0;
  }

  /** Take the files that were dropped, and, where there are such, their handles. */
  drop(transfer) {
    const items = [...transfer.items].filter((each) => each.kind === "file");
    const handles = items.map((each) => each.getAsFileSystemHandle?.()); // before anything is waited for
    const files = items.map((each) => each.getAsFile());
    this.take(files.filter(Boolean));
    for (const [place, handle] of handles.entries()) {
      handle?.then((found) => (this.chosen.find(({ file }) => file === files[place]) ?? {}).handle = found).catch(() => {});
    }
  }

  /** Ask for the file of an upload that was broken off. */
  choose(upload) {
    this.part("zone-hint").textContent = say("new-choose-again", { name: upload.name });
    this.form.elements.recording.click();
  }

  /** Take what can be sent of `files`, and say of each of the others why it cannot. */
  take(files) {
    if (files.length === 0 || this.sending) return;
    this.key = undefined; // their jobs are others
    const refused = files.map((file) => [file, this.refusalOf(file)]).filter(([, why]) => why);
    this.chosen = files.filter((file) => !refused.some(([other]) => other === file)).map((file) => ({ file }));
    this.refuse(files.length === 1 ? (refused[0]?.[1] ?? "") : refused.map(([{ name }, why]) => `${name}: ${why}`).join(" "));
    this.part("start").disabled = !this.isReady;
    this.show(this.chosen.length ? this.chosen.map(({ file }) => file) : files);
  }

  show(files) {
    const size = bytes(files.reduce((sum, file) => sum + file.size, 0));
    const several = files.length > 1;
    this.part("zone-name").textContent = several ? say("new-several", { count: files.length }) : files[0].name;
    this.part("zone-hint").textContent = several ? say("new-several-are", { names: files.map(({ name }) => name).join(", "), size }) : size;
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

  /** Send what was chosen, one after the other. What fails or is stopped stays chosen, with what comes after it. */
  async start() {
    if (!this.isReady || this.sending) return;
    const alone = this.chosen.length === 1;
    while (this.isReady) {
      const [{ file, handle }] = this.chosen;
      const upload = (await pendingOf(file)) ?? (await this.begun(file, handle));
      const job = await this.send(file, upload);
      if (!job) return this.show(this.chosen.map((each) => each.file));
      this.key = undefined; // the next one is another job
      this.chosen.shift();
      if (alone) return location.assign(`/jobs/${job}`);
    }
    return location.assign("/");
  }

  /** The job that the file is for, made now. */
  async begun(file, handle) {
    const { elements } = this.form;
    this.key ??= once();
    const project = elements.project.value || (await this.newProject()).id;
    const wanted = { language: elements.language.value || null };
    if (elements.model_profile) wanted.model_profile = elements.model_profile.value;
    const job = await post(`projects/${project}/jobs`, wanted, { key: this.key });
    const upload = { jobId: job.id, name: file.name, size: file.size, modified: file.lastModified, handle, sent: 0, begun: Date.now() };
    await remember(upload);
    return upload;
  }

  /** The project that the form names, made once and chosen from then on. */
  async newProject() {
    const { project, project_name: name } = this.form.elements;
    const made = await post("projects", { name: name.value.trim() || say("new-project-name-default") }, { key: this.key });
    project.prepend(new Option(made.name, made.id, true, true));
    this.part("project-name").hidden = true;
    return made;
  }

  /** Go on with an upload that was broken off. */
  async resume(file, upload) {
    const job = await this.send(file, upload);
    if (job) location.assign(`/jobs/${job}`);
  }

  /** Send `file` as the recording of the job that `upload` began, and start the job: its id, where that went well. */
  async send(file, upload) {
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
      return upload.jobId;
    } catch (error) {
      this.sending = undefined;
      this.part("sending").hidden = true;
      this.lock(false);
      this.part("start").disabled = false;
      if (error instanceof Stopped) {
        tell(say("new-stopped"));
        this.part("start").focus();
        return undefined;
      }
      if (error instanceof Refused && (error.status === 404 || error.status === 409)) await forget(upload.jobId);
      if (error.status === 409 && (await hasAll(upload.jobId))) return upload.jobId;
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
const CONFIRMED_WITHIN_MS = 10_000; // that every part is whole takes a moment, in which no more of them are taken
const ASKED_EVERY_MS = 500;

/** Whether the job has its recording, or gets it right now: another tab was faster. */
async function hasAll(jobId) {
  for (const until = Date.now() + CONFIRMED_WITHIN_MS; ; ) {
    const job = await get(`jobs/${jobId}`).catch(() => null);
    if (job === null || !STILL_SENT.includes(job.status)) return job !== null;
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
  }
}

export const formOf = (element) => new NewForm(element);

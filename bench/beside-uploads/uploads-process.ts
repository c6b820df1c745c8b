import type { UploadReport, UploadTask } from "./messages.js";

// Sends files to be transcribed, a process of its own: begins with its task, and at the next message stops and reports.

let isStopped = false;

async function upload({ baseUrl, apiKey, uploads, files }: UploadTask): Promise<UploadReport> {
  const report: UploadReport = { audioSeconds: 0, wallSeconds: 0, processorSeconds: 0, problems: [] };
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  let next = 0;
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const file = files[next++ % files.length];
      if (file === undefined) return;
      const form = new FormData();
      form.append("audio", new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name);
      const headers = { authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${baseUrl}/v1/asr`, { method: "POST", headers, body: form });
      const answer = await response.text();
      if (response.ok) report.audioSeconds += file.seconds;
      else report.problems.push(`${file.name}: ${response.status} ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: uploads }, client));
  const used = process.cpuUsage(before);
  report.wallSeconds = (performance.now() - startMs) / 1000;
  report.processorSeconds = (used.user + used.system) / 1e6;
  return report;
}

process.once("message", (task: UploadTask) => {
  process.once("message", () => {
    isStopped = true;
  });
  void upload(task).then((report) => process.send?.(report, () => process.disconnect()));
});

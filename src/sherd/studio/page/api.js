// The server: every change is told with a header that no form of another page can send.

const CHANGE = { "X-Sherd": "1" };
const MOST_KEPT_ALIVE = 60_000;

/** What the server refused, or that it did not answer, in one sentence. */
export class Refused extends Error {}

async function ask(method, path, body) {
  const request = { method, headers: method === "GET" ? {} : { ...CHANGE } };
  if (body instanceof FormData) {
    request.body = body;
  } else if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
    // What was done last is still told when the page is left; browsers send so much then and no more.
    request.keepalive = request.body.length < MOST_KEPT_ALIVE;
  }
  const response = await send(path, request);
  return response.status === 204 ? null : response.json();
}

/** The answer to a request; `Refused` with the server's own sentence if it is none. */
async function send(path, request) {
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Refused("The server does not answer: is sherd studio still running?");
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  throw new Refused(sentence(said?.detail) ?? `The server said ${response.status}.`);
}

function sentence(detail) {
  if (Array.isArray(detail)) return detail.map((one) => one.msg).join("; ");
  return detail || null;
}

const job = (id) => `/jobs/${encodeURIComponent(id)}`;

export const listJobs = () => ask("GET", "/jobs");
export const listExamples = () => ask("GET", "/examples");
export const readRecords = () => ask("GET", "/bench/records.json");
export const readJob = (id) => ask("GET", job(id));
export const removeJob = (id) => ask("DELETE", job(id));
export const makeJob = (request) => ask("POST", "/jobs", request);
export const changeReading = (id, change) => ask("PATCH", job(id), change);
export const solve = (id, request) => ask("POST", `${job(id)}/solve`, request);
export const stop = (id) => ask("POST", `${job(id)}/stop`, {});
export const putBoard = (id, board) => ask("PUT", `${job(id)}/board`, board);
export const readAnswer = (id, number) => ask("GET", `${job(id)}/answers/${number}`);

/** The bytes of a file that the server makes of an answer, or of the board. */
export async function download(id, name, which) {
  const query = name.startsWith("answer.") ? `?${new URLSearchParams(which)}` : "";
  return (await send(`${job(id)}/${name}${query}`, {})).blob();
}

/** Upload files: the names of those of a folder tell nothing but their own last part. */
export function upload(files, params = {}) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  form.append("params", JSON.stringify(params));
  return makeJob(form);
}

/** Follow a job until nothing runs any more; returns what ends the listening. */
export function follow(id, { onJob, onProgress, onDone }) {
  const source = new EventSource(`${job(id)}/events`);
  source.addEventListener("job", (event) => onJob(JSON.parse(event.data)));
  source.addEventListener("progress", (event) => onProgress(JSON.parse(event.data)));
  source.addEventListener("done", () => {
    source.close();
    onDone();
  });
  return () => source.close();
}

/** The thread of a batch: exports or describes one file at a time. */
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { OutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import { exportAcquisition, type Progress } from '../export/index.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { surveyFile } from '../survey/survey-file.js';
import { describeFile } from './describe-file.js';
import { type DoneNote, findFinished, markOf, marksOf, removeNote, writeNote } from './done-note.js';
import { measureOutput } from './measure.js';
import type { ExportJob, ExportOutcome, Job, JobFailure, JobReply, JobRequest, Outcomes } from './protocol.js';

/** Time between two reports of one export, in ms. */
const REPORT_EVERY_MS = 100;

const port = parentPort;
if (!port) throw new Error('the worker of a batch runs as a worker thread');
const send = (reply: JobReply) => port.postMessage(reply);

async function answer({ id, job }: JobRequest): Promise<void> {
  try {
    send({ kind: 'done', id, value: await run(id, job) });
  } catch (error) {
    send({ kind: 'failed', id, failure: toFailure(error) });
  }
}

async function run(id: number, job: Job): Promise<Outcomes[keyof Outcomes]> {
  if (job.kind === 'inspect') return describeFile(job.path, job.choice, job.options);
  if (job.kind === 'export') return runExport(id, job);
  const report = throttled(id);
  const onProgress = (planes: number) => report({ planes, planeCount: planes, bytes: 0 });
  return surveyFile(job.path, { ...job, onProgress });
}

/** Returns a function that tells of progress, but not more often than anybody looks. */
function throttled(id: number): (progress: Progress) => void {
  let reported = 0;
  return (progress) => {
    const now = performance.now();
    if (now - reported < REPORT_EVERY_MS) return;
    reported = now;
    send({ kind: 'progress', id, progress });
  };
}

async function runExport(id: number, { task, note }: ExportJob): Promise<ExportOutcome> {
  const source = note && markIfAny(task.path);
  const finished = note && source && findFinished(task, { ...note, source });
  if (finished) {
    const { path, ...measured } = finished;
    return { output: path, ...measured, source, isSkipped: true, warnings: [], notes: [] };
  }
  let written: DoneNote | undefined;
  try {
    const { output, warnings, notes } = await exportAcquisition(task, {
      onProgress: throttled(id),
      onFinishing: ({ partial, output, files }) => {
        send({ kind: 'finishing', id });
        if (!note || !source) return;
        written = { ...note, source, files: marksOf(files), output: basename(output), ...measureOutput(partial) };
        // A run that is killed before the rename is repeated, because the output is missing. An output that is replaced
        // is there all the time: it has no note until it is the new one.
        if (task.overwrite) removeNote(task.target);
        else writeNote(task.target, written, task.token);
      },
    });
    if (written && task.overwrite) writeNote(task.target, written, task.token);
    const measured = written ? { bytes: written.bytes, sha256: written.sha256, source: written.source } : {};
    return { output, ...measured, isSkipped: false, warnings, notes };
  } catch (error) {
    if (written) removeNote(task.target);
    throw error;
  }
}

/** A path that cannot be looked at fails when it is opened, with a better message. */
function markIfAny(path: string) {
  try {
    return markOf(path);
  } catch {
    return undefined;
  }
}

function toFailure(thrown: unknown): JobFailure {
  if (thrown instanceof OutputError) return { code: thrown.code, message: thrown.message, details: null };
  const known = thrown instanceof AcqError ? thrown : exhaustionError('The file cannot be read', thrown);
  if (known) return known.toRecord();
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { code: 'internal_error', message: String(thrown), details: null, stack };
}

port.on('message', (request: JobRequest) => void answer(request));
send({ kind: 'ready' });

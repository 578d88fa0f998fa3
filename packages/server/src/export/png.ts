import { pipeline, Readable } from 'node:stream';
import { createDeflate } from 'node:zlib';
import { BATCH_BYTES, checkPng, writePngTo } from '@acquisition-store/readers/derive/writers/png.js';
import { finishStaged, StagedFile } from './staged.js';
import type { WriteJob } from './types.js';

export async function writePng(job: WriteJob): Promise<string> {
  checkPng(job);
  const file = new StagedFile(job.target, job.stage);
  return finishStaged(file, job, () => writePngTo(job, file.sink, deflate));
}

/** Compresses on other threads. */
function deflate(rows: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // An error reaches the stream that is read.
  return pipeline(Readable.from(rows), createDeflate({ chunkSize: BATCH_BYTES }), () => {});
}

/** Files as they are while they are being recorded. */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type BrukerSpec, brukerFiles } from './bruker.js';
import { asciiTag, scanimageText } from './scanimage.js';
import { writeTiff } from './tiff.js';

/**
 * Makes a file what `bytes` are, as programs do that record: what is new is appended, and then what leads to it is changed.
 * The file itself stays, and so does whatever has it open.
 */
export function growFile(path: string, bytes: Uint8Array): void {
  if (!existsSync(path)) writeFileSync(path, '');
  const before = readFileSync(path);
  const file = openSync(path, 'r+');
  writeSync(file, bytes, before.length, bytes.length - before.length, before.length);
  for (let at = 0; at < before.length; at++) if (before[at] !== bytes[at]) writeSync(file, bytes, at, 1, at);
  closeSync(file);
}

/** Writes the planes of a recording that are not there yet, and then the XML that lists them, as Prairie View does. */
export function growBruker(folder: string, spec: BrukerSpec): string {
  const [xml, ...planes] = brukerFiles(spec) as [{ name: string; bytes: Uint8Array }];
  for (const { name, bytes } of planes) if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, xml.name), xml.bytes);
  return join(folder, xml.name);
}

interface Movie {
  width: number;
  height: number;
  frames: number;
  channels: number;
  value: (frame: number, channel: number, row: number, column: number) => number;
}

/** A ScanImage file: a page for each channel of each frame, 20 frames a second. With more frames, it begins with the same bytes. */
export function scanimageMovie({ width, height, frames, channels, value }: Movie): Uint8Array {
  const saved = Array.from({ length: channels }, (_, i) => i + 1).join(';');
  const header = { 'hChannels.channelSave': `[${saved}]`, 'hRoiManager.scanFramePeriod': 0.05 };
  const page = (frame: number, channel: number) => ({
    ...{ width, height },
    samples: Int16Array.from({ length: width * height }, (_, i) =>
      value(frame, channel, Math.floor(i / width), i % width),
    ),
    tags: [
      asciiTag(270, `frameNumbers = ${frame + 1}\nframeTimestamps_sec = ${(0.05 * frame).toFixed(6)}\n`.padEnd(120)),
      asciiTag(305, scanimageText(header)),
    ],
  });
  const indices = (length: number) => Array.from({ length }, (_, i) => i);
  return writeTiff({
    pages: indices(frames).flatMap((frame) => indices(channels).map((channel) => page(frame, channel))),
  });
}

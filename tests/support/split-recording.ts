/** A recording that ScanImage has split into three files of 4, 4 and 2 frames. */
import { join } from 'node:path';
import { scanimageFrames } from '../writers/scanimage.js';
import { writeTemp } from './temp.js';

const HEADER = {
  VERSION_MAJOR: 2020,
  'hChannels.channelSave': 1,
  'hRoiManager.scanFramePeriod': 0.05,
  'hStackManager.enable': 'false',
};

/** Writes the files into a folder; the value of a frame is its number. Returns the path of the second file. */
export function writeSplitRecording(folder: string): string {
  const ranges = [
    [1, 4],
    [5, 8],
    [9, 10],
  ] as const;
  for (const [i, [from, to]] of ranges.entries()) {
    const frames = Array.from({ length: to - from + 1 }, (_, k) => ({
      number: from + k,
      value: from + k,
      epoch: '[2023  4 13 17 45 2.164]',
    }));
    writeTemp(folder, `run_00001_0000${i + 1}.tif`, scanimageFrames(HEADER, frames));
  }
  return join(folder, 'run_00001_00002.tif');
}

import type { ByteSource } from '../../io/byte-source.js';
import { parseDateTime } from '../../model/metadata/dates.js';
import { parseScanImageText } from '../../model/metadata/scanimage.js';
import type { PartSigns } from '../../model/recording.js';
import { openFirstPage } from '../../tiff/parse.js';
import type { TiffFile } from '../../tiff/types.js';
import { readFrameText } from './flavors/scanimage-frame-text.js';
import { readHeaderText } from './flavors/scanimage-text.js';

/** Settings that are equal in all files of a recording. */
const SETTINGS = [
  'VERSION_MAJOR',
  'VERSION_MINOR',
  'hChannels.channelSave',
  'channelsSave',
  'hRoiManager.scanFramePeriod',
  'scanFramePeriod',
];
/** Start of an acquisition in headers of versions whose frames do not have it. */
const TRIGGER = ['triggerClockTimeFirst', 'internal.triggerTimeString'];

/** Reads, from the first page of a TIFF, what shows which recording it is a part of. */
export function readSigns(source: ByteSource): PartSigns {
  const file = openFirstPage(source);
  const { width, height, sampleType, samplesPerPixel } = file.page(0).layout;
  const shape = `${width}×${height}×${samplesPerPixel} ${sampleType}`;
  const counted = readCounted(file);
  return counted ? { shape, counted } : { shape };
}

/** Frames count only with the start of their acquisition: all acquisitions number their frames. */
function readCounted(file: TiffFile): PartSigns['counted'] {
  const page = file.page(0);
  const text = readHeaderText({ file, page });
  if (text === undefined) return undefined;
  const frame = readFrameText(file.source, page);
  const first = frame.numberInAcquisition || frame.number;
  const header = parseScanImageText(text);
  if (!header || first === undefined) return undefined;
  const start = frame.epoch ?? parseDateTime(header.texts(...TRIGGER)?.[0] ?? '');
  if (!start) return undefined;
  const settings = SETTINGS.map((key) => header.numbers(key) ?? header.texts(key) ?? null);
  return { recording: JSON.stringify([frame.acquisition ?? null, start, settings]), first };
}

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import type { ChannelOptics, SceneInfo } from '../../model/acquisition.js';
import type { ChannelDisplay } from '../../model/metadata/colors.js';
import { NO_CLOCK } from '../../model/metadata/dates.js';
import {
  channelDisplays,
  parseScanImageText,
  type SavedChannel,
  type ScanImageHeader,
  savedChannels,
} from '../../model/metadata/scanimage.js';
import { scanImageInstrument, scanImageOptics } from '../../model/metadata/scanimage-instrument.js';

/** The values of the header that the layout and the timing of the samples depend on, under ScanImage's names. */
export interface LineScanHeader {
  channels: SavedChannel[];
  /** One entry per channel. */
  displays: ChannelDisplay[];
  optics: ChannelOptics[];
  instrument: Pick<SceneInfo, 'instrument'>;
  lineScanSamplesPerFrame: number;
  /** Hz. */
  sampleRate: number | undefined;
  /** Seconds per cycle, rounded by ScanImage to six digits. */
  scanFramePeriod: number | undefined;
  channelsDataType: string | undefined;
  /** Cycles that were to be recorded. */
  framesPerSlice: number | undefined;
}

/**
 * Reads `.meta.txt`: header lines, then the regions of interest as JSON, from the first line that starts with `{`.
 * @throws AcqError `decode_failed` when the header lacks a value that the layout of the samples depends on
 */
export function readHeader(source: ByteSource): LineScanHeader {
  const { lines } = readText(source);
  const header = parseScanImageText(lines);
  if (!header) throw decodeFailed('contains no ScanImage header lines (SI.… = …)');
  // A number that ends early is another number.
  if (!/[\r\n]$/.test(lines)) throw decodeFailed('the last line of the header ends early. Copy the file again.');
  const channels = savedChannels(header);
  if (!channels) throw decodeFailed('the list of saved channels (SI.hChannels.channelSave) is missing');
  return {
    channels,
    displays: channelDisplays(header, channels),
    optics: scanImageOptics(header, channels),
    instrument: scanImageInstrument(header, { linePeriod: undefined, clock: NO_CLOCK }),
    lineScanSamplesPerFrame: samplesPerCycle(header),
    sampleRate: header.number('hScan2D.sampleRate'),
    scanFramePeriod:
      header.number('hRoiManager.scanFramePeriod') ?? inverse(header.number('hRoiManager.scanFrameRate')),
    channelsDataType: header.texts('hScan2D.channelsDataType')?.[0],
    framesPerSlice: header.number('hStackManager.framesPerSlice'),
  };
}

/**
 * Reads the lines of the header, and the JSON with the regions of interest behind them; empty without one.
 * @throws AcqError `decode_failed`
 */
export function readText(source: ByteSource): { lines: string; json: string } {
  const { size } = source;
  if (size > LIMITS.sidecarBytes) {
    throw decodeFailed(`the header has ${grouped(size)} bytes; the limit is ${grouped(LIMITS.sidecarBytes)}`);
  }
  const text = decodeText(source.read(0, size));
  const json = text.search(/^\{/m);
  return json < 0 ? { lines: text, json: '' } : { lines: text.slice(0, json), json: text.slice(json) };
}

function samplesPerCycle(header: ScanImageHeader): number {
  const samples = header.number('hScan2D.lineScanSamplesPerFrame');
  if (samples !== undefined && Number.isInteger(samples) && samples >= 1) return samples;
  throw decodeFailed(
    `SI.hScan2D.lineScanSamplesPerFrame is ${samples ?? 'missing'}; expected the number of samples per line`,
  );
}

function inverse(rate: number | undefined): number | undefined {
  return rate === undefined || rate <= 0 ? undefined : 1 / rate;
}

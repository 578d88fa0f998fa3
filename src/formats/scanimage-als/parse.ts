import { decodeFailed } from '../../errors.js';
import type { ChannelDisplay } from '../../metadata/colors.js';
import {
  channelDisplays,
  parseScanImageText,
  type SavedChannel,
  type ScanImageHeader,
  savedChannels,
} from '../../metadata/scanimage.js';

/** What the samples' layout and timing need, under the vendor's names. */
export interface RawLineScan {
  channels: SavedChannel[];
  displays: ChannelDisplay[];
  lineScanSamplesPerFrame: number;
  sampleRate: number | undefined;
  scanFramePeriod: number | undefined;
  channelsDataType: string | undefined;
  /** Cycles that were to be recorded. */
  framesPerSlice: number | undefined;
}

/**
 * Parses the text of `.meta.txt`: header lines, then the ROI JSON from the first line that starts with `{`.
 * @throws AcqError `decode_failed` when a value is missing without which samples have no place
 */
export function parseMeta(name: string, text: string): RawLineScan {
  const json = text.search(/^\{/m);
  const header = parseScanImageText(json < 0 ? text : text.slice(0, json));
  if (!header) throw decodeFailed(`${name}: holds no header lines of ScanImage (SI.… = …)`);
  const channels = savedChannels(header);
  if (!channels) throw decodeFailed(`${name}: does not state which channels were saved (SI.hChannels.channelSave)`);
  return {
    channels,
    displays: channelDisplays(header, channels),
    lineScanSamplesPerFrame: samplesPerCycle(name, header),
    sampleRate: header.number('hScan2D.sampleRate'),
    scanFramePeriod:
      header.number('hRoiManager.scanFramePeriod') ?? inverse(header.number('hRoiManager.scanFrameRate')),
    channelsDataType: header.texts('hScan2D.channelsDataType')?.[0],
    framesPerSlice: header.number('hStackManager.framesPerSlice'),
  };
}

function samplesPerCycle(name: string, header: ScanImageHeader): number {
  const samples = header.number('hScan2D.lineScanSamplesPerFrame');
  if (samples !== undefined && Number.isInteger(samples) && samples >= 1) return samples;
  throw decodeFailed(
    `${name}: does not state how many samples one line has (SI.hScan2D.lineScanSamplesPerFrame is ${samples ?? 'missing'})`,
  );
}

function inverse(rate: number | undefined): number | undefined {
  return rate === undefined || rate <= 0 ? undefined : 1 / rate;
}

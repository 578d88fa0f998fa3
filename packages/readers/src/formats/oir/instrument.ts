/** The microscope of a recording, and the optics of its channels. Pure. */
import type { ChannelOptics } from '../../model/acquisition.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import { type FoundInstrument, toOptics } from '../../model/metadata/instrument.js';
import { usedScanner } from './arrange.js';
import type { Recording } from './recording.js';

/** Zoom and timing are those of the scanner in use: files describe both. */
export function instrumentOf({ properties }: Recording): FoundInstrument {
  const scanner = usedScanner(properties);
  const { instrument } = properties?.optics ?? {};
  return {
    ...instrument,
    zoom: scanner?.zoom ?? instrument?.zoom,
    pixelDwellSeconds: scaled(scanner?.pixelSpeed, 1e6),
    linePeriodSeconds: scaled(scanner?.lineSpeed, 1e3),
    bidirectional: scanner?.roundtrip,
  };
}

/** The document of the single channel fills what the description of the recording lacks. */
export function channelOptics({ properties, channelOptics }: Recording, id = ''): ChannelOptics {
  return { ...channelOptics.get(id), ...toOptics(properties?.optics.channels.get(id) ?? {}) };
}

/** Divides without the digits that a division adds. */
function scaled(value: number | undefined, divisor: number): number | undefined {
  return value === undefined ? undefined : withoutNoise(value / divisor);
}

/** Reads when each frame was taken, and at which depth, from the properties in front of its bands. */
import type { PlaneColumns } from '../../model/acquisition.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import { type Arranged, frameAt } from './arrange.js';
import { type Recording, readFrameProperties } from './recording.js';

/** The channels of a frame have the same values. The lines of a line scan have no time of their own. */
export function readColumns(recording: Recording, arranged: Arranged): PlaneColumns {
  const { t, z, lambda, channels, lineScan } = arranged;
  const lambdas = lambda.length;
  const valuesAt = (place: { t: number; z: number; channel: number }) => {
    const frame = frameAt(recording, arranged, { t: place.t, z: place.z, lambda: place.channel % lambdas });
    const positions = frame && readFrameProperties(frame)?.positions;
    const milliseconds = lineScan ? undefined : positions?.get('TIMELAPSE');
    return { time: milliseconds === undefined ? undefined : milliseconds / 1000, z: positions?.get('ZSTACK') };
  };
  const shape = { sizes: { T: t.length, Z: z.length }, channels: { length: channels.length * lambdas } };
  return collectColumns(shape, valuesAt, lambdas === 1 ? channels.length : 1);
}

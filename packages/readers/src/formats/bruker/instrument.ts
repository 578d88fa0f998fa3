/** What a recording was taken with. */
import type { ChannelOptics, SceneInfo } from '../../model/acquisition.js';
import { toIsoClock, type WallClock } from '../../model/metadata/dates.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { lookUp, lookUpText } from './parse.js';
import type { BrukerSceneSource } from './planes.js';
import { findPosition } from './positions.js';

/** Photomultipliers, and lasers. */
const MAX_DEVICES = 16;

/** Returns the instrument by the values of the first frame, else of its sequence, else of the recording. */
export function brukerInstrument({ plan, scan }: BrukerSceneSource, clock: WallClock): Pick<SceneInfo, 'instrument'> {
  const [sequence] = plan.sequences;
  const levels = [plan.frame, sequence, scan];
  const position = (axis: 'x' | 'y' | 'z') => findPosition(axis, plan.frame, sequence, scan).at;
  const dwell = lookUp('dwelltime', ...levels);
  return toInstrument({
    objective: {
      name: lookUpText('objectivelens', ...levels),
      magnification: lookUp('objectivelensmag', ...levels),
      numericalAperture: lookUp('objectivelensna', ...levels),
    },
    zoom: lookUp('opticalzoom', ...levels),
    // In microseconds.
    pixelDwellSeconds: dwell === undefined ? undefined : dwell / 1e6,
    linePeriodSeconds: lookUp('scanlineperiod', ...levels),
    stage: { x: position('x'), y: position('y'), z: position('z') },
    start: toIsoClock(clock),
  });
}

/**
 * Returns the optics of a channel: the gain whose description names it (`Ch 1 HV`), and the wavelength of the only laser.
 * The powers of lasers are in units of their own.
 */
export function brukerOptics({ plan, scan }: BrukerSceneSource, channel: number): ChannelOptics {
  const levels = [plan.frame, plan.sequences[0], scan];
  const devices = Array.from({ length: MAX_DEVICES }, (_, i) => i);
  const gain = devices.find(
    (i) => Number(/\d+/.exec(lookUpText(`pmtgain_${i}_description`, ...levels) ?? '')?.[0]) === channel,
  );
  const wavelengths = devices.map((i) => lookUp(`laserwavelength_${i}`, ...levels)).filter((nm) => nm !== undefined);
  return toOptics({
    gain: gain === undefined ? undefined : lookUp(`pmtgain_${gain}`, ...levels),
    excitationNm: wavelengths.length === 1 ? wavelengths[0] : undefined,
  });
}

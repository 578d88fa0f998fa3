/** What a ScanImage header says about the microscope. */
import type { ChannelOptics, SceneInfo } from '../acquisition.js';
import { toIsoClock, type WallClock } from './dates.js';
import { toInstrument, toOptics } from './instrument.js';
import type { SavedChannel, ScanImageHeader } from './scanimage.js';

/** Returns the instrument: zoom, dwell and line period, direction of the lines, and the position of the sample. */
export function scanImageInstrument(
  header: ScanImageHeader,
  { linePeriod, clock }: { linePeriod: number | undefined; clock: WallClock },
): Pick<SceneInfo, 'instrument'> {
  const [x, y, z] = header.numbers('hMotors.samplePosition', 'hMotors.motorPosition', 'motorPosition') ?? [];
  return toInstrument({
    zoom: header.number('hRoiManager.scanZoomFactor', 'scanZoomFactor', 'acq.zoomFactor'),
    pixelDwellSeconds: header.number('hScan2D.scanPixelTimeMean', 'scanPixelTimeMean', 'acq.pixelTime'),
    linePeriodSeconds: linePeriod,
    bidirectional: header.flag('hScan2D.bidirectional', 'bidirectionalAcq', 'acq.bidirectionalScan'),
    stage: { x, y, z },
    start: toIsoClock(clock),
  });
}

/**
 * Returns the optics of channels: the power of the only beam, and the photomultiplier whose name has the number of the
 * channel. Headers do not say which of several beams a channel was taken with.
 */
export function scanImageOptics(header: ScanImageHeader, channels: readonly SavedChannel[]): ChannelOptics[] {
  const powers = header.numbers('hBeams.powers', 'beamPowers') ?? [];
  const names = header.texts('hPmts.names') ?? [];
  const gains = header.numbers('hPmts.gains') ?? [];
  return channels.map(({ number }) => {
    const pmt = names.findIndex((name) => Number(/\d+/.exec(name)?.[0]) === number);
    return toOptics({
      laserPower: powers.length === 1 ? powers[0] : undefined,
      detector: names[pmt],
      gain: gains.length === names.length ? gains[pmt] : undefined,
    });
  });
}

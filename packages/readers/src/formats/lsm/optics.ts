/** Gathers microscope, detectors and lasers while the entries of ScanInformation are visited. */
import { withoutNoise } from '../../model/metadata/float32.js';
import type { FoundInstrument, FoundOptics } from '../../model/metadata/instrument.js';

/** A detection channel, in file order. */
interface Detection {
  acquired: boolean;
  optics: FoundOptics;
  track: Track;
}

interface Track {
  lines: { acquired: boolean; wavelength?: number; power?: number }[];
}

const TRACK = 0x40000000;
const DETECTION = 0x70000000;
const ILLUMINATION = 0x90000000;

export class OpticsCollector {
  private readonly found: FoundInstrument = {};
  private readonly detections: Detection[] = [];
  private track: Track = { lines: [] };

  get instrument(): FoundInstrument {
    return this.found;
  }

  start(id: number): void {
    if (id === TRACK) this.track = { lines: [] };
    else if (id === DETECTION) this.detections.push({ acquired: true, optics: {}, track: this.track });
    else if (id === ILLUMINATION) this.track.lines.push({ acquired: true });
  }

  /** @param value of an entry: a text, a whole number or a real one */
  take(id: number, value: string | number): void {
    const number = typeof value === 'number' ? value : undefined;
    const text = typeof value === 'string' ? value : undefined;
    const detection = this.detections.at(-1);
    const optics = detection?.optics ?? {};
    const line = this.track.lines.at(-1);
    if (id === 0x10000004) this.found.objective = objectiveNamed(text);
    else if (id === 0x10000016) this.found.zoom = number;
    // Microseconds.
    else if (id === 0x40000019) this.found.pixelDwellSeconds ??= withoutNoise((number ?? Number.NaN) / 1e6);
    else if (id === 0x70000003) optics.gain = number;
    else if (id === 0x70000009) optics.pinholeUm = number;
    else if (id === 0x7000000c) optics.detector = text;
    else if (id === 0x70000022 || id === 0x70000023) optics.emissionNm = [...bandOf(optics), number ?? Number.NaN];
    else if (id === 0x70000026) optics.fluorophore = text;
    else if (detection && id === 0x7000000b) detection.acquired = number !== 0;
    else if (line && id === 0x90000002 && number !== undefined) line.power = number;
    else if (line && id === 0x90000003 && number !== undefined) line.wavelength = number;
    else if (line && id === 0x90000004) line.acquired = number !== 0;
  }

  /** Returns the optics of each acquired detection channel. A track with several lasers does not say which excites it. */
  channels(): FoundOptics[] {
    return this.detections
      .filter(({ acquired }) => acquired)
      .map(({ optics, track }) => {
        const [line, ...others] = track.lines.filter(({ acquired }) => acquired);
        if (!line || others.length > 0) return optics;
        return { ...optics, excitationNm: line.wavelength, laserPower: line.power };
      });
  }
}

function bandOf({ emissionNm }: FoundOptics): number[] {
  return Array.isArray(emissionNm) ? emissionNm : [];
}

/** Zeiss names its objectives after what they are: `EC Plan-Neofluar 40x/1.30 Oil DIC M27`. No other field says it. */
function objectiveNamed(name: string | undefined): FoundInstrument['objective'] {
  const [, magnification, aperture, immersion] =
    /\b(\d+(?:\.\d+)?)x(?:\/(\d\.\d+)(?: (Oil|W)\b)?)?/.exec(name ?? '') ?? [];
  return {
    name,
    magnification: magnification === undefined ? undefined : Number(magnification),
    numericalAperture: aperture === undefined ? undefined : Number(aperture),
    immersion: immersion === 'W' ? 'Water' : immersion,
  };
}

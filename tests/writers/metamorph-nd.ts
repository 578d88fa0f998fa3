/** Sets of MetaMorph: the lines of a `.nd`, and a stack for each channel, position and time point. */
import { type StkPlane, writeStk } from './stk.js';
import { writeTiff } from './tiff.js';

export interface NdSpec {
  stem: string;
  /** Names of channels; without them the set has one, whose files have no `_w`. */
  waves?: string[];
  /** False for channels of one plane, which are `.TIF`. */
  wavesDoZ?: boolean[];
  stages?: string[];
  times?: number;
  sections?: number;
  /** Micrometers. */
  zStep?: number;
  width?: number;
  height?: number;
  /** Lines that the `.nd` has instead of those that are true. */
  lies?: Record<string, string | undefined>;
  version?: '1.0' | '2.0';
  /** What a plane has in its tags, in addition to its date and distance. */
  info?: (place: NdPlace) => Partial<StkPlane>;
  lineEnd?: string;
}

export interface NdPlace {
  wave: number;
  stage: number;
  time: number;
  z: number;
}

/** The Julian day of 2024-06-03, as MetaMorph counts. */
const DAY = 2_460_464;

/** The first sample of a plane; the others count on. */
export function firstSample({ wave, stage, time, z }: NdPlace): number {
  return 1000 * (1 + wave) + 300 * stage + 50 * time + 10 * z;
}

export function ndText(spec: NdSpec): string {
  const { waves = [], stages = [], times, sections = 1, zStep = 2, wavesDoZ = [], lies = {}, version = '1.0' } = spec;
  const flag = (value: boolean) => (value ? 'TRUE' : 'FALSE');
  const lines: [string, string][] = [
    ['NDInfoFile', `Version ${version}`],
    ['Description', 'Two lines,\nthe second one without a key'],
    ['StartTime1', '20240603 12:25:48.610'],
    ['DoTimelapse', flag(times !== undefined)],
    ...(times === undefined ? [] : [['NTimePoints', String(times)] as [string, string]]),
    ['DoStage', flag(stages.length > 0)],
    ['NStagePositions', String(stages.length)],
    ...stages.map((name, i): [string, string] => [`Stage${i + 1}`, `"${name}"`]),
    ['DoWave', flag(waves.length > 0)],
    ['NWavelengths', String(waves.length)],
    ...waves.flatMap((name, i): [string, string][] => [
      [`WaveName${i + 1}`, `"${name}"`],
      [`WaveDoZ${i + 1}`, flag(wavesDoZ[i] ?? true)],
    ]),
    ['DoZSeries', flag(sections > 1)],
    ['NZSteps', String(sections)],
    ['ZStepSize', String(zStep)],
    ['WaveInFileName', flag(true)],
  ];
  const said = lines.filter(([key]) => !(key in lies && lies[key] === undefined));
  const text = said.map(([key, value]) => `"${key}", ${lies[key] ?? value}`);
  return [...text, '"EndFile"', ''].join(spec.lineEnd ?? '\r\n');
}

/** Returns the files of a set by their names. */
export function ndSet(spec: NdSpec): Record<string, Uint8Array> {
  const { stem, waves = [''], wavesDoZ = [], stages = [''], times, sections = 1, version = '1.0' } = spec;
  const files: Record<string, Uint8Array> = { [`${stem}.nd`]: new TextEncoder().encode(ndText(spec)) };
  for (const [wave, waveName] of waves.entries()) {
    const planes = (wavesDoZ[wave] ?? true) ? sections : 1;
    const extension = version === '1.0' && planes > 1 ? 'stk' : 'TIF';
    for (const stage of stages.keys()) {
      for (let time = 0; time < (times ?? 1); time++) {
        const name = [
          stem,
          spec.waves ? `_w${wave + 1}${waveName.replace(/[_/\\()]/g, '-')}` : '',
          spec.stages ? `_s${stage + 1}` : '',
          times === undefined ? '' : `_t${time + 1}`,
        ].join('');
        files[`${name}.${extension}`] = stackOf(spec, { wave, stage, time }, planes);
      }
    }
  }
  return files;
}

function stackOf(spec: NdSpec, { wave, stage, time }: Omit<NdPlace, 'z'>, sections: number): Uint8Array {
  const { width = 5, height = 4, zStep = 2 } = spec;
  const planes = Array.from({ length: sections }, (_, z) => {
    const place = { wave, stage, time, z };
    const info: StkPlane = {
      z: [sections > 1 ? Math.round(zStep * 1000) : 0, 1000],
      created: [DAY, 45_000_000 + 1000 * wave + 10_000 * stage + 60_000 * time + 100 * z],
      ...spec.info?.(place),
    };
    const samples = Uint16Array.from({ length: width * height }, (_, i) => firstSample(place) + i);
    return { samples, info };
  });
  // A Buffer is a part of a shared one; what is read from memory is expected to have its own.
  return Uint8Array.from(writeStk({ width, height, planes, calibration: { x: [1, 4], y: [1, 4], units: 'um' } }));
}

/** A plain image in a set, as other programs save it again. @param pages one for each first sample */
export function plainPages(pages: number[], width = 5, height = 4): Uint8Array {
  return writeTiff({
    littleEndian: true,
    pages: pages.map((first) => ({
      ...{ width, height },
      samples: Uint16Array.from({ length: width * height }, (_, i) => first + i),
    })),
  });
}

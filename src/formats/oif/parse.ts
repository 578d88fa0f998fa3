import type { Ini } from '../../io/ini.js';

/** An axis as the main file describes it, in the file's own units. */
export interface RawAxis {
  code: string;
  /** Number of its sections. */
  index: number;
  /** 0 when the axis is not used. */
  maxSize: number;
  start: number | undefined;
  end: number | undefined;
  interval: number | undefined;
  unit: string;
}

export interface RawMain {
  /** Axis letters, fastest first: `XYCZT`, `XTC`. */
  axisOrder: string;
  axes: ReadonlyMap<string, RawAxis>;
  scanMode: string;
  date: string;
  /** Names of the active channels, in order. */
  channelNames: string[];
  /** `LightType` of the same channels: `Fluorescence`, `Transmitted Light`. */
  lightTypes: string[];
  /** Look-up tables of the channels, in order. */
  lutFiles: string[];
  referencePty: string[];
  roiFiles: string[];
}

/** A plane file: the numbers behind its letters. */
export interface RawPlaneName {
  file: string;
  letters: ReadonlyMap<string, number>;
  reference: number | undefined;
}

const PLANE_NAME = /(?:^|_)((?:[A-Z]\d{3,})+)(?:-R(\d{3,}))?\.tif$/i;

/** Planes and reference images of a list of names: `s_C001Z002T003.tif`, `s_C001-R001.tif`. */
export function parsePlaneNames(names: readonly string[]): RawPlaneName[] {
  const planes: RawPlaneName[] = [];
  for (const file of names) {
    const match = PLANE_NAME.exec(file);
    if (!match) continue;
    const letters = new Map<string, number>();
    for (const part of (match[1] as string).matchAll(/([A-Z])(\d+)/gi)) {
      letters.set((part[1] as string).toUpperCase(), Number(part[2]));
    }
    planes.push({ file, letters, reference: match[2] === undefined ? undefined : Number(match[2]) });
  }
  return planes;
}

export function parseMain(main: Ini): RawMain {
  const axes = new Map<string, RawAxis>();
  for (let i = 0; i < 9; i++) {
    const section = `Axis ${i} Parameters Common`;
    const code = main.text(section, 'AxisCode')?.toUpperCase();
    if (!code) continue;
    axes.set(code, {
      code,
      index: i,
      maxSize: Math.max(0, Math.trunc(main.number(section, 'MaxSize') ?? 0)),
      start: main.number(section, 'StartPosition'),
      end: main.number(section, 'EndPosition'),
      interval: main.number(section, 'Interval'),
      unit: main.text(section, 'UnitName') || main.text(section, 'PixUnit') || '',
    });
  }
  const acquisition = 'Acquisition Parameters Common';
  return {
    axisOrder: (main.text('Axis Parameter Common', 'AxisOrder') ?? '').toUpperCase(),
    axes,
    scanMode: (main.text(acquisition, 'ScanMode') ?? '').toUpperCase(),
    // The misspelling is the vendor's; later versions mended it.
    date: main.text(acquisition, 'ImageCaputreDate') ?? main.text(acquisition, 'ImageCaptureDate') ?? '',
    ...activeChannels(main),
    lutFiles: numbered(main, 'LutFileName'),
    referencePty: numbered(main, 'PtyFileNameReference'),
    roiFiles: numbered(main, 'RoiFileName'),
  };
}

/** The k-th active channel of the user interface owns the planes C00k. */
function activeChannels(main: Ini): Pick<RawMain, 'channelNames' | 'lightTypes'> {
  const active: string[] = [];
  const plain: string[] = [];
  for (let i = 1; i <= 64; i++) {
    const gui = `GUI Channel ${i} Parameters`;
    if (main.number(gui, 'CH Activate') === 1) active.push(gui);
    const own = `Channel ${i} Parameters`;
    if (main.text(own, 'CH Name') !== undefined) plain.push(own);
  }
  const sections = active.length > 0 ? active : plain;
  return {
    channelNames: sections.map((section) => main.text(section, 'CH Name') ?? ''),
    lightTypes: sections.map((section) => main.text(section, 'LightType') ?? ''),
  };
}

function numbered(main: Ini, key: string): string[] {
  const values: string[] = [];
  for (let i = 0; ; i++) {
    const value = main.text('ProfileSaveInfo', `${key}${i}`);
    if (value === undefined) return values;
    values.push(value);
  }
}

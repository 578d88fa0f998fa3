import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOle } from './ole.js';
import { writeTiff } from './tiff.js';

/** An Olympus FluoView set: what the settings say and which planes there are. */
export interface OifSpec {
  name?: string;
  axisOrder: string;
  scanMode?: string;
  /** Per axis letter: announced size, start, end, unit. */
  axes: Record<string, { maxSize: number; start?: number; end?: number; interval?: number; unit: string }>;
  /** Names of active channels; inactive ones stand between them in real files. */
  channels?: string[];
  /** `LightType` of the channels. */
  lightTypes?: string[];
  /** Look-up tables of the channels; an entry is red, green, blue. */
  luts?: ((index: number) => readonly [number, number, number])[];
  date?: string;
  dateKey?: string;
  /** Behind the second of the date. With it, there is a zoom. */
  milliseconds?: number;
  planes: OifPlane[];
  references?: OifPlane[];
  /** Text of `RoiFileName0`. */
  roi?: string;
  encoding?: 'utf16' | 'utf16-without-mark' | 'utf8';
  /** Names of files that are left out. */
  omit?: string[];
}

export interface OifPlane {
  /** Letters and number: `C001T002`, or `C001-R001` for a reference. */
  id: string;
  rows: number;
  columns: number;
  value(row: number, column: number): number;
  /** `[Image Parameters]` of its `.pty`. */
  pixel?: { width: number; height: number; heightUnit: string };
  timePerLineUs?: number;
  /** More lines of `[Acquisition Parameters Common]` of its `.pty`. */
  acquisition?: string[];
  /** When its frame was taken, as `AbsPositionValue` of the T axis. */
  timeMs?: number;
  /** Position of the drive in nm, as `AbsPositionValue` of the Z axis, and of the piezo. */
  depthNm?: number;
  piezoNm?: number;
  roiFileName?: string;
  compression?: number;
}

/** All files of the set by base name, the main file first. */
export function oifFiles(spec: OifSpec): { name: string; bytes: Uint8Array }[] {
  const name = spec.name ?? 'mini.oif';
  const text = (value: string) => encode(value, spec.encoding ?? 'utf16');
  const files = [{ name, bytes: text(mainText(spec, name)) }];
  for (const plane of [...spec.planes, ...(spec.references ?? [])]) {
    files.push({ name: `s_${plane.id}.tif`, bytes: planeTiff(plane) });
    files.push({ name: `s_${plane.id}.pty`, bytes: text(ptyText(plane)) });
  }
  if (spec.roi !== undefined) files.push({ name: 's_line.roi', bytes: text(spec.roi) });
  for (const [i, lut] of (spec.luts ?? []).entries()) {
    files.push({ name: `s_LUT${i + 1}.lut`, bytes: lutBytes(text(LUT_HEADER), lut) });
  }
  files.push({ name: 's_Thumb.bmp', bytes: new Uint8Array(40) });
  return files.filter((file) => !spec.omit?.includes(file.name));
}

/** Writes `<name>.oif` and its folder; returns the path of the main file. */
export function writeOif(folder: string, spec: OifSpec): string {
  const [main, ...files] = oifFiles(spec);
  if (!main) throw new Error('no main file');
  const inside = join(folder, `${main.name}.files`);
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(folder, main.name), main.bytes);
  for (const file of files) writeFileSync(join(inside, file.name), file.bytes);
  return join(folder, main.name);
}

/** The same set packed into one compound file. */
export function writeOib(spec: OifSpec, options: { version?: 3 | 4; junkHighSize?: boolean } = {}): Uint8Array {
  const files = oifFiles(spec);
  const main = files[0]?.name ?? '';
  const lines = ['[OibSaveInfo]', 'Version=2.0.0.0', 'Name=COFAImages', 'Compression=None'];
  lines.push('MainFileName=Stream00000', `Storage00001=${main}.files`);
  const streams = files.map(({ name, bytes }, i) => {
    const id = `Stream${String(i).padStart(5, '0')}`;
    lines.push(i === 0 ? `${id}=${name}` : `${id}=Storage00001/${name}`);
    return { path: i === 0 ? id : `Storage00001/${id}`, bytes };
  });
  const info = { path: 'OibInfo.txt', bytes: encode(`${lines.join('\r\n')}\r\n`, 'utf16') };
  return writeOle([info, ...streams], options);
}

/** A ROI file with one shape: 3 line, 4 polyline, 10 free line. */
export function roiText(shape: number, x: number[], y: number[], name = '2'): string {
  return (
    '[FileInformation]\r\nName="line"\r\n[ROI Body]\r\n[2D]\r\n' +
    `[ROIBase FileInformation]\r\nName="${name}"\r\n[ROIBase Body]\r\nSHAPE=${shape}\r\nX=${x.join(',')}\r\nY=${y.join(',')}\r\n`
  );
}

function mainText(spec: OifSpec, name: string): string {
  const files = `${name}.files\\`;
  const lines = ['[Acquisition Parameters Common]'];
  lines.push(
    `${spec.dateKey ?? 'ImageCaputreDate'}=${spec.date ?? "'2012-07-26 15:13:35'"}`,
    ...(spec.milliseconds === undefined ? [] : ['ZoomValue=2', `ImageCaputreDate+MilliSec=${spec.milliseconds}`]),
    `ScanMode="${spec.scanMode ?? ''}"`,
  );
  for (const [i, code] of [...'XYCZTALPQ'].entries()) {
    const axis = spec.axes[code];
    lines.push(`[Axis ${i} Parameters Common]`, `AxisCode="${code}"`, `MaxSize=${axis?.maxSize ?? 0}`);
    lines.push(`StartPosition=${axis?.start ?? 0}`, `EndPosition=${axis?.end ?? 0}`, `UnitName="${axis?.unit ?? ''}"`);
    if (axis?.interval !== undefined) lines.push(`Interval=${axis.interval}`);
  }
  lines.push('[Axis Parameter Common]', 'AxisCount=9', `AxisOrder="${spec.axisOrder}"`);
  for (const [i, channel] of (spec.channels ?? []).entries()) {
    // An inactive channel of the user interface before each active one: numbers alone do not tell which is which.
    lines.push(`[GUI Channel ${2 * i + 1} Parameters]`, 'CH Activate=0', 'CH Name="TD1"');
    lines.push(`[GUI Channel ${2 * i + 2} Parameters]`, 'CH Activate=1', `CH Name="${channel}"`);
    lines.push(`LightType="${spec.lightTypes?.[i] ?? 'Fluorescence'}"`);
  }
  lines.push(
    '[ProfileSaveInfo]',
    'Name="COFAImages"',
    'Version="2.0.0.0"',
    `PtyFileNameS="${files}s_${spec.planes[0]?.id}.pty"`,
  );
  for (const i of (spec.luts ?? []).keys()) lines.push(`LutFileName${i}="${files}s_LUT${i + 1}.lut"`);
  if (spec.roi !== undefined) lines.push(`RoiFileName0="${files}s_line.roi"`);
  lines.push('[Reference Image Parameter]', 'ImageDepth=2', 'ValidBitCounts=12');
  lines.push('[Version Info]', 'SystemName="FLUOVIEW FV1000"', 'SystemVersion="3.1.2.2"', 'FileVersion="1.2.6.0"');
  return `${lines.join('\r\n')}\r\n`;
}

const LUT_HEADER = '[Red]\r\nContrast=100\r\n[FileInformation]\r\nResolution=65536\r\n[ColorLUTData]\r\n';

/** Text, then 65,536 entries of blue, green, red and 0. */
function lutBytes(head: Uint8Array, lut: NonNullable<OifSpec['luts']>[number]): Uint8Array {
  const bytes = new Uint8Array(head.length + 4 * 65_536);
  bytes.set(head);
  for (let i = 0; i < 65_536; i++) {
    const [red, green, blue] = lut(i);
    bytes.set([blue, green, red], head.length + 4 * i);
  }
  return bytes;
}

function ptyText(plane: OifPlane): string {
  const lines = ['[Acquisition Parameters Common]', ...(plane.acquisition ?? [])];
  if (plane.timePerLineUs !== undefined) lines.push(`Time Per Line="${plane.timePerLineUs.toFixed(3)}"`);
  if (plane.timeMs !== undefined) {
    lines.push('[Axis 4 Parameters]', `AbsPositionValue=${plane.timeMs.toFixed(1)}`, 'AbsPositionUnitName="ms"');
  }
  if (plane.depthNm !== undefined) {
    lines.push('[Axis 3 Parameters]', `AbsPositionValue=${plane.depthNm.toFixed(1)}`, 'AbsPositionUnitName="nm"');
    lines.push(`Piezo AbsPositionValue=${plane.piezoNm ?? 0}`, 'Piezo AbsPositionUnitName="nm"');
  }
  lines.push('[Image Parameters]', `ImageGroup="${plane.id.includes('-R') ? 'Reference' : 'Normal'}"`);
  if (plane.pixel) {
    lines.push(`WidthConvertValue=${plane.pixel.width}`, 'WidthUnit="um"');
    lines.push(`HeightConvertValue=${plane.pixel.height}`, `HeightUnit="${plane.pixel.heightUnit}"`);
  }
  if (plane.roiFileName) lines.push('[ROI Parameter]', `ROIFileName="${plane.roiFileName}"`);
  return `${lines.join('\r\n')}\r\n`;
}

function planeTiff(plane: OifPlane): Uint8Array {
  const samples = new Uint16Array(plane.rows * plane.columns);
  for (let y = 0; y < plane.rows; y++) {
    for (let x = 0; x < plane.columns; x++) samples[y * plane.columns + x] = plane.value(y, x);
  }
  const page = {
    width: plane.columns,
    height: plane.rows,
    samples,
    rowsPerStrip: 128,
    compression: plane.compression ?? 1,
  };
  return writeTiff({ pages: [page] });
}

function encode(text: string, encoding: NonNullable<OifSpec['encoding']>): Uint8Array {
  if (encoding === 'utf8') return new TextEncoder().encode(text);
  const bytes = Buffer.from(encoding === 'utf16' ? `\ufeff${text}` : text, 'utf16le');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

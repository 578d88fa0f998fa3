/** Writes an Olympus FluoView set: a line scan with its reference image, the simplest format that has one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeTiff } from './write-tiff.js';

export interface LineScan {
  lines: number;
  pixels: number;
  /** Samples of each channel. */
  channels: readonly Uint16Array[];
  secondsPerLine: number;
  micrometersPerPixel: number;
  reference: { rows: number; columns: number; samples: Uint16Array };
  /** Vertices of the scanned line on the reference. */
  path: { x: readonly number[]; y: readonly number[] };
}

/** @param path of the `.oif`; the folder with its parts is written beside it */
export function writeOif(path: string, scan: LineScan): void {
  const folder = `${path}.files`;
  mkdirSync(folder);
  writeFileSync(path, toText(settings(scan, basename(folder))));
  const line = { width: scan.micrometersPerPixel, height: 1000 * scan.secondsPerLine, heightUnit: 'ms' };
  for (const [c, samples] of scan.channels.entries()) {
    const name = join(folder, `s_C00${c + 1}`);
    writeTiff(`${name}.tif`, { rows: scan.lines, columns: scan.pixels, pages: [samples] });
    writeFileSync(`${name}.pty`, toText(properties('Normal', line, scan.secondsPerLine)));
  }
  const { rows, columns, samples } = scan.reference;
  const name = join(folder, 's_C001-R001');
  writeTiff(`${name}.tif`, { rows, columns, pages: [samples] });
  const square = { width: scan.micrometersPerPixel, height: scan.micrometersPerPixel, heightUnit: 'um' };
  writeFileSync(`${name}.pty`, toText(properties('Reference', square)));
  writeFileSync(join(folder, 's_line.roi'), toText(region(scan.path)));
}

function settings(
  { lines, pixels, channels, secondsPerLine, micrometersPerPixel }: LineScan,
  folder: string,
): string[] {
  const axes: Record<string, [size: number, end: number, unit: string]> = {
    X: [pixels, pixels * micrometersPerPixel, 'um'],
    T: [lines, 1000 * secondsPerLine * (lines - 1), 'ms'],
    C: [channels.length, 0, 'Ch'],
  };
  return [
    '[Acquisition Parameters Common]',
    'ScanMode="XT"',
    ...[...'XYCZTALPQ'].flatMap((code, i) => {
      const [size, end, unit] = axes[code] ?? [0, 0, ''];
      const range = [`MaxSize=${size}`, 'StartPosition=0', `EndPosition=${end}`, `UnitName="${unit}"`];
      return [`[Axis ${i} Parameters Common]`, `AxisCode="${code}"`, ...range];
    }),
    '[Axis Parameter Common]',
    'AxisCount=9',
    'AxisOrder="XTC"',
    ...channels.flatMap((_, c) => [`[GUI Channel ${c + 1} Parameters]`, 'CH Activate=1', `CH Name="CHS${c + 1}"`]),
    '[ProfileSaveInfo]',
    'Name="COFAImages"',
    'Version="2.0.0.0"',
    `PtyFileNameS="${folder}\\s_C001.pty"`,
    `RoiFileName0="${folder}\\s_line.roi"`,
    '[Reference Image Parameter]',
    'ImageDepth=2',
    'ValidBitCounts=12',
    '[Version Info]',
    'SystemName="FLUOVIEW FV1000"',
    'FileVersion="1.2.6.0"',
  ];
}

interface PixelSize {
  width: number;
  height: number;
  heightUnit: string;
}

function properties(group: string, pixel: PixelSize, secondsPerLine?: number): string[] {
  return [
    '[Acquisition Parameters Common]',
    ...(secondsPerLine === undefined ? [] : [`Time Per Line="${(1e6 * secondsPerLine).toFixed(3)}"`]),
    '[Image Parameters]',
    `ImageGroup="${group}"`,
    `WidthConvertValue=${pixel.width}`,
    'WidthUnit="um"',
    `HeightConvertValue=${pixel.height}`,
    `HeightUnit="${pixel.heightUnit}"`,
  ];
}

const POLYLINE = 4;

function region({ x, y }: LineScan['path']): string[] {
  return [
    '[FileInformation]',
    'Name="line"',
    '[ROI Body]',
    '[2D]',
    '[ROIBase FileInformation]',
    'Name="2"',
    '[ROIBase Body]',
    `SHAPE=${POLYLINE}`,
    `X=${x.join(',')}`,
    `Y=${y.join(',')}`,
  ];
}

/** The texts of a set are UTF-16 with a byte order mark. */
function toText(lines: readonly string[]): Buffer {
  return Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`, 'utf16le');
}

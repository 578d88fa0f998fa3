/** All planes of the open channels as a hyperstack for ImageJ and Fiji: one TIFF file, channels first, then sections. */
import { hasCode, type PlaneColumns } from '@acquisition-store/client';
import { toUtf16 } from '@acquisition-store/readers/base/bytes.js';
import { encodeMetadata, MAX_COMPOSITE } from '@acquisition-store/readers/derive/writers/imagej-text.js';
import { fetchPlane, sampleBytes } from '../app/fetch-plane.ts';
import { lutTable } from '../luts/luts.ts';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import { formatBytes } from '../model/number-text.ts';
import type { Samples } from '../model/samples.ts';
import { Kymograph } from '../stack/kymograph.ts';
import { type StackAxis, stackAxis } from '../stack/place.ts';
import { littleEndianBytes } from './bytes.ts';
import { fileName } from './file-name.ts';
import type { Job } from './jobs.ts';
import { type SampleType, sampleType } from './sample-type.ts';
import { type TiffStack, tiffHeader } from './tiff.ts';

/** Types that the page has exactly. The export of the command line writes the others. */
const EXACT: ReadonlySet<string> = new Set(['uint8', 'int8', 'uint16', 'int16', 'float16', 'float32']);
/** Max bytes of samples: offsets have 32 bits. The rest is for the header. */
const MAX_BYTES = 2 ** 32 - 2 ** 26;
/** ImageJ holds a label of each image in memory; the page holds what is known of each plane of the file. */
const MAX_LABELS = 100_000;
const LUT_COLORS = 256;

interface StackSizes {
  readonly C: number;
  readonly Z: StackAxis;
  readonly T: StackAxis;
}

/** Returns the file with all planes; none for a single plane, a projection, and what the page cannot write exactly. */
export function stackJobs({ document, pane }: { document: AcquisitionDocument; pane: Pane }): Job[] {
  const [info, opened] = [document.info.value, document.opened.value];
  const { channels, shape } = pane;
  const [Z, T] = [stackAxis(info, 'Z'), stackAxis(info, 'T')];
  const images = channels.length * Z.size * T.size;
  const bytes = images * shape[0] * shape[1] * sampleBytes(opened, 'source');
  const isWhole = pane.kind === 'source' && !(opened instanceof Kymograph) && !info.projection;
  const isExact = EXACT.has(info.header.dtype) && channels.every(({ far }) => far.value === null);
  if (!isWhole || !isExact || images < 2 || bytes > MAX_BYTES) return [];
  const sizes = { C: channels.length, Z, T };
  return [
    {
      id: 'imagej-stack',
      label: `All channels, sections and time points for ImageJ (TIFF, ${formatBytes(bytes)})`,
      name: fileName(info.source.name, { kind: 'source', channel: null }, 'imagej.tif'),
      async make(signal, onProgress) {
        const parts: Blob[] = [];
        let type: SampleType | null = null;
        for (let image = 0; image < images; image++) {
          const section = Math.floor(image / sizes.C);
          const place = {
            channel: channels[image % sizes.C]!.index,
            t: T.size > 1 ? Math.floor(section / Z.size) : undefined,
            z: Z.size > 1 ? section % Z.size : undefined,
          };
          const samples = toImageJ(await fetchPlane(opened, { kind: 'source', ...place }, { signal }));
          type ??= sampleType(samples);
          // The browser may keep its parts on disk.
          parts.push(new Blob([littleEndianBytes(samples)]));
          onProgress((image + 1) / images);
        }
        const stack = describeStack(channels, sizes, await readLabels(document, pane, { sizes, signal }));
        const axes = [pane.plane.axes[0]!, pane.plane.axes[1]!] as const;
        const range = channels[0]!.display.peek();
        const header = tiffHeader({ shape, axes, range, note: paneNote(document, pane), stack }, type!);
        return new Blob([header, ...parts], { type: 'image/tiff' });
      },
    },
  ];
}

/** ImageJ has no signed type of 8 bits. */
function toImageJ(samples: Samples): Samples {
  return samples instanceof Int8Array ? Int16Array.from(samples) : samples;
}

/** Returns what is beside the samples: sizes, distances, and labels, ranges and tables of the channels. */
function describeStack(
  channels: readonly Pick<ChannelView, 'name' | 'display'>[],
  { C, Z, T }: StackSizes,
  labels: readonly Uint8Array[],
): TiffStack {
  const images = C * Z.size * T.size;
  const displays = channels.map(({ display }) => display.peek());
  const luts = displays.map(({ lut, invert }) => planar(lutTable(lut, invert)));
  const ranges = Float64Array.from(displays.flatMap(({ min, max }) => [min, max]));
  return {
    lines: [
      `images=${images}`,
      ...(C > 1 ? [`channels=${C}`] : []),
      ...(Z.size > 1 ? [`slices=${Z.size}`] : []),
      ...(T.size > 1 ? [`frames=${T.size}`] : []),
      'hyperstack=true',
      ...(C > 1 ? [`mode=${C <= MAX_COMPOSITE ? 'composite' : 'color'}`] : []),
      ...(Z.size > 1 && Z.step !== null ? [`spacing=${Z.step}`, 'zunit=micron'] : []),
      ...(T.size > 1 && T.step !== null ? [`finterval=${T.step}`, 'tunit=sec', `fps=${1 / T.step}`] : []),
      'loop=false',
    ],
    colors: C === 1 ? luts[0]! : null,
    metadata: encodeMetadata([
      { type: 'labl', items: labels },
      { type: 'rang', items: C > 1 ? [littleEndianBytes(ranges)] : [] },
      { type: 'luts', items: C > 1 ? luts : [] },
    ]),
  };
}

/** When and how deep a plane was taken; NaN where the file does not say it. */
type PlaneValue = (column: 'time' | 'z', place: { t: number; z: number; channel: number }) => number;

/** Returns `GFP t=12.5 s z=3 µm` for each image, as far as it has a name and measured values; nothing without either. */
async function readLabels(
  document: AcquisitionDocument,
  { channels }: Pane,
  { sizes: { C, Z, T }, signal }: { sizes: StackSizes; signal: AbortSignal },
): Promise<Uint8Array[]> {
  const info = document.info.peek();
  if (info.header.numChannels * Z.size * T.size > MAX_LABELS) return [];
  const valueAt = toPlaneValue(document, await readTable(document, signal));
  if (C === 1 && valueAt === null) return [];
  return Array.from({ length: C * Z.size * T.size }, (_, image) => {
    const section = Math.floor(image / C);
    const channel = channels[image % C]!;
    const place = { t: Math.floor(section / Z.size), z: section % Z.size, channel: channel.index };
    const text = (letter: string, value: number | undefined, unit: string) =>
      value === undefined || Number.isNaN(value) ? [] : [`${letter}=${Number(value.toPrecision(9))} ${unit}`];
    const parts = [...text('t', valueAt?.('time', place), 's'), ...text('z', valueAt?.('z', place), 'µm')];
    return toUtf16([...(C > 1 ? [channel.name] : []), ...parts].join(' '));
  });
}

/** What only describes may be corrupted: the samples are saved without it. */
async function readTable(document: AcquisitionDocument, signal: AbortSignal): Promise<Partial<PlaneColumns>> {
  try {
    return (await document.opened.peek().planes?.({ signal })) ?? {};
  } catch (error) {
    if (hasCode(error, 'decode_failed')) return {};
    throw error;
  }
}

/**
 * Returns what is known of the single planes, or of the axes where nothing is known of single ones; null without both. A
 * step that the user entered replaces what was measured.
 */
function toPlaneValue({ info, measured, calibration }: AcquisitionDocument, table: Partial<PlaneColumns>) {
  const { numChannels, sizes } = info.peek().header;
  const entered = calibration.peek() ?? {};
  const rowOf = ({ t, z, channel }: Parameters<PlaneValue>[1]) => (t * (sizes['Z'] ?? 1) + z) * numChannels + channel;
  const [time, depth] = [entered.T ? undefined : table.time, entered.Z ? undefined : table.z];
  const { T, Z } = measured.peek();
  if (!time && !depth && !T && !Z) return null;
  const valueAt: PlaneValue = (column, place) =>
    column === 'time'
      ? (time?.[rowOf(place)] ?? T?.values[place.t] ?? Number.NaN)
      : (depth?.[rowOf(place)] ?? Z?.values[place.z] ?? Number.NaN);
  return valueAt;
}

/** Returns all red components, then all green and all blue ones. */
function planar(table: Uint8Array): Uint8Array {
  return Uint8Array.from(
    { length: 3 * LUT_COLORS },
    (_, i) => table[3 * (i % LUT_COLORS) + Math.floor(i / LUT_COLORS)]!,
  );
}

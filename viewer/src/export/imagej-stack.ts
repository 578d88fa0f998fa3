/** All planes of the open channels as a hyperstack for ImageJ and Fiji: one TIFF file, channels first, then sections. */
import { fetchPlane, sampleBytes } from '../app/fetch-plane.ts';
import { lutTable } from '../luts/luts.ts';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import type { MeasuredAxes } from '../model/measured-axis.ts';
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
/** ImageJ holds a label of each image in memory. */
const MAX_LABELS = 100_000;
/** ImageJ shows more channels one at a time. */
const MAX_COMPOSITE = 7;
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
        const stack = describeStack(channels, sizes, document.measured.peek());
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
  measured: MeasuredAxes,
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
      { type: 'labl', items: images <= MAX_LABELS ? toLabels(channels, { C, Z, T }, measured) : [] },
      { type: 'rang', items: C > 1 ? [littleEndianBytes(ranges)] : [] },
      { type: 'luts', items: C > 1 ? luts : [] },
    ]),
  };
}

/** Returns `GFP t=12.5 s z=3 µm` for each image, as far as it has a name and measured values; nothing without either. */
function toLabels(
  channels: readonly Pick<ChannelView, 'name'>[],
  { C, Z, T }: StackSizes,
  measured: MeasuredAxes,
): Uint8Array[] {
  if (C === 1 && !measured.T && !measured.Z) return [];
  const value = (letter: string, at: number | undefined, unit: string) =>
    at === undefined || Number.isNaN(at) ? [] : [`${letter}=${Number(at.toPrecision(9))} ${unit}`];
  return Array.from({ length: C * Z.size * T.size }, (_, image) => {
    const section = Math.floor(image / C);
    const [t, z] = [Math.floor(section / Z.size), section % Z.size];
    const name = C > 1 ? [channels[image % C]!.name] : [];
    const parts = [...name, ...value('t', measured.T?.values[t], 's'), ...value('z', measured.Z?.values[z], 'µm')];
    return utf16(parts.join(' '));
  });
}

/** Returns all red components, then all green and all blue ones. */
function planar(table: Uint8Array): Uint8Array {
  return Uint8Array.from(
    { length: 3 * LUT_COLORS },
    (_, i) => table[3 * (i % LUT_COLORS) + Math.floor(i / LUT_COLORS)]!,
  );
}

/** Returns a header with the magic `JIJI` and pairs of type and count, then the items; null without items. */
function encodeMetadata(kinds: readonly { type: string; items: readonly Uint8Array[] }[]): TiffStack['metadata'] {
  const used = kinds.filter(({ items }) => items.length > 0);
  if (used.length === 0) return null;
  const header = new Uint8Array(4 + 8 * used.length);
  header.set(latin1('JIJI'));
  for (const [i, { type, items }] of used.entries()) {
    header.set(latin1([...type].reverse().join('')), 4 + 8 * i);
    new DataView(header.buffer).setUint32(8 + 8 * i, items.length, true);
  }
  const parts = [header, ...used.flatMap(({ items }) => items)];
  const block = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    block.set(part, end);
    end += part.length;
  }
  return { counts: parts.map(({ length }) => length), block };
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function utf16(text: string): Uint8Array {
  return littleEndianBytes(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
}

/** The tool that writes a plane to the export folder. */
import { WindowQuery } from '@acquisition-store/client/contract/analysis.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { OutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import { type Static, Type } from 'typebox';
import type { FileSink } from '../../export/sink.js';
import { drawPicture, PICTURE_FIELDS, spanOf } from './draw-picture.js';
import { type Context, channelPath, defineTool, inputOf, OF_CHANNEL } from './tool.js';
import { ToolError } from './tool-error.js';

const EXTENSIONS = { npy: '.npy', csv: '.csv', png: '.png' } as const;
/** Max width and height of an exported image. */
const MAX_PIXELS = 2_048;
/** More is slow to open in any program. */
const MAX_CSV_SAMPLES = 10_000_000;
/** Samples of a CSV file that are in memory at a time. */
const BAND_SAMPLES = 2 ** 18;

const { rows, columns } = WindowQuery.properties;

const ExportInput = inputOf({
  ...OF_CHANNEL,
  ...PICTURE_FIELDS,
  rows,
  columns,
  to: Type.Enum(['npy', 'csv', 'png'], {
    type: 'string',
    description:
      '`npy`: a NumPy file in the sample type of the recording. `csv`: one line of text per row, float32, at most ' +
      `${grouped(MAX_CSV_SAMPLES)} samples. \`png\`: a grayscale image of at most ${grouped(MAX_PIXELS)} × ${grouped(MAX_PIXELS)} pixels, to look at; ` +
      '`statistic`, `low` and `high` are for it.',
  }),
  name: Type.String({ minLength: 1, description: 'Name of the new file, without a folder.' }),
  overwrite: Type.Optional(
    Type.Boolean({ description: 'Replaces a file of this name. Set it only when the user has agreed.' }),
  ),
});
type ExportInput = Static<typeof ExportInput>;

export const EXPORT_TOOL = defineTool({
  name: 'export',
  title: 'Export a plane',
  description: 'Writes a plane, or a part of it, to a new file in the export folder.',
  input: ExportInput,
  writes: true,
  async run({ name, overwrite = false, ...input }, context) {
    const { exportFolder } = context;
    if (!exportFolder) throw new ToolError('export_not_allowed', 'The server was started without --export-folder.');
    const to = input.to;
    let bytes = 0;
    const file = await exportFolder.write(name, { extension: EXTENSIONS[to], overwrite }, async (sink) => {
      await WRITERS[to](input, context, sink);
      bytes = sink.length;
    });
    return { data: { file, bytes } };
  },
});

type WritePlane = (input: Omit<ExportInput, 'name' | 'overwrite'>, context: Context, sink: FileSink) => Promise<void>;

const WRITERS: Record<ExportInput['to'], WritePlane> = {
  async npy({ rows, columns, T, Z, ...input }, context, sink) {
    const query = { rows, columns, T, Z, as: 'npy', type: 'native' };
    const { signal } = context;
    const response = await context.link.send(`${channelPath(input, context)}/window`, { query, signal });
    for await (const part of response.body ?? []) sink.write(part as Uint8Array);
  },

  async csv({ rows, columns, T, Z, ...input }, context, sink) {
    const { shape } = context.acquisitions.find(input.acquisition);
    const [first, end] = spanOf(rows, shape[0]);
    const [firstColumn, endColumn] = spanOf(columns, shape[1]);
    const width = endColumn - firstColumn;
    if ((end - first) * width > MAX_CSV_SAMPLES) {
      const text = `would have ${grouped((end - first) * width)} samples; the limit of a CSV file is ${grouped(MAX_CSV_SAMPLES)}. Export it as npy.`;
      throw new OutputError('not_representable', 'The CSV file', text);
    }
    const band = Math.max(1, Math.floor(BAND_SAMPLES / Math.max(1, width)));
    const path = `${channelPath(input, context)}/window`;
    // An empty or reversed span is refused by the server.
    for (let row = first; row < Math.max(end, first + 1); row += band) {
      const query = { rows: `${row}:${Math.min(end, row + band)}`, columns, T, Z };
      const { shape: part, values } = await context.link.floats(path, { query, signal: context.signal });
      sink.write(Buffer.from(toLines(values, part[1] ?? 1)));
    }
  },

  async png({ to, ...input }, context, sink) {
    const { png } = await drawPicture(input, MAX_PIXELS, context);
    sink.write(png);
  },
};

function toLines(values: Float32Array, columns: number): string {
  let text = '';
  for (let at = 0; at < values.length; at += columns) {
    text += `${Array.from(values.subarray(at, at + columns), toCell).join(',')}\n`;
  }
  return text;
}

/** Returns text that numpy, R and MATLAB read as the same number. */
function toCell(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf';
}

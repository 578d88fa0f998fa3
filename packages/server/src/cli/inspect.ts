import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import type { Recording } from '@acquisition-store/client/contract/recording.js';
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import { clockText, grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { describeInstrument, describeOptics } from '@acquisition-store/readers/model/metadata/instrument-text.js';
import { toTable } from './table.js';
import { visible } from './visible.js';

const UNITS: Record<string, string> = { seconds: 's', micrometer: 'µm' };

/** Formats the answer as text. */
export function toText(answer: OpenDescription): string {
  const { source, header, reference, selection } = answer;
  const recorded = clockText(header);
  const rows = [
    ['file', `${source.path}${header.fileSize && ` (${header.fileSize})`}`],
    ['format', source.format],
    ['samples', header.dtype],
    ['recorded', recorded || 'unknown'],
  ];
  // A start without a fraction or an offset from UTC says nothing more.
  rows.push(...describeInstrument(source.instrument).filter(([, text]) => text !== recorded.replace(' ', 'T')));
  if (selection) rows.push(['showing', pairs(selection)]);
  if (source.recording) rows.push(['recording', partsText(answer, source.recording)]);
  const channels = answer.channels.map((channel) => {
    const { index, name, color, role } = channel;
    return [index, name, color, role, describeOptics(channel) || undefined]
      .filter((part) => part !== undefined)
      .join('  ');
  });
  const parts = [toTable(rows), toTable(dimensionRows(answer), '  '), list('channels', channels)];
  const scenes = (source.scenes ?? []).map(({ index, name, sizes }) => `${index}  ${name}  (${pairs(sizes)})`);
  if (scenes.length > 0) parts.push(list('scenes', scenes));
  if (reference) {
    const [rows, columns] = reference.plane.shape;
    const line = reference.lineRoi ? `, line (${reference.lineRoi.join(', ')})` : '';
    parts.push(`reference image  ${rows} × ${columns}, ${plural(reference.channels.length, 'channel')}${line}`);
  }
  parts.push(list('warnings', answer.warnings));
  if (source.metadata) parts.push(metadataTable(source.metadata));
  return parts.filter((part) => part !== '').join('\n\n');
}

function partsText({ parts: shown }: OpenDescription, { parts, part, along, evidence, master }: Recording): string {
  const by = `along ${along.join(', ')}, by ${master ?? evidence}`;
  if (shown === 'all') return `${plural(parts, 'file')}, ${by}`;
  const [others, look] =
    parts === 2 ? ['1 more file', 'looks like a part'] : [`${grouped(parts - 1)} more files`, 'look like parts'];
  return `file ${grouped(part + 1)} of ${grouped(parts)}: ${others} ${look} of this recording (${by}). --parts all opens all.`;
}

function pairs(selection: Record<string, number>): string {
  const texts = Object.entries(selection).map(([dim, index]) => `${dim} ${index}`);
  return texts.join(', ');
}

function dimensionRows({ header }: OpenDescription): string[][] {
  const rows = header.dims.map((dim, i) => {
    const unit = UNITS[header.physicalUnitsLabels[i] ?? ''];
    const step = unit ? `${Number((header.physicalUnits[i] ?? 1).toPrecision(9))} ${unit}` : '';
    const measured = header.coordinates?.[dim as 'T' | 'Z' | 'Y'];
    const by = measured ? `, ${measured.source}${measured.uneven ? ', uneven' : ''}` : '';
    return [dim, String(header.sizes[dim]), step, unit ? `${header.calibration[i] ?? ''}${by}` : ''];
  });
  return [['dim', 'size', 'step', 'from'], ...rows];
}

function metadataTable({ entries, truncated }: VendorMetadata): string {
  if (entries.length === 0) return 'metadata  none';
  const rows = entries.map(({ name, value, note }) => [name, [value, note && `(${note})`].filter(Boolean).join(' ')]);
  const end = truncated ? '\n  … and more, which are not listed' : '';
  return `metadata\n${toTable(rows, '  ')}${end}`;
}

/** Formats a list, shortened to 20 items; the JSON has all of them. */
function list(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, 20).map(visible);
  const rest = items.length - shown.length;
  return [title, ...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n  ');
}

/** Writes Prairie View recordings: the master XML of versions 5 and 4, its planes and source images. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeTiff } from './tiff.js';

/** Values of a state shard; a record is an indexed value, a record in it a subindexed one. */
export interface BrukerState {
  [key: string]: number | string | Record<string, number | Record<string, number>>;
}

export interface BrukerFrame {
  relativeTime?: number;
  absoluteTime?: number;
  state?: BrukerState;
  /** Channel numbers with names; `page` and `source` as in the XML. */
  files: { channel: number; name?: string; file: string; source?: string; page?: number }[];
}

export interface BrukerSequence {
  type: string;
  cycle: number;
  time?: string;
  bidirectionalZ?: boolean;
  /** XML of a `PVLinescanDefinition`. */
  line?: string;
  state?: BrukerState;
  frames: BrukerFrame[];
}

export interface BrukerPlane {
  file: string;
  rows: number;
  columns: number;
  /** Several pages in one file. */
  pages?: number;
  rowsPerStrip?: number;
  value: (row: number, column: number, page: number) => number;
}

export interface BrukerSpec {
  /** Name of the XML without `.xml`. */
  name: string;
  version?: string;
  date?: string;
  notes?: string;
  /** Version 4 writes `Key` elements, and no state of the whole recording. */
  style?: 'nested' | 'keys';
  state?: BrukerState;
  sequences: BrukerSequence[];
  /** Files that are there; what the XML names beyond them is missing. */
  planes: BrukerPlane[];
}

/** Writes the folder `at`; returns the path of the XML. */
export function writeBruker(at: string, spec: BrukerSpec): string {
  for (const { name, bytes } of brukerFiles(spec)) {
    const path = join(at, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  return join(at, `${spec.name}.xml`);
}

/** The XML first, then the planes. */
export function brukerFiles(spec: BrukerSpec): { name: string; bytes: Uint8Array }[] {
  const xml = { name: `${spec.name}.xml`, bytes: new TextEncoder().encode(brukerXml(spec)) };
  return [xml, ...spec.planes.map((plane) => ({ name: plane.file, bytes: planeTiff(plane) }))];
}

export function brukerXml(spec: BrukerSpec): string {
  const style = spec.style ?? 'nested';
  const { version = '5.6.64.400', date = '1/2/2024 4:03:16 PM', notes = '' } = spec;
  return (
    `\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<PVScan version="${version}" date="${date}" notes="${notes}">\r\n` +
    '  <SystemConfiguration><Lasers><Laser name="Pockels" index="0" /></Lasers></SystemConfiguration>\r\n' +
    (spec.state ? shard(spec.state, style) : '') +
    spec.sequences.map((sequence) => sequenceXml(sequence, style)).join('') +
    '</PVScan>\r\n'
  );
}

function sequenceXml(sequence: BrukerSequence, style: Style) {
  const { type, cycle, time = '16:03:16.7495347', line, state, frames, bidirectionalZ } = sequence;
  const direction = bidirectionalZ === undefined ? '' : ` bidirectionalZ="${bidirectionalZ ? 'True' : 'False'}"`;
  return (
    `  <Sequence type="${type}" cycle="${cycle}" time="${time}" xYStageGridNumXPositions="3"${direction}>\r\n` +
    (line === undefined ? '' : `    <PVLinescanSynchZ enabled="False" />\r\n    ${line}\r\n`) +
    (state ? shard(state, style) : '    <PVStateShard />\r\n') +
    frames.map((frame, i) => frameXml(frame, i + 1, style)).join('') +
    '  </Sequence>\r\n'
  );
}

function frameXml({ relativeTime = 0, absoluteTime = 2.9, files, state }: BrukerFrame, index: number, style: Style) {
  const list = files.map(({ channel, name = `Ch${channel}`, file, source, page }) => {
    const more = `${source === undefined ? '' : ` source="${source}"`}${page === undefined ? '' : ` page="${page}"`}`;
    return `      <File channel="${channel}" channelName="${name}" filename="${file}"${more} />\r\n`;
  });
  return (
    `    <Frame relativeTime="${relativeTime}" absoluteTime="${absoluteTime}" index="${index}" parameterSet="CurrentSettings">\r\n` +
    `${list.join('')}      <ExtraParameters lastGoodFrame="0" />\r\n${state ? shard(state, style) : ''}    </Frame>\r\n`
  );
}

type Style = 'nested' | 'keys';

function shard(state: BrukerState, style: Style): string {
  const values = Object.entries(state).map(([key, value]) =>
    style === 'nested' ? nested(key, value) : keys(key, value),
  );
  return `  <PVStateShard>\r\n${values.join('')}  </PVStateShard>\r\n`;
}

function nested(key: string, value: BrukerState[string]): string {
  if (typeof value !== 'object') return `    <PVStateValue key="${key}" value="${value}" />\r\n`;
  const entries = Object.entries(value).map(([index, own]) => {
    if (typeof own === 'number') return `      <IndexedValue index="${index}" value="${own}" />\r\n`;
    const inner = Object.entries(own).map(([sub, n]) => `<SubindexedValue subindex="${sub}" value="${n}" />`);
    return `      <SubindexedValues index="${index}">${inner.join('')}</SubindexedValues>\r\n`;
  });
  return `    <PVStateValue key="${key}">\r\n${entries.join('')}    </PVStateValue>\r\n`;
}

function keys(key: string, value: BrukerState[string]): string {
  const one = (name: string, own: number | string) => `    <Key key="${name}" permissions="Read" value="${own}" />\r\n`;
  if (typeof value !== 'object') return one(key, value);
  return Object.entries(value)
    .map(([index, own]) => (typeof own === 'number' ? one(`${key}_${index}`, own) : ''))
    .join('');
}

/** 16 bit, uncompressed, strips of 8 rows, the software's text without a NUL, a single plane that calls itself an STK. */
export function planeTiff({ rows, columns, pages = 1, rowsPerStrip = 8, value }: BrukerPlane): Uint8Array {
  const page = (index: number) => {
    const samples = new Uint16Array(rows * columns);
    for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) samples[y * columns + x] = value(y, x, index);
    return {
      width: columns,
      height: rows,
      samples,
      rowsPerStrip,
      tags: [
        { code: 305, type: 2, bytes: new TextEncoder().encode('Prairie View 5.6.64.40') },
        { code: 306, type: 2, text: '2024:01:02 16:03:28' },
        { code: 33629, type: 5, values: [1, 1, 1, 1, 1, 1] },
      ],
    };
  };
  return writeTiff({ pages: Array.from({ length: pages }, (_, i) => page(i)) });
}

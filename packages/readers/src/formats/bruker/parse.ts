/** Parses the XML of a recording, with the names that it uses. See `docs/formats/bruker.md`. */
import { parseXml, type XmlElement } from '../../io/xml.js';

/** Values of a `PVStateShard`: `micronsperpixel_xaxis`, `positioncurrent_zaxis_0`; keys in lower case. */
export type State = ReadonlyMap<string, string>;

export interface RawBrukerFile {
  channel: number;
  name: string;
  file: string;
  /** The raster image that the line was drawn on. */
  source: string;
  /** 1-based page of a multi-page file; 1 without the attribute. */
  page: number;
}

export interface RawBrukerFrame {
  /** Seconds since the start of the sequence, and of the first sequence. */
  relativeTime: number | undefined;
  absoluteTime: number | undefined;
  files: RawBrukerFile[];
  state: State;
}

/** The line of a line scan in pixels of its source image. */
export interface RawLine {
  mode: string;
  sourceRows: number | undefined;
  sourceColumns: number | undefined;
  ends: [number, number, number, number] | undefined;
  /** µm. */
  length: number | undefined;
  /** A free line: one point for each acquired pixel. */
  path: { x: number[]; y: number[] };
  profiles: string | undefined;
}

export interface RawSequence {
  type: string;
  cycle: number;
  /** `16:03:16.7495347`. */
  time: string;
  /** True when every second cycle was scanned from the other end. */
  isBidirectionalZ: boolean;
  state: State;
  line: RawLine | undefined;
  frames: RawBrukerFrame[];
}

export interface RawScan {
  version: string;
  date: string;
  state: State;
  /** By cycle. */
  sequences: RawSequence[];
  /** Errors in the XML. */
  problems: string[];
}

/** The values that are kept, of about eighty that each frame may repeat. */
const KEPT =
  /^(scanlineperiod|frameperiod|linesperframe|pixelsperline|rastersperframe|(micronsperpixel|positioncurrent)_.*)$/;
/** Values about the microscope: those of the first frame of a sequence stand for all. */
const INSTRUMENT =
  /^(objectivelens(mag|na)?|opticalzoom|dwelltime|(pmtgain|laserwavelength|laserpower)_[^_]*(_description)?)$/;

/** Returns `undefined` when the text is not the XML of a recording. */
export function parseScan(text: string): RawScan | undefined {
  const frames = new Map<XmlElement, RawBrukerFrame[]>();
  const sequences: RawSequence[] = [];
  const document = parseXml(text, {
    // Convert frames and sequences as they end, so that a long series is never in memory as a tree.
    onElement: (element, parent) => {
      if (element.name === 'Frame' && parent) {
        const list = frames.get(parent) ?? [];
        list.push(toFrame(element, list.length === 0));
        frames.set(parent, list);
        return false;
      }
      if (element.name !== 'Sequence') return true;
      sequences.push(toSequence(element, frames.get(element) ?? [], sequences.length));
      frames.delete(element);
      return false;
    },
  });
  const { root } = document;
  if (endsInFrame(text)) dropPartOfFrame(sequences, countOf('</Frame>', text));
  sequences.sort((a, b) => a.cycle - b.cycle);
  if (root?.name !== 'PVScan') return undefined;
  return {
    version: root.attributes['version'] ?? '',
    date: root.attributes['date'] ?? '',
    state: toState(root),
    sequences,
    // Some versions write references to control characters into every file; they are harmless.
    problems: document.errors.filter((error) => !/characters that XML does not allow/.test(error)),
  };
}

/** True for a document that is being written, or was cut off, inside a frame: some of its files may not be listed yet. */
function endsInFrame(text: string): boolean {
  return text.lastIndexOf('<Frame ') > text.lastIndexOf('</Frame>');
}

/** Drops a frame that is listed in part, unless nothing would be left. @param whole number of frames that are listed in full */
function dropPartOfFrame(sequences: RawSequence[], whole: number): void {
  const last = sequences.at(-1);
  const count = sequences.reduce((sum, { frames }) => sum + frames.length, 0);
  if (!last || count < 2 || count <= whole) return;
  last.frames.pop();
  if (last.frames.length === 0) sequences.pop();
}

function countOf(word: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) count++;
  return count;
}

function toSequence({ attributes, children }: XmlElement, frames: RawBrukerFrame[], index: number): RawSequence {
  const line = children.find(({ name }) => name === 'PVLinescanDefinition');
  return {
    type: attributes['type'] ?? '',
    cycle: toIndex(attributes['cycle']) ?? index + 1,
    time: attributes['time'] ?? '',
    isBidirectionalZ: /^true$/i.test(attributes['bidirectionalZ'] ?? ''),
    state: toState({ children }),
    line: line && toLine(line),
    frames,
  };
}

function toFrame(element: XmlElement, isFirst: boolean): RawBrukerFrame {
  const files: RawBrukerFile[] = [];
  for (const { name, attributes } of element.children) {
    const channel = toIndex(attributes['channel']);
    if (name !== 'File' || channel === undefined || !attributes['filename']) continue;
    files.push({
      channel,
      name: attributes['channelName'] ?? '',
      file: attributes['filename'],
      source: attributes['source'] ?? '',
      page: toIndex(attributes['page']) || 1,
    });
  }
  return {
    relativeTime: toNumber(element.attributes['relativeTime']),
    absoluteTime: toNumber(element.attributes['absoluteTime']),
    files,
    state: toState(element, isFirst),
  };
}

/** Collects values. Prairie View ≥ 5.2 nests them; older versions write `Key` elements with the index in the key. */
function toState({ children }: Pick<XmlElement, 'children'>, withInstrument = true): State {
  const state = new Map<string, string>();
  const keep = (key: string | undefined, value: string | undefined) => {
    const name = key?.toLowerCase() ?? '';
    if (value === undefined) return;
    if (KEPT.test(name) || (withInstrument && INSTRUMENT.test(name))) state.set(name, value);
  };
  for (const shard of children) {
    if (shard.name !== 'PVStateShard') continue;
    for (const { attributes, children: values } of shard.children) {
      const { key, value } = attributes;
      keep(key, value);
      for (const indexed of values) {
        const { index, value: indexedValue, description } = indexed.attributes;
        keep(`${key}_${index}`, indexedValue);
        if (withInstrument) keep(`${key}_${index}_description`, description);
        for (const { attributes: sub } of indexed.children) keep(`${key}_${index}_${sub['subindex']}`, sub['value']);
      }
    }
  }
  return state;
}

function toLine({ attributes, children }: XmlElement): RawLine {
  const path = { x: [] as number[], y: [] as number[] };
  for (const { name, attributes: point } of children) {
    const x = toNumber(point['x']);
    const y = toNumber(point['y']);
    if (name !== 'Freehand' || x === undefined || y === undefined) continue;
    path.x.push(x);
    path.y.push(y);
  }
  const line = children.find(({ name }) => name === 'Line')?.attributes ?? {};
  const [x0, y0, x1] = ['startPixelX', 'startPixelY', 'stopPixelX'].map((name) => toNumber(line[name]));
  const ends = x0 !== undefined && y0 !== undefined && x1 !== undefined;
  return {
    mode: attributes['mode'] ?? '',
    sourceRows: toNumber(attributes['SourceLinesPerFrame']),
    sourceColumns: toNumber(attributes['SourcePixelsPerLine']),
    // Straight lines are horizontal in the (rotated) raster, so the XML does not contain the stop row.
    ends: ends ? [x0, y0, x1, toNumber(line['stopPixelY']) ?? y0] : undefined,
    length: toNumber(line['lineLength']),
    path,
    profiles: children.find(({ name }) => name === 'LineScanProfiles')?.attributes['DataFile'],
  };
}

/** Parses a number with a decimal point, or with the comma that some systems write. */
export function toNumber(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text.replace(',', '.'));
  return Number.isFinite(value) ? value : undefined;
}

function toIndex(text: string | undefined): number | undefined {
  const value = toNumber(text);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Returns the value of a key at the first level that has it: the frame, then the sequence, then the recording. */
export function lookUp(key: string, ...levels: readonly { state: State }[]): number | undefined {
  for (const { state } of levels) {
    const value = toNumber(state.get(key));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Like `lookUp`, for texts. */
export function lookUpText(key: string, ...levels: readonly { state: State }[]): string | undefined {
  return levels.find(({ state }) => state.has(key))?.state.get(key);
}

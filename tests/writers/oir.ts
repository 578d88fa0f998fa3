/** Writes OIR files as the acquisition software lays them out; see `docs/formats/oir.md`. */

export interface OirChannel {
  id: string;
  name: string;
  /** `@order` of the description; omitted when empty. */
  order?: string;
  /** Entries of the look-up table, `RRGGBBAA` each. */
  lut?: { linear: boolean; data: string };
  /** XML inside its `lsmChannel` document, which is omitted without. */
  document?: string;
}

export interface OirAxis {
  type: 'TIMELAPSE' | 'ZSTACK' | 'LAMBDA';
  start: number;
  end: number;
  step: number;
  maxSize: number;
}

export interface OirScanner {
  type: string;
  width: number;
  height: number;
  /** ms */
  lineSpeed: number;
  /** ms */
  seriesInterval: number;
}

export interface OirReference {
  width: number;
  height: number;
  sample(c: number, y: number, x: number): number;
  bandBytes?: number;
  /** Writes a root `imageDefinition` with the geometry. */
  defined?: boolean;
}

export interface OirSpec {
  width: number;
  /** Lines of a frame as the frame properties say. */
  height: number;
  /** Lines that are stored; `height` by default. */
  rows?: number;
  /** Bytes per sample. */
  depth: 1 | 2 | 4;
  bitCounts?: number;
  colorType?: string;
  channels: OirChannel[];
  /** Numbers along each axis; 0: the names lack it. */
  t?: number;
  z?: number;
  lambda?: number;
  sample(c: number, at: FrameIndex, y: number, x: number): number;
  bandBytes?: number;
  created?: string;
  lengthX?: number;
  lengthY?: number;
  unit?: string;
  acquiredAxes?: OirAxis[];
  plannedAxes?: OirAxis[];
  scannerType?: string;
  scanners?: OirScanner[];
  /** XML inside `acquisition`: regions with coordinates. */
  region?: string;
  /** XML inside `imageProperties`, beside `acquisition`. */
  root?: string;
  reference?: OirReference;
  /** ms, µm, nm of each frame. */
  positions?: (at: FrameIndex) => { TIMELAPSE?: number; ZSTACK?: number; LAMBDA?: number };
  /** Empty blocks behind each frame; written by default. */
  separators?: boolean;
}

/** 0-based. */
export interface FrameIndex {
  t: number;
  z: number;
  lambda: number;
}

/** Ids of test channels: `11111111-1111-4111-8111-111111111111`, … */
export function channelId(n: number): string {
  const d = String(n);
  return `${d.repeat(8)}-${d.repeat(4)}-4${d.repeat(3)}-8${d.repeat(3)}-${d.repeat(12)}`;
}

const HEADER = 96;

/** Blocks of one file, then its index. */
export class OirBuilder {
  /** Of every block. */
  readonly offsets: number[] = [];
  /** What is written, with its place; the rest is a hole. */
  private readonly pieces: { offset: number; bytes: Uint8Array }[] = [];
  private length = HEADER;

  block(kind: number, payload: Uint8Array): void {
    this.header(kind, payload.length);
    this.pieces.push({ offset: this.length, bytes: payload });
    this.length += payload.length;
  }

  /** A tag and its pixels. */
  band(name: string, planeOffset: number, pixels: Uint8Array): void {
    this.tag(name, planeOffset, pixels.length);
    this.block(4, pixels);
  }

  /** A tag, and pixels that are a hole. */
  hollowBand(name: string, planeOffset: number, bytes: number): void {
    this.tag(name, planeOffset, bytes);
    this.header(4, bytes);
    this.length += bytes;
  }

  private header(kind: number, length: number): void {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, length, true);
    new DataView(bytes.buffer).setUint32(4, kind, true);
    this.offsets.push(this.length);
    this.pieces.push({ offset: this.length, bytes });
    this.length += bytes.length;
  }

  private tag(name: string, planeOffset: number, bytes: number): void {
    const text = ascii(name);
    const payload = new Uint8Array(12 + text.length);
    const view = new DataView(payload.buffer);
    view.setUint32(0, planeOffset, true);
    view.setUint32(4, bytes, true);
    view.setUint32(8, text.length, true);
    payload.set(text, 12);
    this.block(3, payload);
  }

  frameProperties(xml: string): void {
    this.block(1, item(2, ascii(xml)));
  }

  documents(items: Uint8Array[]): void {
    this.block(0, concat(items));
  }

  /** The file with its index. */
  finish(): Uint8Array {
    return filled(this.sparse());
  }

  /** As while recording: no index, no length. */
  unfinished(): Uint8Array {
    const file = filled({ pieces: this.pieces, size: this.length });
    writeHeader(file, { length: 0, indexOffset: 0, blocks: 0 });
    return file;
  }

  /** The file with its index, holes not filled. */
  sparse(): SparseFile {
    const index = new Uint8Array(4 + this.offsets.length * 8);
    const view = new DataView(index.buffer);
    view.setUint32(0, 0xffffffff, true);
    for (const [i, offset] of this.offsets.entries()) view.setBigUint64(4 + i * 8, BigInt(offset), true);
    const size = this.length + index.length;
    const header = new Uint8Array(HEADER);
    writeHeader(header, { length: size, indexOffset: this.length, blocks: this.offsets.length });
    const ends = [
      { offset: 0, bytes: header },
      { offset: this.length, bytes: index },
    ];
    return { pieces: [...ends, ...this.pieces], size };
  }
}

export interface SparseFile {
  pieces: { offset: number; bytes: Uint8Array }[];
  size: number;
}

function filled({ pieces, size }: SparseFile): Uint8Array {
  const file = new Uint8Array(size);
  for (const { offset, bytes } of pieces) file.set(bytes, offset);
  return file;
}

function writeHeader(file: Uint8Array, at: { length: number; indexOffset: number; blocks: number }): void {
  file.set(ascii('OLYMPUSRAWFORMAT'), 0);
  const view = new DataView(file.buffer);
  for (const [i, word] of [12, 0, 1, 2].entries()) view.setUint32(16 + i * 4, word, true);
  view.setBigUint64(32, BigInt(at.length), true);
  view.setBigUint64(40, BigInt(at.indexOffset), true);
  view.setUint32(48, at.blocks, true);
  view.setUint32(56, 1, true);
  view.setBigUint64(64, 2n ** 64n - 1n, true);
  file.set(ascii('FLUOVIEW'), 72);
  view.setUint32(80, 3, true);
  view.setUint32(84, 2, true);
  view.setBigUint64(88, 2n ** 64n - 1n, true);
}

export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A metadata item: type, eight words, length, text. */
function item(type: number, text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(40 + text.length);
  new DataView(bytes.buffer).setUint32(0, type, true);
  new DataView(bytes.buffer).setUint32(36, text.length, true);
  bytes.set(text, 40);
  return bytes;
}

/** Frames of a spec, time slowest, then depth, then wavelength. */
export function framesOf(spec: OirSpec): FrameIndex[] {
  const frames: FrameIndex[] = [];
  for (let t = 0; t < Math.max(1, spec.t ?? 0); t++) {
    for (let z = 0; z < Math.max(1, spec.z ?? 0); z++) {
      for (let lambda = 0; lambda < Math.max(1, spec.lambda ?? 0); lambda++) frames.push({ t, z, lambda });
    }
  }
  return frames;
}

/** `l002t001z003_0_1`, with the axes that the spec has. */
export function frameName(spec: OirSpec, at: FrameIndex): string {
  const axis = (letter: string, count: number | undefined, index: number) =>
    count ? `${letter}${String(index + 1).padStart(3, '0')}` : '';
  const axes = axis('l', spec.lambda, at.lambda) + axis('z', spec.z, at.z) + axis('t', spec.t, at.t);
  return `${axes}_0_1`;
}

/** One file with everything. */
export function writeOir(spec: OirSpec): Uint8Array {
  return buildOir(spec).finish();
}

export function buildOir(spec: OirSpec, frames = framesOf(spec), main = true): OirBuilder {
  const builder = new OirBuilder();
  if (main) writeReference(builder, spec);
  for (const [i, at] of frames.entries()) {
    writeFrame(builder, spec, at);
    // The snapshot behind the first frame knows what was planned, not what was recorded.
    if (main && i === 0) builder.documents(documentItems(spec, true));
  }
  if (main) builder.documents(documentItems(spec, false));
  return builder;
}

/** The main file and its continuations, with as many frames each as `counts` says. */
export function writeOirSet(spec: OirSpec, counts: readonly number[]): Uint8Array[] {
  const frames = framesOf(spec);
  let from = 0;
  return counts.map((count, part) => {
    const own = frames.slice(from, from + count);
    from += count;
    return buildOir(spec, own, part === 0).finish();
  });
}

function writeReference(builder: OirBuilder, spec: OirSpec): void {
  const { reference, channels, depth } = spec;
  if (!reference) return;
  const planes = channels.map((_, c) =>
    planeBytes(depth, reference.height, reference.width, (y, x) => reference.sample(c, y, x)),
  );
  writeBands(builder, channels, planes, reference.bandBytes ?? 30_720, (id, n) => `REF_LSM0_${id}_${n}`);
}

function writeFrame(builder: OirBuilder, spec: OirSpec, at: FrameIndex): void {
  const { width, height, depth, channels } = spec;
  builder.frameProperties(framePropertiesXml(spec, at));
  const planes = channels.map((_, c) =>
    planeBytes(depth, spec.rows ?? height, width, (y, x) => spec.sample(c, at, y, x)),
  );
  const name = frameName(spec, at);
  writeBands(builder, channels, planes, spec.bandBytes ?? 11_264, (id, n) => `${name}_${id}_${n}`);
  if (spec.separators !== false) builder.block(5, new Uint8Array());
}

/** A0 B0 A1 B1 … */
function writeBands(
  builder: OirBuilder,
  channels: readonly OirChannel[],
  planes: readonly Uint8Array[],
  bandBytes: number,
  name: (id: string, n: number) => string,
): void {
  const longest = Math.max(...planes.map((plane) => plane.length));
  for (let at = 0, n = 0; at < longest; at += bandBytes, n++) {
    for (const [c, plane] of planes.entries()) {
      if (at < plane.length) builder.band(name(channels[c]?.id ?? '', n), at, plane.subarray(at, at + bandBytes));
    }
  }
}

export function planeBytes(
  depth: 1 | 2 | 4,
  rows: number,
  columns: number,
  sample: (y: number, x: number) => number,
): Uint8Array {
  const samples =
    depth === 1 ? new Uint8Array(rows * columns) : new (depth === 2 ? Uint16Array : Float32Array)(rows * columns);
  for (let y = 0, i = 0; y < rows; y++) for (let x = 0; x < columns; x++, i++) samples[i] = sample(y, x);
  return new Uint8Array(samples.buffer);
}

const SPACES = ['base', 'commonimage', 'commonparam', 'commonphase', 'commonframe', 'lsmimage', 'lsmframe', 'lsmparam'];
const NAMESPACES = SPACES.map((name) => `xmlns:${name}="http://www.olympus.co.jp/hpf/model/${name}"`).join(' ');
const DECLARATION = '<?xml version="1.0" encoding="ASCII"?>\r\n';

export function framePropertiesXml(spec: OirSpec, at: FrameIndex): string {
  const name = frameName(spec, at);
  const axes = Object.entries(spec.positions?.(at) ?? {}).map(
    ([type, position]) =>
      `<commonframe:axisValue><commonframe:axisType>${type}</commonframe:axisType>` +
      `<commonframe:position>${position}</commonframe:position></commonframe:axisValue>`,
  );
  return (
    `${DECLARATION}<lsmframe:frameProperties ${NAMESPACES} id="${name}"><commonframe:general>` +
    `<base:name>${name}</base:name><base:creationDateTime>2025-07-28T15:36:15.001-04:00</base:creationDateTime>` +
    `</commonframe:general>${geometryXml('commonframe', spec.width, spec.height, spec)}${axes.join('')}` +
    '</lsmframe:frameProperties>\r\n'
  );
}

function geometryXml(
  space: string,
  width: number,
  height: number,
  { depth, bitCounts, colorType }: Pick<OirSpec, 'depth' | 'bitCounts' | 'colorType'>,
): string {
  return (
    `<${space}:imageDefinition${space === 'base' ? ` ${NAMESPACES}` : ''}><base:width>${width}</base:width>` +
    `<base:height>${height}</base:height><base:depth>${depth}</base:depth>` +
    `<base:bitCounts>${bitCounts ?? depth * 8}</base:bitCounts>` +
    `<base:colorType>${colorType ?? 'GlayScale'}</base:colorType></${space}:imageDefinition>`
  );
}

/** The items of a documents block. */
export function documentItems(spec: OirSpec, snapshot: boolean): Uint8Array[] {
  const items = [
    item(
      1,
      ascii(
        `${DECLARATION}<fileinfo:fileInfomation xmlns:fileinfo="f"><fileinfo:version>2.1.2.3</fileinfo:version></fileinfo:fileInfomation>`,
      ),
    ),
    item(2, ascii(imagePropertiesXml(spec, snapshot))),
    item(3, ascii(`${DECLARATION}<annotation:annotationStore xmlns:annotation="a"/>`)),
  ];
  for (const { id, document } of spec.channels) {
    const xml = `${DECLARATION}<lsmparam:lsmChannel ${NAMESPACES} id="${id}">${document}</lsmparam:lsmChannel>`;
    if (document !== undefined) items.push(item(4, ascii(xml)));
  }
  for (const { id, lut } of spec.channels) items.push(lutItem(id, lut));
  if (spec.reference?.defined) {
    const { width, height } = spec.reference;
    items.push(item(12, ascii(`${DECLARATION}${geometryXml('base', width, height, spec)}`)));
  }
  return items;
}

function lutItem(id: string, lut: OirChannel['lut']): Uint8Array {
  const table = lut ? `<lut:linear>${lut.linear}</lut:linear><lut:data>${lut.data}</lut:data>` : '';
  const xml = ascii(`${DECLARATION}<lut:LUT xmlns:lut="l"><lut:name>green</lut:name>${table}</lut:LUT>`);
  const owner = new Uint8Array(4 + 36);
  owner[0] = 36;
  owner.set(ascii(id).subarray(0, 36), 4);
  return concat([
    item(5, new Uint8Array([1, 0, 0, 0])),
    owner,
    new Uint8Array(new Uint32Array([xml.length]).buffer),
    xml,
  ]);
}

/** In the snapshot nothing is known of the recorded image. */
function imagePropertiesXml(spec: OirSpec, snapshot: boolean): string {
  return (
    `${DECLARATION}<lsmimage:imageProperties ${NAMESPACES} version="1.1.0.0"><commonimage:general>` +
    `<base:creationDateTime>${spec.created ?? '2025-07-28T15:36:14.925-04:00'}</base:creationDateTime>` +
    `</commonimage:general>${snapshot ? '' : imageInfoXml(spec)}<lsmimage:acquisition><lsmimage:imagingParam>` +
    `${(spec.plannedAxes ?? spec.acquiredAxes ?? []).map(plannedAxisXml).join('')}</lsmimage:imagingParam>` +
    `<lsmimage:phase><commonimage:group>${channelsXml(spec, 'lsmimage')}</commonimage:group></lsmimage:phase>` +
    `<lsmimage:configuration><lsmimage:scannerType>${spec.scannerType ?? 'Galvano'}</lsmimage:scannerType>` +
    `</lsmimage:configuration>${(spec.scanners ?? []).map(scannerXml).join('')}${spec.region ?? ''}` +
    `</lsmimage:acquisition>${spec.root ?? ''}</lsmimage:imageProperties>\r\n`
  );
}

function imageInfoXml(spec: OirSpec): string {
  return (
    `<commonimage:imageInfo><commonimage:width>${spec.width}</commonimage:width>` +
    `<commonimage:height>${spec.rows ?? spec.height}</commonimage:height>` +
    `<commonimage:phase><commonimage:group>${channelsXml(spec, 'commonphase')}</commonimage:group></commonimage:phase>` +
    `${(spec.acquiredAxes ?? []).map(acquiredAxisXml).join('')}</commonimage:imageInfo>`
  );
}

/** In reverse: the order of the elements says nothing, `@order` does. */
function channelsXml(spec: OirSpec, space: string): string {
  const unit = spec.unit ?? 'MICRO_METER';
  const triple = (of: string, x: string | number, y: string | number) =>
    `<commonphase:${of}><commonparam:x>${x}</commonparam:x><commonparam:y>${y}</commonparam:y></commonphase:${of}>`;
  return [...spec.channels]
    .reverse()
    .map(
      ({ id, name, order }) =>
        `<${space}:channel id="${id}"${order === undefined ? '' : ` order="${order}"`}>` +
        `<commonphase:name>${name}</commonphase:name>` +
        triple('length', spec.lengthX ?? 0.25, spec.lengthY ?? spec.lengthX ?? 0.25) +
        `${triple('pixelUnit', unit, unit)}</${space}:channel>`,
    )
    .join('');
}

function acquiredAxisXml(axis: OirAxis): string {
  return `<commonimage:axis>${axisBody('commonimage', axis)}</commonimage:axis>`;
}

function plannedAxisXml(axis: OirAxis): string {
  return `<commonparam:axis enable="true" paramEnable="true">${axisBody('commonparam', axis)}</commonparam:axis>`;
}

function axisBody(space: string, { type, start, end, step, maxSize }: OirAxis): string {
  const element = (name: string, value: string | number) => `<${space}:${name}>${value}</${space}:${name}>`;
  return (
    element('axis', type) +
    element('startPosition', start) +
    element('endPosition', end) +
    element('step', step) +
    element('maxSize', maxSize)
  );
}

function scannerXml({ type, width, height, lineSpeed, seriesInterval }: OirScanner): string {
  return (
    `<lsmimage:scannerSettings type="${type}"><lsmimage:param><lsmparam:imageSize>` +
    `<commonparam:width>${width}</commonparam:width><commonparam:height>${height}</commonparam:height>` +
    '</lsmparam:imageSize><lsmparam:speed><commonparam:speedInformation>' +
    `<commonparam:lineSpeed>${lineSpeed}</commonparam:lineSpeed>` +
    `<commonparam:seriesInterval>${seriesInterval}</commonparam:seriesInterval>` +
    '</commonparam:speedInformation></lsmparam:speed></lsmimage:param></lsmimage:scannerSettings>'
  );
}

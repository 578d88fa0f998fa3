/** Chunk files of Nikon ND2, versions 2 and 3. */
import { deflateSync } from 'node:zlib';
import { bool, encodeLv, encodeXml, f64, i32, level, list, type Nd2Node, text, u32 } from './nd2-tree.js';

export interface Nd2Spec {
  version?: 2 | 3;
  width: number;
  height: number;
  /** Interleaved components per pixel. */
  components: number;
  bits: 8 | 16 | 32;
  /** 0 signed, 1 unsigned, 2 real. */
  pixelType?: number;
  /** 0 zlib, 1 lossy, 2 none. */
  compression?: number;
  /** Bytes from row to row; by default the next multiple of four. */
  widthBytes?: number;
  frames: Nd2Frame[];
  /** Frames by the header; by default as many as there are. */
  sequenceCount?: number;
  picture?: Nd2Node;
  experiment?: Nd2Node;
  text?: Nd2Node;
  /** XML of `LUTDataV1_0`. */
  luts?: string;
  /** ms of all frames. */
  times?: number[];
  /** Doubles for each frame, by the names of their chunks: `X`, `Z1`. */
  tables?: Record<string, number[]>;
  /** Frames that the map leaves out. */
  unmapped?: number[];
  /** No map at all: the recording was interrupted. */
  noMap?: boolean;
  /** The attributes come before the frames; NIS-Elements writes them last. */
  attributesFirst?: boolean;
  /** Rows that each frame really has; by default `height`. */
  rows?: number;
}

export interface Nd2Frame {
  number: number;
  /** ms. */
  time: number;
  value: (y: number, x: number, component: number) => number;
}

const MAP_SIGNATURE = 'ND2 CHUNK MAP SIGNATURE 0000001!';
const PAGE = 4096;

/** Puts chunks one behind the other; those without bytes are holes. */
export class Nd2Builder {
  readonly pieces: { offset: number; bytes: Uint8Array }[] = [];
  size = 0;
  private readonly entries: { name: string; offset: number; length: number }[] = [];

  constructor(version: 2 | 3 = 3) {
    const name = Buffer.from('ND2 FILE SIGNATURE CHUNK NAME01!');
    const payload = Buffer.alloc(64);
    payload.write(`Ver${version}.0`);
    this.append(Buffer.concat([head(name.length, payload.length), name, payload]));
    this.align();
  }

  /** Padding goes into the name field, so that the payload ends with a page. */
  chunk(name: string, payload: Uint8Array, mapped = true): void {
    this.enter(name, payload.length, mapped);
    const bare = 16 + name.length + payload.length;
    const field = Buffer.alloc(name.length + (Math.ceil(bare / PAGE) * PAGE - bare));
    field.write(name, 'latin1');
    this.append(Buffer.concat([head(field.length, payload.length), field, payload]));
  }

  /** Pixels begin with a page. `payload` undefined leaves a hole of `length` bytes. */
  frame(
    number: number,
    time: number,
    pixels: Uint8Array | undefined,
    length = pixels?.length ?? 0,
    mapped = true,
  ): void {
    const name = `ImageDataSeq|${number}!`;
    this.enter(name, length + 8, mapped);
    const field = Buffer.alloc(PAGE - 24);
    field.write(name, 'latin1');
    const stamp = Buffer.alloc(8);
    stamp.writeDoubleLE(time);
    this.append(Buffer.concat([head(field.length, length + 8), field, stamp]));
    if (pixels) this.append(pixels);
    else this.size += length;
    this.align();
  }

  /** The map, sorted as NIS-Elements does, and the signature as the last 40 bytes. */
  map(): void {
    const offset = this.size;
    const entries = [...this.entries].sort((a, b) => (a.name < b.name ? 1 : -1));
    const parts = entries.map((entry) =>
      Buffer.concat([Buffer.from(entry.name, 'latin1'), u64s(entry.offset, entry.length)]),
    );
    const body = Buffer.concat([...parts, Buffer.from(MAP_SIGNATURE), u64s(offset)]);
    const name = Buffer.from('ND2 FILEMAP SIGNATURE NAME 0001!');
    this.append(Buffer.concat([head(name.length, body.length), name, body]));
    this.size += (PAGE - ((this.size + 40) % PAGE)) % PAGE;
    this.append(Buffer.concat([Buffer.from(MAP_SIGNATURE), u64s(offset)]));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.size);
    for (const { offset, bytes } of this.pieces) out.set(bytes, offset);
    return out;
  }

  private enter(name: string, length: number, mapped: boolean): void {
    if (mapped) this.entries.push({ name, offset: this.size, length });
  }

  private append(bytes: Uint8Array): void {
    this.pieces.push({ offset: this.size, bytes });
    this.size += bytes.length;
  }

  private align(): void {
    this.size = Math.ceil(this.size / PAGE) * PAGE;
  }
}

function head(nameLength: number, length: number): Buffer {
  const out = Buffer.alloc(16);
  out.writeUInt32LE(0x0abeceda, 0);
  out.writeUInt32LE(nameLength, 4);
  out.writeBigUInt64LE(BigInt(length), 8);
  return out;
}

function u64s(...values: number[]): Buffer {
  return Buffer.from(new BigUint64Array(values.map((value) => BigInt(value))).buffer);
}

export function writeNd2(spec: Nd2Spec): Uint8Array<ArrayBuffer> {
  const builder = new Nd2Builder(spec.version ?? 3);
  const put = (name: string, node: Nd2Node | undefined, suffix = '') => {
    if (!node) return;
    if (spec.version === 2) builder.chunk(`${name}${suffix}!`, encodeXml(node));
    else builder.chunk(`${name}LV${suffix}!`, encodeLv(node));
  };
  if (spec.attributesFirst) put('ImageAttributes', attributes(spec));
  put('ImageMetadata', spec.experiment);
  put('ImageMetadataSeq', spec.picture, '|0');
  for (const frame of spec.frames) {
    const pixels = encodeFrame(spec, frame);
    const mapped = !spec.unmapped?.includes(frame.number);
    builder.frame(frame.number, frame.time, spec.compression === 0 ? deflateSync(pixels) : pixels, undefined, mapped);
  }
  put('ImageTextInfo', spec.text);
  if (spec.luts) builder.chunk('CustomDataVar|LUTDataV1_0!', Buffer.from(spec.luts));
  if (spec.times) {
    builder.chunk('CustomData|AcqTimesCache!', new Uint8Array(Float64Array.from(spec.times).buffer));
    for (const [name, values] of Object.entries(spec.tables ?? {})) {
      builder.chunk(`CustomData|${name}!`, new Uint8Array(Float64Array.from(values).buffer));
    }
  }
  if (!spec.attributesFirst) put('ImageAttributes', attributes(spec));
  if (!spec.noMap) builder.map();
  return builder.toBytes();
}

/** Rows of interleaved components, each padded to `widthBytes`. */
function encodeFrame(spec: Nd2Spec, frame: Nd2Frame): Uint8Array {
  const bytes = spec.bits / 8;
  const stride = strideOf(spec);
  const rows = spec.rows ?? spec.height;
  const out = Buffer.alloc(stride * rows, 0xee);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < spec.width; x++) {
      for (let c = 0; c < spec.components; c++) {
        const at = y * stride + (x * spec.components + c) * bytes;
        const value = frame.value(y, x, c);
        if (spec.bits === 32 && spec.pixelType !== 0 && spec.pixelType !== 1) out.writeFloatLE(value, at);
        else if (spec.pixelType === 0) out.writeIntLE(value, at, bytes);
        else out.writeUIntLE(value, at, bytes);
      }
    }
  }
  return out;
}

function strideOf(spec: Nd2Spec): number {
  return spec.widthBytes ?? Math.ceil((spec.width * spec.components * spec.bits) / 32) * 4;
}

export function attributes(spec: Nd2Spec): Nd2Node {
  return level('SLxImageAttributes', [
    u32('uiWidth', spec.width),
    u32('uiWidthBytes', strideOf(spec)),
    u32('uiHeight', spec.height),
    u32('uiComp', spec.components),
    i32('uiBpcInMemory', spec.bits),
    i32('uiBpcSignificant', spec.bits === 16 ? 12 : spec.bits),
    u32('uiSequenceCount', spec.sequenceCount ?? spec.frames.length),
    u32('uiTileWidth', spec.width),
    u32('uiTileHeight', spec.height),
    i32('eCompression', spec.compression ?? 2),
    f64('dCompressionParam', 0),
    ...(spec.pixelType === undefined ? [] : [i32('ePixelType', spec.pixelType)]),
    u32('uiVirtualComponents', spec.components),
  ]);
}

export interface PictureSpec {
  channels: { name: string; components?: number; color?: number; modality?: number }[];
  calibration?: number;
  calibrated?: boolean;
  aspect?: number;
  xAxis?: number;
  yAxis?: number;
  timeAxis?: number;
  zAxis?: number;
  /** Julian day. */
  timeAbsolute?: number;
}

export function picture(spec: PictureSpec): Nd2Node {
  const components = spec.channels.reduce((sum, channel) => sum + (channel.components ?? 1), 0);
  return level('SLxPictureMetadata', [
    f64('dTimeMSec', 0),
    f64('dTimeAbsolute', spec.timeAbsolute ?? 2460783.4854234606),
    level('sPicturePlanes', [
      u32('uiCount', spec.channels.length),
      u32('uiCompCount', components),
      level('sPlaneNew', spec.channels.map(planeNode)),
      level('sSampleSetting', [level('a0', [f64('dExposureTime', 20)])]),
    ]),
    f64('dCalibration', spec.calibration ?? 0.25),
    f64('dAspect', spec.aspect ?? 1),
    bool('bCalibrated', spec.calibrated ?? true),
    i32('ePictureXAxis', spec.xAxis ?? 0),
    i32('ePictureYAxis', spec.yAxis ?? 1),
    f64('dTimeAxisCalibration', spec.timeAxis ?? -1),
    f64('dZAxisCalibration', spec.zAxis ?? -1),
  ]);
}

function planeNode(
  { name, components = 1, color = 0x00ff00, modality = 0x101 }: PictureSpec['channels'][number],
  i: number,
): Nd2Node {
  return level(`a${i}`, [
    u32('uiCompCount', components),
    u32('uiSampleIndex', 0),
    level('pFilterPath', [list('m_pFilter', [level('', [text('m_sName', '???')])])]),
    u32('uiModalityMask', modality),
    u32('uiColor', color),
    text('sDescription', name),
  ]);
}

/** Loops one inside the other, outermost first. */
export function experiment(...loops: { type: number; pars: Nd2Node[]; valid?: Nd2Node }[]): Nd2Node {
  const [first, ...rest] = loops;
  if (!first) throw new Error('an experiment has a loop');
  const inner = rest.length > 0 ? experiment(...rest) : undefined;
  return level('SLxExperiment', [
    u32('eType', first.type),
    text('wsApplicationDesc', 'ND Acquisition'),
    level('uLoopPars', first.pars),
    ...(first.valid ? [first.valid] : []),
    u32('uiRepeatCount', 1),
    u32('uiNextLevelCount', inner ? 1 : 0),
    ...(inner ? [list('ppNextLevelEx', [{ ...inner, name: '' } as Nd2Node])] : []),
  ]);
}

export const timeLoop = (count: number, average = 0, period = 0) => ({
  type: 1,
  pars: [
    u32('uiCount', count),
    f64('dStart', 0),
    f64('dPeriod', period),
    f64('dDuration', 0),
    f64('dAvgPeriodDiff', average),
  ],
});

export const depthLoop = (count: number, step: number, low = 0, high = 0) => ({
  type: 4,
  pars: [u32('uiCount', count), f64('dZLow', low), f64('dZHigh', high), f64('dZStep', step)],
});

export const positionLoop = (names: string[], valid?: Nd2Node) => ({
  type: 2,
  pars: [
    u32('uiCount', names.length),
    list(
      'Points',
      names.map((name, i) => level('', [f64('dPosX', i * 100), f64('dPosY', 0), text('dPosName', name)])),
    ),
  ],
  ...(valid ? { valid } : {}),
});

/** `TextInfoItem_9` holds the date. */
export function textInfo(date: string): Nd2Node {
  return level('SLxImageTextInfo', [
    text('TextInfoItem_5', 'Metadata:\r\nDimensions: T(120)\r\n'),
    text('TextInfoItem_9', date),
  ]);
}

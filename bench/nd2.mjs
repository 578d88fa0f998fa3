// ND2 line scans of two interleaved channels: all lines in one frame, and a frame for each line.
import { closeSync, openSync, writeSync } from 'node:fs';

const PAGE = 4096;
const ROWS_AT_ONCE = 64;

/** @param {(channel: number, row: number, rows: number) => Buffer} band samples of some lines */
export function nd2LineScan(path, rows, columns, band) {
  writeFile(path, { rows, columns, frames: 1, axis: 2 }, (file) => {
    file.head('ImageDataSeq|0!', 8 + rows * columns * 4);
    file.write(Buffer.alloc(8));
    for (let row = 0; row < rows; row += ROWS_AT_ONCE) {
      file.write(interleave(band, row, Math.min(ROWS_AT_ONCE, rows - row)));
    }
  });
}

/** The form that a time series of one-line images has. */
export function nd2FramePerLine(path, rows, columns, band) {
  writeFile(path, { rows: 1, columns, frames: rows, axis: 1 }, (file) => {
    for (let row = 0; row < rows; row++) {
      file.head(`ImageDataSeq|${row}!`, 8 + columns * 4);
      const time = Buffer.alloc(8);
      time.writeDoubleLE(1.142 * row);
      file.write(Buffer.concat([time, interleave(band, row, 1)]));
      file.align();
    }
  });
}

function interleave(band, row, rows) {
  const parts = [0, 1].map((channel) => {
    const bytes = band(channel, row, rows);
    return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  });
  const out = new Uint16Array(parts[0].length * 2);
  for (let i = 0; i < parts[0].length; i++) {
    out[2 * i] = parts[0][i];
    out[2 * i + 1] = parts[1][i];
  }
  return Buffer.from(out.buffer);
}

function writeFile(path, { rows, columns, frames, axis }, pixels) {
  const fd = openSync(path, 'w');
  const entries = [];
  let at = 0;
  const file = {
    write(bytes) {
      writeSync(fd, bytes, 0, bytes.length, at);
      at += bytes.length;
    },
    align() {
      at = Math.ceil(at / PAGE) * PAGE;
    },
    /** Head of a chunk whose payload begins 8 bytes before a page. */
    head(name, length, listed = true) {
      file.align();
      if (listed) entries.push(Buffer.from(name), u64(at), u64(length));
      const head = Buffer.alloc(PAGE - 8);
      head.writeUInt32LE(0x0abeceda, 0);
      head.writeUInt32LE(PAGE - 24, 4);
      head.writeBigUInt64LE(BigInt(length), 8);
      head.write(name, 16);
      file.write(head);
    },
    chunk(name, payload) {
      file.head(name, payload.length);
      file.write(payload);
    },
  };
  const signature = Buffer.alloc(112);
  signature.writeUInt32LE(0x0abeceda, 0);
  signature.writeUInt32LE(32, 4);
  signature.writeUInt32LE(64, 8);
  signature.write('ND2 FILE SIGNATURE CHUNK NAME01!Ver3.0', 16);
  file.write(signature);
  file.chunk('ImageAttributesLV!', attributes(rows, columns, frames));
  if (frames > 1) file.chunk('ImageMetadataLV!', experiment(frames));
  file.chunk('ImageMetadataSeqLV|0!', picture(axis));
  pixels(file);
  const times = Float64Array.from({ length: frames }, (_, i) => 1.142 * i);
  file.chunk('CustomData|AcqTimesCache!', Buffer.from(times.buffer));
  file.align();
  const map = at;
  const last = Buffer.concat([Buffer.from('ND2 CHUNK MAP SIGNATURE 0000001!'), u64(map)]);
  const body = Buffer.concat([...entries, last]);
  file.head('ND2 FILEMAP SIGNATURE NAME 0001!', body.length, false);
  file.write(body);
  file.write(last);
  closeSync(fd);
}

function u64(value) {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(BigInt(value));
  return out;
}

function record(type, name, value) {
  const text = Buffer.from(`${name}\0`, 'utf16le');
  return Buffer.concat([Buffer.from([type, text.length / 2]), text, value]);
}

const u32 = (name, value) => record(3, name, Buffer.from(Uint32Array.of(value).buffer));
const f64 = (name, value) => record(6, name, Buffer.from(Float64Array.of(value).buffer));
const text = (name, value) => record(8, name, Buffer.from(`${value}\0`, 'utf16le'));

function level(name, children) {
  const length = 2 + (name.length + 1) * 2 + 12 + children.reduce((sum, child) => sum + child.length, 0);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(children.length, 0);
  head.writeBigUInt64LE(BigInt(length), 4);
  return Buffer.concat([record(11, name, head), ...children, Buffer.alloc(children.length * 8)]);
}

function attributes(rows, columns, frames) {
  return level('SLxImageAttributes', [
    u32('uiWidth', columns),
    u32('uiWidthBytes', columns * 4),
    u32('uiHeight', rows),
    u32('uiComp', 2),
    u32('uiBpcInMemory', 16),
    u32('uiBpcSignificant', 12),
    u32('uiSequenceCount', frames),
    u32('eCompression', 2),
    u32('ePixelType', 1),
  ]);
}

function experiment(frames) {
  /** @type {[string, number][]} */
  const times = [
    ['dStart', 0],
    ['dPeriod', 0],
    ['dDuration', 1.142 * frames],
    ['dAvgPeriodDiff', 1.142],
  ];
  const pars = level('uLoopPars', [u32('uiCount', frames), ...times.map(([name, value]) => f64(name, value))]);
  return level('SLxExperiment', [u32('eType', 1), pars]);
}

function picture(axis) {
  const probe = level('pFluorescentProbe', [text('m_sName', 'Fluo-4')]);
  const planes = [0, 1].map((i) => level(`a${i}`, [u32('uiCompCount', 1), text('sDescription', `CH${i + 1}`), probe]));
  return level('SLxPictureMetadata', [
    level('sPicturePlanes', [u32('uiCount', 2), level('sPlaneNew', planes)]),
    f64('dCalibration', 0.25),
    record(1, 'bCalibrated', Buffer.of(1)),
    u32('ePictureYAxis', axis),
    f64('dTimeAxisCalibration', 1.142),
  ]);
}

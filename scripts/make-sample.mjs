// Makes examples/vessel-kymograph.ome.tif: a synthetic line scan along a capillary, the same on every run.
// Usage: node scripts/make-sample.mjs [FILE]
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';

const LINES = 4000;
const PIXELS = 96;
const MICROMETRES_PER_PIXEL = 0.284;
const SECONDS_PER_LINE = 0.00117;
const ROWS_PER_STRIP = 500;
const CHANNELS = ['Calcium', 'Vessel'];

/** @typedef {() => number} Random Returns the next number, from 0 to 1. */
/** @typedef {{ offset: number, count: number }} Strip */
/** @typedef {{ offset: number, bytes: number }} Text */
/** @typedef {[code: number, type: number, values: number[] | Text]} Tag */

/**
 * mulberry32: a small generator with a known sequence for a seed.
 * @param {number} seed
 * @returns {Random}
 */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns the photons counted when `mean` are expected. The normal approximation is good enough for a picture.
 * @param {number} mean
 * @param {Random} random
 */
function countPhotons(mean, random) {
  const gauss = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * gauss));
}

/**
 * Cells of the vessel wall that stay where they are and fire now and then: fast rise, slow decay.
 * @param {Random} random
 */
function calciumPlane(random) {
  const cells = [14, 37, 58, 83].map((centre) => ({
    centre,
    width: 3 + 3 * random(),
    rest: 8 + 6 * random(),
    events: Array.from({ length: 5 }, () => ({
      line: Math.floor(LINES * random()),
      height: 25 + 45 * random(),
      decay: 180 + 220 * random(),
    })),
  }));
  const plane = new Uint16Array(LINES * PIXELS);
  for (let line = 0; line < LINES; line++) {
    const levels = cells.map((cell) =>
      cell.events.reduce((sum, event) => sum + transient(line - event.line, event), cell.rest),
    );
    for (let x = 0; x < PIXELS; x++) {
      let mean = 4;
      for (const [i, cell] of cells.entries())
        mean += (levels[i] ?? 0) * Math.exp(-(((x - cell.centre) / cell.width) ** 2));
      plane[line * PIXELS + x] = countPhotons(mean, random);
    }
  }
  return plane;
}

/**
 * @param {number} since lines
 * @param {{ height: number, decay: number }} event
 */
function transient(since, { height, decay }) {
  if (since < 0) return 0;
  return height * (1 - Math.exp(-since / 12)) * Math.exp(-since / decay);
}

/**
 * Bright plasma with dark red cells that move along the line: streaks, steeper in each heart beat.
 * @param {Random} random
 */
function vesselPlane(random) {
  /** @type {{ enters: number, length: number }[]} */
  const cells = [];
  for (let line = -200; line < LINES; line += 18 + 30 * random())
    cells.push({ enters: line, length: 10 + 6 * random() });
  const travelled = [0];
  for (let line = 1; line <= LINES + 200; line++) travelled.push((travelled[line - 1] ?? 0) + speed(line));
  const travelledAt = (/** @type {number} */ line) => travelled[Math.max(0, Math.round(line) + 200)] ?? 0;
  const distance = (/** @type {number} */ from, /** @type {number} */ to) => travelledAt(to) - travelledAt(from);
  const plane = new Uint16Array(LINES * PIXELS);
  for (let line = 0; line < LINES; line++) {
    const positions = cells
      .filter((cell) => cell.enters <= line && line - cell.enters < 200)
      .map((cell) => ({ x: distance(cell.enters, line) - 20, half: cell.length / 2 }));
    for (let x = 0; x < PIXELS; x++) {
      const shade = positions.reduce((light, cell) => light * (1 - 0.8 * edge(Math.abs(x - cell.x), cell.half)), 1);
      plane[line * PIXELS + x] = countPhotons(6 + 54 * shade, random);
    }
  }
  return plane;
}

/**
 * Returns pixels per line: 1.2 on average (0.29 mm/s), pulsating at 8 Hz.
 * @param {number} line
 */
function speed(line) {
  return 1.2 + 0.45 * Math.sin(2 * Math.PI * 8 * SECONDS_PER_LINE * line);
}

/**
 * Returns 1 inside, 0 outside, soft over two pixels.
 * @param {number} distance
 * @param {number} half
 */
function edge(distance, half) {
  return Math.min(1, Math.max(0, (half - distance) / 2 + 0.5));
}

function omeXml() {
  const channels = CHANNELS.map((name, i) => `<Channel ID="Channel:0:${i}" Name="${name}" SamplesPerPixel="1"/>`).join(
    '',
  );
  // SizeY are the lines of a line scan. OME has no unit of time for Y, so the line period is an annotation.
  return `<?xml version="1.0" encoding="UTF-8"?>
<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openmicroscopy.org/Schemas/OME/2016-06 http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd" Creator="acquisition-store">
<Image ID="Image:0" Name="Synthetic vessel line scan"><AcquisitionDate>2026-01-15T10:30:00</AcquisitionDate><Description>Synthetic data: red cells moving through a capillary (Vessel) and calcium transients of cells beside it (Calcium). Every row is one line of a line scan.</Description>
<Pixels ID="Pixels:0" DimensionOrder="XYZTC" Type="uint16" BigEndian="false" SizeX="${PIXELS}" SizeY="${LINES}" SizeZ="1" SizeT="1" SizeC="${CHANNELS.length}" PhysicalSizeX="${MICROMETRES_PER_PIXEL}" PhysicalSizeXUnit="\u00b5m">${channels}<TiffData IFD="0" PlaneCount="${CHANNELS.length}"/></Pixels>
<AnnotationRef ID="Annotation:LineScan"/></Image>
<StructuredAnnotations><MapAnnotation ID="Annotation:LineScan" Namespace="acquisition-store/line-scan"><Value><M K="LinePeriod">${SECONDS_PER_LINE}</M><M K="LinePeriodUnit">s</M></Value></MapAnnotation></StructuredAnnotations>
</OME>`;
}

/** Bytes that grow; every part starts at an even offset, as TIFF wants it. */
class Output {
  /** @type {Buffer[]} */
  parts = [];
  length = 0;

  /**
   * @param {Buffer} bytes
   * @returns {number} their offset
   */
  add(bytes) {
    const offset = this.length;
    const padded = bytes.length % 2 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes;
    this.parts.push(padded);
    this.length += padded.length;
    return offset;
  }
}

/**
 * Returns a classic little-endian TIFF with one page per channel, in deflated strips without a predictor.
 * @param {Uint16Array[]} planes
 * @param {string} description
 */
function toTiff(planes, description) {
  const output = new Output();
  const header = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0]);
  output.add(header);
  const pages = planes.map((plane) => addStrips(output, plane));
  const text = output.add(Buffer.from(`${description}\0`));
  let pointer = { buffer: header, at: 4 };
  for (const [index, page] of pages.entries()) {
    const tags = pageTags(page, index === 0 ? { offset: text, bytes: Buffer.byteLength(description) + 1 } : undefined);
    const offset = output.length;
    const ifd = toIfd(output, offset, tags);
    pointer.buffer.writeUInt32LE(offset, pointer.at);
    pointer = { buffer: ifd, at: 2 + tags.length * 12 };
  }
  return Buffer.concat(output.parts);
}

/**
 * @param {Output} output
 * @param {Uint16Array} plane
 * @returns {Strip[]}
 */
function addStrips(output, plane) {
  /** @type {Strip[]} */
  const strips = [];
  for (let row = 0; row < LINES; row += ROWS_PER_STRIP) {
    const end = Math.min(LINES, row + ROWS_PER_STRIP);
    const bytes = Buffer.alloc((end - row) * PIXELS * 2);
    for (let i = 0; i < bytes.length / 2; i++) bytes.writeUInt16LE(plane[row * PIXELS + i] ?? 0, i * 2);
    const packed = deflateSync(bytes, { level: 9 });
    strips.push({ offset: output.add(packed), count: packed.length });
  }
  return strips;
}

const SHORT = 3;
const LONG = 4;
const ASCII = 2;

/**
 * Returns the tags of a page. A text is given by its position in the file.
 * @param {Strip[]} strips
 * @param {Text | undefined} text
 * @returns {Tag[]}
 */
function pageTags(strips, text) {
  return [
    [256, LONG, [PIXELS]],
    [257, LONG, [LINES]],
    [258, SHORT, [16]],
    [259, SHORT, [8]],
    [262, SHORT, [1]],
    ...(text ? [/** @type {Tag} */ ([270, ASCII, text])] : []),
    [273, LONG, strips.map((strip) => strip.offset)],
    [277, SHORT, [1]],
    [278, LONG, [ROWS_PER_STRIP]],
    [279, LONG, strips.map((strip) => strip.count)],
    [339, SHORT, [1]],
  ];
}

/**
 * Writes the IFD at `offset`, with its longer values directly after it.
 * @param {Output} output
 * @param {number} offset
 * @param {Tag[]} tags
 */
function toIfd(output, offset, tags) {
  const ifd = Buffer.alloc(2 + tags.length * 12 + 4);
  /** @type {Buffer[]} */
  const extra = [];
  let extraAt = offset + ifd.length;
  ifd.writeUInt16LE(tags.length, 0);
  for (const [i, [code, type, values]] of tags.entries()) {
    const at = 2 + i * 12;
    ifd.writeUInt16LE(code, at);
    ifd.writeUInt16LE(type, at + 2);
    if (!Array.isArray(values)) {
      ifd.writeUInt32LE(values.bytes, at + 4);
      ifd.writeUInt32LE(values.offset, at + 8);
      continue;
    }
    ifd.writeUInt32LE(values.length, at + 4);
    if (values.length === 1) ifd.writeUInt32LE(values[0] ?? 0, at + 8);
    else {
      const bytes = Buffer.alloc(4 * values.length);
      for (const [k, value] of values.entries()) bytes.writeUInt32LE(value, 4 * k);
      ifd.writeUInt32LE(extraAt, at + 8);
      extra.push(bytes);
      extraAt += bytes.length;
    }
  }
  output.add(ifd);
  for (const bytes of extra) output.add(bytes);
  return ifd;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = process.argv[2] ?? join(root, 'examples', 'vessel-kymograph.ome.tif');
const planes = [calciumPlane(randomFrom(20_260_115)), vesselPlane(randomFrom(4711))];
writeFileSync(target, toTiff(planes, omeXml()));

// An OIR line scan as it is recorded: two channels in alternating bands of 26 lines, index and documents at the end.
import { closeSync, openSync, writeSync } from 'node:fs';

const LINES_PER_BAND = 26;
const CHANNELS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

/** @param {(channel: number, row: number, rows: number) => Buffer} band samples of some lines */
export function oirLineScan(path, rows, columns, band) {
  const fd = openSync(path, 'w');
  const offsets = [];
  let at = 96;
  const write = (bytes) => {
    writeSync(fd, bytes, 0, bytes.length, at);
    at += bytes.length;
  };
  const block = (kind, ...payload) => {
    offsets.push(at);
    write(
      words(
        payload.reduce((sum, { length }) => sum + length, 0),
        kind,
      ),
    );
    for (const part of payload) write(part);
  };
  const xml = Buffer.from(frameProperties(columns));
  block(1, Buffer.alloc(36), words(xml.length), xml);
  for (let row = 0, n = 0; row < rows; row += LINES_PER_BAND, n++) {
    for (const [channel, id] of CHANNELS.entries()) {
      const name = Buffer.from(`t001_0_1_${id}_${n}`);
      const pixels = band(channel, row, Math.min(LINES_PER_BAND, rows - row));
      block(3, words(row * columns * 2, pixels.length, name.length), name);
      block(4, pixels);
    }
  }
  const properties = Buffer.from(imageProperties(rows));
  block(0, Buffer.alloc(36), words(properties.length), properties);
  const indexOffset = at;
  write(words(0xffffffff));
  write(Buffer.from(new BigUint64Array(offsets.map(BigInt)).buffer));
  const header = Buffer.alloc(96);
  header.write('OLYMPUSRAWFORMAT', 0);
  header.writeBigUInt64LE(BigInt(at), 32);
  header.writeBigUInt64LE(BigInt(indexOffset), 40);
  header.writeUInt32LE(offsets.length, 48);
  writeSync(fd, header, 0, header.length, 0);
  closeSync(fd);
}

function words(...values) {
  return Buffer.from(new Uint32Array(values).buffer);
}

function frameProperties(columns) {
  return `<?xml version="1.0"?><frameProperties><imageDefinition><width>${columns}</width><height>512</height><depth>2</depth><bitCounts>12</bitCounts></imageDefinition></frameProperties>`;
}

function imageProperties(rows) {
  const channels = CHANNELS.map(
    (id, i) =>
      `<channel id="${id}" order="${i + 1}"><name>CH${i + 1}</name><length><x>0.25</x><y>0.25</y></length></channel>`,
  );
  return `<?xml version="1.0"?><imageProperties><imageInfo><phase><group>${channels.join('')}</group></phase><axis><axis>TIMELAPSE</axis><maxSize>${rows}</maxSize></axis></imageInfo><acquisition><configuration><scannerType>Galvano</scannerType></configuration><scannerSettings type="Galvano"><param><speed><speedInformation><lineSpeed>1.142</lineSpeed><seriesInterval>1.142</seriesInterval></speedInformation></speed></param></scannerSettings></acquisition></imageProperties>`;
}

// A LIF line scan: two channels of 12 bit one behind the other, behind an overview that nobody reads.
import { closeSync, openSync, writeSync } from 'node:fs';

const ROWS_PER_WRITE = 500;

/** @param {(channel: number, row: number, rows: number) => Buffer} band samples of some lines */
export function lifLineScan(path, rows, columns, band) {
  const fd = openSync(path, 'w');
  const bytes = rows * columns * 2;
  const overview = Buffer.alloc(512 * 512);
  let at = 0;
  const write = (piece) => {
    writeSync(fd, piece, 0, piece.length, at);
    at += piece.length;
  };
  write(textBlock(document(rows, columns, bytes)));
  write(blockHead('MemBlock_0', 0));
  write(blockHead('MemBlock_1', overview.length));
  write(overview);
  write(blockHead('MemBlock_2', 2 * bytes));
  for (let channel = 0; channel < 2; channel++) {
    for (let row = 0; row < rows; row += ROWS_PER_WRITE)
      write(band(channel, row, Math.min(ROWS_PER_WRITE, rows - row)));
  }
  closeSync(fd);
}

function textBlock(text) {
  const head = Buffer.alloc(13);
  head.writeUInt32LE(0x70, 0);
  head.writeUInt32LE(5 + 2 * text.length, 4);
  head.writeUInt8(0x2a, 8);
  head.writeUInt32LE(text.length, 9);
  return Buffer.concat([head, Buffer.from(text, 'utf16le')]);
}

function blockHead(id, size) {
  const head = Buffer.alloc(22);
  head.writeUInt32LE(0x70, 0);
  head.writeUInt32LE(14 + 2 * id.length, 4);
  head.writeUInt8(0x2a, 8);
  head.writeBigUInt64LE(BigInt(size), 9);
  head.writeUInt8(0x2a, 17);
  head.writeUInt32LE(id.length, 18);
  return Buffer.concat([head, Buffer.from(id, 'utf16le')]);
}

function document(rows, columns, bytes) {
  const channel = (bits, offset) =>
    `<ChannelDescription DataType="0" ChannelTag="0" Resolution="${bits}" NameOfMeasuredQuantity="" Min="0" Max="4095" Unit="" LUTName="Gray" IsLUTInverted="0" BytesInc="${offset}" BitInc="0"/>`;
  const dimension = (id, count, length, unit, step) =>
    `<DimensionDescription DimID="${id}" NumberOfElements="${count}" Origin="0" Length="${length}" Unit="${unit}" BytesInc="${step}" BitInc="0"/>`;
  const image = (name, channels, dimensions, size, block) =>
    `<Element Name="${name}"><Data><Image><ImageDescription><Channels>${channels}</Channels><Dimensions>${dimensions}</Dimensions>` +
    `</ImageDescription></Image></Data><Memory Size="${size}" MemoryBlockID="MemBlock_${block}"/><Children/></Element>`;
  const frame = dimension(1, 512, '1.28e-4', 'm', 1) + dimension(2, 512, '1.28e-4', 'm', 512);
  const scan = dimension(1, columns, '1.28e-4', 'm', 2) + dimension(4, rows, 0.0025 * (rows - 1), 's', 2 * columns);
  const channels = channel(12, 0) + channel(12, bytes);
  return (
    '<LMSDataContainerHeader Version="2"><Element Name="bench.lif"><Data><Experiment/></Data>' +
    '<Memory Size="0" MemoryBlockID="MemBlock_0"/><Children>' +
    image('xt', channels, scan, 2 * bytes, 2) +
    image('Overview', channel(8, 0), frame, 512 * 512, 1) +
    '</Children></Element></LMSDataContainerHeader>'
  );
}

/** Writing a tar archive in memory: plain files with short ASCII names, in the ustar format. */

const BLOCK = 512;

export interface TarEntry {
  name: string;
  bytes: Uint8Array;
}

/** Returns the bytes of an archive. `time` is that of all files, in milliseconds since 1970. */
export function createTar(entries: readonly TarEntry[], time: number): Buffer {
  const parts = entries.flatMap(({ name, bytes }) => [header(name, bytes.length, time), bytes, padding(bytes.length)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, size: number, time: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0, 100, 'ascii');
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Math.floor(time / 1000), 12), 136);
  // The checksum counts its own field as blanks.
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

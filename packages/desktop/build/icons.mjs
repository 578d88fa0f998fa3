// The icon of the viewer in the formats of macOS and Windows. Needs rsvg-convert of librsvg.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const ICON = join(ROOT, 'packages', 'viewer', 'src', 'app', 'icon.svg');
/** Width by type of an entry with a PNG. */
const ICNS_TYPES = { ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 };
/** Widths of the pictures in an icon for Windows. */
const ICO_SIZES = [16, 20, 24, 32, 40, 48, 64, 128, 256];
const ICO_HEADER_BYTES = 6;
const ICO_ENTRY_BYTES = 16;

/** Returns an .icns file: entries of a type, a length and a PNG. @returns {Buffer} */
export function makeIcns() {
  const pictures = drawIcon(Object.values(ICNS_TYPES));
  const entries = Object.keys(ICNS_TYPES).map((type, i) => icnsEntry(type, pictures[i] ?? Buffer.alloc(0)));
  return icnsEntry('icns', Buffer.concat(entries));
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function icnsEntry(type, data) {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32BE(data.length + 8, 4);
  return Buffer.concat([header, data]);
}

/** Returns an .ico file: a list of the pictures, then each as PNG. @returns {Buffer} */
export function makeIco() {
  const pictures = drawIcon(ICO_SIZES);
  const header = Buffer.alloc(ICO_HEADER_BYTES);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let offset = ICO_HEADER_BYTES + ICO_ENTRY_BYTES * pictures.length;
  const entries = pictures.map((picture, i) => {
    const entry = Buffer.alloc(ICO_ENTRY_BYTES);
    // A byte for each side, where 0 means 256.
    entry.fill((ICO_SIZES[i] ?? 0) % 256, 0, 2);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(picture.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += picture.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...pictures]);
}

/**
 * Draws the icon as PNG.
 * @param {readonly number[]} sizes widths in pixels
 */
function drawIcon(sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'acqstore-icon-'));
  try {
    return sizes.map((size) => {
      const path = join(folder, `${size}.png`);
      run(folder, 'rsvg-convert', ['-w', String(size), '-h', String(size), '-o', path, ICON]);
      return readFileSync(path);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

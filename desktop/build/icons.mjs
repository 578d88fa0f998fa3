// The icon of the viewer in the format of macOS. Needs rsvg-convert of librsvg.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const ICON = join(ROOT, 'viewer', 'src', 'app', 'icon.svg');
/** Width by type of an entry with a PNG. */
const ICNS_TYPES = { ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 };

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

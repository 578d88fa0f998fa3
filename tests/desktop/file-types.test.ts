/** The file types of the desktop application, which its packages register. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addTypes, documentTypes, FILE_TYPES, mimeInfo } from '../../packages/desktop/build/documents.mjs';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { REPOSITORY } from '../support/cli.js';
import { tempFolder } from '../support/temp.js';

const HEAD_BYTES = 4096;

/** Bytes with nothing but the signature. */
function headWith(signature: Readonly<Record<number, string>>): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  for (const [offset, text] of Object.entries(signature)) {
    head.set(
      [...text].map((character) => character.charCodeAt(0)),
      Number(offset),
    );
  }
  return head;
}

describe('the file types', () => {
  it.each(FORMATS.filter(({ fileTypes }) => fileTypes))(
    'of $id have names of their own, and extensions of the format',
    ({ extensions, fileTypes = [] }) => {
      for (const type of fileTypes) {
        expect(extensions).toEqual(expect.arrayContaining([...type.extensions]));
        const others = FILE_TYPES.filter((other) => other !== type);
        expect(others.map(({ mime }) => mime)).not.toContain(type.mime);
        expect(others.flatMap((other) => other.extensions).filter((one) => type.extensions.includes(one))).toEqual([]);
      }
    },
  );

  const signed = FORMATS.flatMap(({ id, sniff, fileTypes = [] }) =>
    fileTypes.flatMap(({ name, extensions, signature }) =>
      signature ? [{ id, sniff, name, extensions, signature }] : [],
    ),
  );
  it.each(signed)('of $id have a signature that the reader knows', ({ sniff, extensions, signature }) => {
    const probe = { name: `a${extensions[0]}`, kind: 'file' as const, entries: [], size: HEAD_BYTES };
    expect(sniff({ ...probe, head: new Uint8Array(HEAD_BYTES) })).toBe(false);
    expect(sniff({ ...probe, head: headWith(signature) })).not.toBe(false);
  });

  it('are in the entry of the menu and in the types of Linux', () => {
    const entry = addTypes(readFileSync(join(REPOSITORY, 'packages/desktop/linux/acquisition-store.desktop'), 'utf8'));
    expect(entry).toMatch(/^Keywords=microscopy;.*;CZI;/m);
    expect(entry).toMatch(/^MimeType=image\/tiff;image\/x-ome-tiff;.*image\/x-zeiss-czi;/m);
    expect(entry).not.toContain('@');
    expect(mimeInfo()).toContain('<glob pattern="*.czi"/>');
    expect(mimeInfo()).not.toContain('type="image/tiff">\n    <comment>');
  });

  it('have the last part of their extensions on macOS and Windows', () => {
    expect(documentTypes()).toContainEqual({
      id: 'AcquisitionStore.tiff',
      name: 'TIFF image',
      extensions: ['tif', 'tiff', 'btf'],
    });
    const ids = documentTypes().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const program = 'update-mime-database';
  it.runIf(spawnSync(program, ['-v']).status === 0)('are accepted by the database of Linux desktops', () => {
    const folder = join(tempFolder(), 'mime');
    mkdirSync(join(folder, 'packages'), { recursive: true });
    writeFileSync(join(folder, 'packages', 'a.xml'), mimeInfo());
    const { status, stderr } = spawnSync(program, [folder], {
      encoding: 'utf8',
      env: { ...process.env, XDG_DATA_DIRS: dirname(folder) },
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(readFileSync(join(folder, 'globs2'), 'utf8')).toContain('60:image/x-zeiss-lsm:*.lsm\n');
    const magic = readFileSync(join(folder, 'magic'), 'latin1');
    expect(magic).toContain('[60:image/x-leica-lif]\n>0=\0\u0004p\0\0\0\n1>8=\0\u0001*\n');
  });
});

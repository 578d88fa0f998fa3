/** Recordings whose files have text files beside them, opened again. */
import { appendFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reopenAll } from '../../../packages/server/src/decode/reopen.js';
import { openAt } from '../../../packages/server/src/open.js';
import { tempFolder } from '../../support/temp.js';
import { countingPage } from '../../support/tiff-cases.js';
import { writeTiff } from '../../writers/tiff.js';

const folder = realpathSync(tempFolder());
const at = (name: string) => join(folder, name);

it('a text file beside each file is not taken for a part that has gone', async () => {
  for (const t of [0, 1, 2]) {
    writeFileSync(at(`x_t${t}.tif`), writeTiff({ pages: [countingPage(t)] }));
    writeFileSync(at(`x_t${t}.txt`), 'notes of this frame');
  }
  const path = at('x_t0.tif');
  const first = await openAt({ path }, { parts: 'all' });
  const known = first.fingerprints();
  first.close();
  const again = () => reopenAll(() => openAt({ path }, { parts: 'all', isKnown: true }), known);
  (await again()).close();
  appendFileSync(at('x_t2.txt'), ' and more');
  await expect(again()).rejects.toMatchObject({ code: 'source_changed', message: /x_t2\.txt had/ });
  rmSync(at('x_t2.txt'));
  await expect(again()).rejects.toMatchObject({ code: 'source_changed', message: /x_t2\.txt was deleted/ });
});

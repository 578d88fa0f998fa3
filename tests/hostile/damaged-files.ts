import { describe, expect, it } from 'vitest';
import { cutLengths, honest, mutate, Witness } from './mutate.js';

export interface DamagedFiles {
  /** Cases of all files together. */
  cases: number;
  files: { name: string; bytes: Uint8Array }[];
  open: Parameters<typeof Witness.of>[1];
  /** Share of changes of a few bytes that may pass unnoticed, as the format has no checksum; without it they are not tried. */
  blind?: number;
}

/** Tests that files of one format are refused or read honestly, however they are damaged. */
export function describeDamagedFiles(title: string, { cases, files, open, blind }: DamagedFiles): void {
  describe(title, () => {
    const perFile = Math.ceil(cases / files.length);

    it.each(files)(`$name, ${perFile} cases`, { timeout: 7_200_000 }, async ({ bytes }) => {
      const outcomes = { refused: 0, opened: 0 };
      for (let i = 0; i < perFile; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
      expect(outcomes.opened).toBeGreaterThan(perFile / 50);
      expect(outcomes.refused).toBeGreaterThan(perFile / 50);
    });

    it.each(files)('$name, cut at each of 128 places: true planes', async ({ bytes }) => {
      await (await Witness.of(bytes, open)).expectTrueCuts(cutLengths(bytes, 128));
    });

    if (blind === undefined) return;
    it.each(files)(`$name, ${perFile} times a few bytes: true planes`, { timeout: 7_200_000 }, async ({ bytes }) => {
      await (await Witness.of(bytes, open)).expectTrueChanges(Math.ceil(perFile / 2), blind);
    });
  });
}

/** From the header of an MRC file to a scene. Pure. */

import { unsupported } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep, type UncalibratedUnit } from '../../model/metadata/steps.js';
import { type SampleType, storedBytes } from '../../model/samples/types.js';
import { HEADER_BYTES } from './magic.js';
import type { RawMrc } from './parse.js';

const MODES: Readonly<Record<number, SampleType>> = { 0: 'int8', 1: 'int16', 2: 'float32', 6: 'uint16', 12: 'float16' };
const UNREAD: Readonly<Record<number, string>> = { 3: 'complex integers', 4: 'complex floats', 101: '4-bit integers' };
const MICROMETERS_PER_ANGSTROM = 1e-4;

/** @throws AcqError `unsupported_format` for samples of another mode */
export function toScene(raw: RawMrc, fileBytes: number): SceneInfo {
  const sampleType = raw.mode === 0 && raw.hasUnsignedBytes ? 'uint8' : MODES[raw.mode];
  if (!sampleType) {
    const what = UNREAD[raw.mode] ?? 'unknown samples';
    throw unsupported(`mode ${raw.mode} (${what}) is not supported. Convert the file to mode 2 (32-bit floats).`);
  }
  const notes = new Notes();
  const [X, Y, sections] = raw.size;
  const Z = sectionsPerVolume(raw);
  const available = Math.floor((fileBytes - HEADER_BYTES - raw.extendedBytes) / (X * Y * storedBytes(sampleType)));
  if (available < sections) {
    notes.add(
      asCorrupted(
        `The file ends after ${grouped(Math.max(0, available))} of ${plural(sections, 'section')}. Copy it again.`,
      ),
    );
  }
  if (raw.axes.join() !== '0,1,2') {
    const [columns, rows, along] = raw.axes.map((axis) => 'xyz'[axis]);
    notes.add(
      `Columns run along ${columns} of the cell, rows along ${rows} and sections along ${along}, as they are stored.`,
    );
  }
  return {
    name: '',
    sampleType,
    channels: channelsNamed([undefined]),
    sizes: { T: sections / Z, Z, Y, X },
    steps: {
      T: defaultStep('Frames'),
      Z: Z > 1 ? step(raw, 2, 'Planes') : defaultStep('Planes'),
      Y: step(raw, 1),
      X: step(raw, 0),
    },
    date: '',
    time: '',
    reference: null,
    warnings: notes.list(),
  };
}

/** Single images are frames (`MZ` is 1), also those of a stack of volumes; everything else is one volume. */
function sectionsPerVolume({ size: [, , sections], intervals: [, , z], spaceGroup }: RawMrc): number {
  const isSplit = spaceGroup > 400 || (spaceGroup === 0 && z === 1);
  return isSplit && z > 0 && sections % z === 0 ? z : sections;
}

/** @param along 0 for columns, 1 for rows, 2 for sections */
function step({ cell, intervals, axes }: RawMrc, along: 0 | 1 | 2, fallback?: UncalibratedUnit): Step {
  const axis = axes[along];
  const angstroms = cell[axis]! / intervals[axis]!;
  return makeStep(angstroms * MICROMETERS_PER_ANGSTROM, 'micrometer') ?? defaultStep(fallback);
}

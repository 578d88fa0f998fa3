import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { openTiff } from '../../tiff/parse.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { readShape } from './image-shape.js';
import { Images } from './images.js';
import { CZ_LSMINFO } from './magic.js';
import { type LsmFacts, toScenes } from './metadata.js';
import { findImagePages } from './pages.js';
import {
  NO_INFO,
  parseLsmInfo,
  type RawLsmInfo,
  readChannelColors,
  readChannelDataTypes,
  readTimeStamps,
} from './parse.js';
import { planImages } from './plan.js';
import { readScanInformation } from './scan-information.js';

/** Reads Zeiss LSM: a TIFF that breaks a few rules. See `docs/formats/lsm.md`. */
export const reader: Reader = {
  open: async (input: OpenInput) => {
    if (!input.source) throw decodeFailed(`${input.probe.name}: is a folder, not an LSM file`);
    return openLsm(openTiff(input.source));
  },
};

/** An acquisition over the pages of `file`. Reads tags and the blocks of the header, no pixels. */
export function openLsm(file: TiffFile): Acquisition {
  const first = file.page(0);
  const warnings = [...file.warnings];
  const info = readInfo(file, first, warnings);
  const facts = readFacts(file, info, warnings);
  const shape = readShape(file, first, (channels) =>
    block(info.offsets.channelDataTypes, 'channel data types', warnings, (offset) =>
      readChannelDataTypes(file.source, offset, channels),
    ),
  );
  const pages = findImagePages(file);
  const plan = planImages(info, pages.count);
  const images = new Images(file, pages, plan, shape);
  warnings.push(...pages.warnings, ...images.losses());
  const scenes = toScenes(facts, plan, shape, images.rows);
  return {
    info: { format: 'lsm', scenes: scenes.map((scene) => ({ ...scene, warnings: [...warnings, ...scene.warnings] })) },
    scratchBytes: () => images.scratchBytes,
    readPlane: (address, target, signal) => images.read(address, target, signal),
  };
}

function readInfo(file: TiffFile, page: TiffPage, warnings: string[]): RawLsmInfo {
  const bytes = softly(() => page.bytes(CZ_LSMINFO));
  if (!bytes && !page.tags.has(CZ_LSMINFO)) {
    throw unsupported(
      `${file.source.name}: is called .lsm, but its first page has no header of Zeiss (tag ${CZ_LSMINFO}); ` +
        'call it .tif to open it as a plain TIFF',
    );
  }
  const info = bytes && parseLsmInfo(bytes);
  if (!info) warnings.push('The header of Zeiss is damaged; sizes, steps and names are not known.');
  return info ?? NO_INFO;
}

function readFacts({ source }: TiffFile, info: RawLsmInfo, warnings: string[]): LsmFacts {
  const { scanInformation, timeStamps, channelColors } = info.offsets;
  return {
    info,
    scan: block(scanInformation, 'scan settings', warnings, (offset) => readScanInformation(source, offset)) ?? {
      dataChannels: [],
    },
    stamps: block(timeStamps, 'time stamps', warnings, (offset) => readTimeStamps(source, offset)) ?? [],
    ...(block(channelColors, 'channel names', warnings, (offset) => readChannelColors(source, offset)) ?? {
      names: [],
      colors: [],
    }),
  };
}

/** A block of the header; one that is damaged costs what it would tell. */
function block<T>(
  offset: number,
  what: string,
  warnings: string[],
  read: (offset: number) => T | undefined,
): T | undefined {
  if (offset === 0) return undefined;
  const found = softly(() => read(offset));
  if (found === undefined) warnings.push(`The block of ${what} at offset ${offset} is damaged and not used.`);
  return found;
}

/** `undefined` for what is damaged. */
function softly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** Reads the Zeiss header of an LSM file and the blocks that it points to. */

import { AcqError, unsupported } from '../../base/errors.js';
import type { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { readChannelColors, readChannelDataTypes, readTimeStamps } from './blocks.js';
import { CZ_LSMINFO } from './magic.js';
import { type RawScanInformation, readScanInformation } from './scan-information.js';

/** Fields of CZ_LSMINFO, under the names that Zeiss gives them. Fields after the end of a short structure are 0. */
export interface RawLsmInfo {
  dimensions: { X: number; Y: number; Z: number; C: number; T: number; P: number; M: number };
  /** 0: channels differ, 1: 8 bits, 2: 12 bits in 16, 3: 16 bits, 5: float. */
  dataType: number;
  /** Meters. */
  voxel: { X: number; Y: number; Z: number };
  /** Meters; positions count from there. */
  origin: { X: number; Y: number };
  scanType: number;
  /** 0 for original scan data. */
  typeOfData: number;
  /** Seconds, 0 when not set. */
  timeInterval: number;
  /** Offsets of the blocks in the file; 0 when missing. */
  offsets: {
    channelColors: number;
    channelDataTypes: number;
    scanInformation: number;
    timeStamps: number;
    positions: number;
  };
}

const MAGICS = [0x0300494c, 0x0400494c];

/** Returns `undefined` when the bytes do not start with one of the two magic numbers. */
function parseLsmInfo(bytes: Uint8Array): RawLsmInfo | undefined {
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!MAGICS.includes(view.getUint32(0, true))) return undefined;
  const end = Math.min(bytes.length, Math.max(8, view.getInt32(4, true)));
  const count = (at: number) => (at + 4 <= end ? Math.max(0, view.getInt32(at, true)) : 0);
  const word = (at: number) => (at + 4 <= end ? view.getUint32(at, true) : 0);
  const real = (at: number) => (at + 8 <= end ? view.getFloat64(at, true) : 0);
  return {
    dimensions: { X: count(8), Y: count(12), Z: count(16), C: count(20), T: count(24), P: count(264), M: count(268) },
    dataType: count(28),
    voxel: { X: real(40), Y: real(48), Z: real(56) },
    origin: { X: real(64), Y: real(72) },
    scanType: 90 <= end ? view.getUint16(88, true) : 0,
    typeOfData: word(92),
    timeInterval: real(112),
    offsets: {
      channelColors: word(108),
      channelDataTypes: word(120),
      scanInformation: word(124),
      timeStamps: word(132),
      positions: word(376),
    },
  };
}

/** Replaces a header that is corrupted. */
const NO_INFO: RawLsmInfo = {
  dimensions: { X: 0, Y: 0, Z: 0, C: 0, T: 0, P: 0, M: 0 },
  dataType: 0,
  voxel: { X: 0, Y: 0, Z: 0 },
  origin: { X: 0, Y: 0 },
  scanType: 0,
  typeOfData: 0,
  timeInterval: 0,
  offsets: { channelColors: 0, channelDataTypes: 0, scanInformation: 0, timeStamps: 0, positions: 0 },
};

/** Everything that the header and its blocks contain. */
export interface LsmHeader {
  info: RawLsmInfo;
  scan: RawScanInformation;
  stamps: ArrayLike<number>;
  /** From ChannelColors. */
  names: readonly string[];
  /** From ChannelColors, `0x00BBGGRR`. */
  colors: readonly number[];
  /** Reads the ChannelDataTypes of the first `channels` channels, which few files need. */
  dataTypes(channels: number): readonly number[] | undefined;
}

/**
 * Reads the header and its blocks, but no pixels.
 * @param notes receives a warning for each part that is corrupted; it is read as empty
 * @throws AcqError `unsupported_format` when the file has no Zeiss header
 */
export function readHeader(file: TiffFile, notes: Notes): LsmHeader {
  const { source } = file;
  const info = readInfo(file.page(0), notes);
  const { channelColors, channelDataTypes, scanInformation, timeStamps } = info.offsets;
  const readBlock = <T>(offset: number, what: string, read: (offset: number) => T | undefined): T | undefined => {
    if (offset === 0) return undefined;
    const block = unlessCorrupted(() => read(offset));
    if (block === undefined) {
      notes.add(asCorrupted(`The block of ${what} at offset ${grouped(offset)} is corrupted and was ignored.`));
    }
    return block;
  };
  const scan = readBlock(scanInformation, 'scan settings', (offset) => readScanInformation(source, offset));
  const stamps = readBlock(timeStamps, 'time stamps', (offset) => readTimeStamps(source, offset));
  const colors = readBlock(channelColors, 'channel names', (offset) => readChannelColors(source, offset));
  return {
    info,
    scan: scan ?? { dataChannels: [] },
    stamps: stamps ?? [],
    ...(colors ?? { names: [], colors: [] }),
    dataTypes: (channels) =>
      readBlock(channelDataTypes, 'channel data types', (offset) => readChannelDataTypes(source, offset, channels)),
  };
}

function readInfo(page: TiffPage, notes: Notes): RawLsmInfo {
  const bytes = unlessCorrupted(() => page.bytes(CZ_LSMINFO));
  if (!bytes && !page.tags.has(CZ_LSMINFO)) {
    throw unsupported(
      `the Zeiss header (tag ${CZ_LSMINFO}) is missing from the first page. ` +
        'Rename the file to .tif to open it as a plain TIFF.',
    );
  }
  const info = bytes && parseLsmInfo(bytes);
  if (!info)
    notes.add(asCorrupted('The Zeiss header is corrupted, so dimensions, pixel sizes and channel names are unknown.'));
  return info ?? NO_INFO;
}

/** Calls `read`. Returns `undefined` when the file is corrupted there. */
function unlessCorrupted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** Lists the settings of the recording: `Tracks/Track[1]/DetectionChannels/DetectionChannel[1]/DetectorGainFirst`. */
import type { MetadataList } from '../../model/metadata-list.js';
import type { TiffFile } from '../../tiff/types.js';
import type { RawLsmInfo } from './parse.js';
import { visitScanInformation } from './scan-information.js';
import { BLOCK_NAMES, ENTRY_NAMES } from './scan-names.js';

export function listMetadata({ source }: TiffFile, info: RawLsmInfo, list: MetadataList): void {
  addInfo(list, info);
  const path: { name: string; counts: Map<string, number> }[] = [];
  visitScanInformation(source, info.offsets.scanInformation, ({ kind, id }, value) => {
    if (kind === 'end') path.pop();
    else if (kind === 'start') path.push({ name: numbered(path.at(-1), blockName(id)), counts: new Map() });
    else if (!list.isFull) {
      const name = ENTRY_NAMES[id] ?? hex(id);
      const within = path.slice(1).map((block) => block.name);
      list.add(
        [...within, name].join('/'),
        value ?? '',
        value === undefined ? 'Of a type that is not known' : undefined,
      );
    }
  });
}

/** Lists the fields of CZ_LSMINFO that describe the recording. */
function addInfo(list: MetadataList, { dimensions, voxel, scanType, timeInterval }: RawLsmInfo): void {
  const { X, Y, Z, C, T } = dimensions;
  const fields = { DimensionX: X, DimensionY: Y, DimensionZ: Z, DimensionChannels: C, DimensionTime: T };
  const sizes = { VoxelSizeX: voxel.X, VoxelSizeY: voxel.Y, VoxelSizeZ: voxel.Z };
  for (const [name, value] of Object.entries({
    ...fields,
    ...sizes,
    ScanType: scanType,
    TimeIntervall: timeInterval,
  })) {
    list.add(name, String(value));
  }
}

function blockName(id: number): string {
  return BLOCK_NAMES[id] ?? hex(id);
}

/** Blocks of which there can be several are in a block with the plural of their name. */
function numbered(parent: { name: string; counts: Map<string, number> } | undefined, name: string): string {
  if (parent?.name.replace(/\[\d+\]$/, '') !== `${name}s`) return name;
  const number = (parent.counts.get(name) ?? 0) + 1;
  parent.counts.set(name, number);
  return `${name}[${number}]`;
}

function hex(id: number): string {
  return `0x${id.toString(16).padStart(8, '0')}`;
}

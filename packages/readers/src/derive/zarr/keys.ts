/** The keys of the OME-Zarr of an acquisition. Pure. */
import type { AcquisitionInfo } from '../../model/acquisition.js';
import { below, chunkShape, REFERENCE, referenceImage, sceneImage, type ZarrImage } from './images.js';
import type { ZarrVersion } from './versions.js';

/** One chunk of one level of an image. */
export interface ChunkAddress {
  /** 0 is the full resolution. */
  level: number;
  t: number;
  channel: number;
  z: number;
  /** Row and column in the grid of chunks, not of samples. */
  row: number;
  column: number;
}

export type ZarrKey = DocumentKey | ChunkKey;

export interface DocumentKey {
  kind: 'document';
  /** `undefined` outside of the scenes. */
  scene: number | undefined;
  /** Images whose display ranges are in the document. */
  display: readonly ZarrImage[];
}

export interface ChunkKey {
  kind: 'chunk';
  image: ZarrImage;
  place: ChunkAddress;
}

/** Longer than any key of a tree. */
const MAX_KEY_LENGTH = 120;
const NUMBER = '(0|[1-9]\\d{0,9})';
const IN_IMAGE = new RegExp(`^${NUMBER}(/${REFERENCE})?/(.+)$`);
const IN_LEVEL = new RegExp(`^${NUMBER}/(.+)$`);
const CHUNKS: Record<ZarrVersion, RegExp> = {
  '0.4': new RegExp(`^${new Array(5).fill(NUMBER).join('/')}$`),
  '0.5': new RegExp(`^c/${new Array(5).fill(NUMBER).join('/')}$`),
};
/** Key of the metadata of all scenes as OME-XML. */
export const OME_XML = 'OME/METADATA.ome.xml';
/** Names of the documents of groups and arrays. */
const DOCUMENTS: Record<ZarrVersion, { group: readonly string[]; consolidated: string; array: string }> = {
  '0.4': { group: ['.zgroup', '.zattrs'], consolidated: '.zmetadata', array: '.zarray' },
  '0.5': { group: ['zarr.json'], consolidated: 'zarr.json', array: 'zarr.json' },
};

/** Finds what a key names in the tree of a version; `undefined` when the tree has no such key. */
export function parseKey(info: AcquisitionInfo, version: ZarrVersion, key: string): ZarrKey | undefined {
  if (key.length > MAX_KEY_LENGTH) return undefined;
  const [, sceneText, reference, inside = ''] = IN_IMAGE.exec(key) ?? [];
  if (sceneText === undefined) return parseRootKey(info, version, key);
  const scene = Number(sceneText);
  const image = reference === undefined ? sceneImage(info, scene) : referenceImage(info, scene);
  if (!image) return undefined;
  const { group, consolidated, array } = DOCUMENTS[version];
  const document = { kind: 'document', scene, display: [] } as const;
  if (inside === consolidated)
    return { ...document, display: reference === undefined ? inScene(info, scene) : [image] };
  if (group.includes(inside)) return { ...document, display: inside === '.zattrs' ? [image] : [] };
  const [, levelText, rest = ''] = IN_LEVEL.exec(inside) ?? [];
  const level = Number(levelText);
  if (levelText === undefined || level >= image.levels.length) return undefined;
  if (rest === array) return document;
  const place = parsePlace(image, level, CHUNKS[version].exec(rest));
  return place && { kind: 'chunk', image, place };
}

function parseRootKey(info: AcquisitionInfo, version: ZarrVersion, key: string): DocumentKey | undefined {
  const { group, consolidated } = DOCUMENTS[version];
  const document = { kind: 'document', scene: undefined, display: [] } as const;
  // The root describes its only scene too.
  if (key === consolidated && info.scenes.length === 1) return { ...document, display: inScene(info, 0) };
  const name = key.startsWith('OME/') ? key.slice(4) : key;
  return group.includes(name) || key === OME_XML ? document : undefined;
}

function inScene(info: AcquisitionInfo, scene: number): ZarrImage[] {
  return [sceneImage(info, scene), referenceImage(info, scene)].filter((image) => image !== undefined);
}

function parsePlace(image: ZarrImage, level: number, match: RegExpExecArray | null): ChunkAddress | undefined {
  if (!match) return undefined;
  const [t, channel, z, row, column] = match.slice(1).map(Number) as [number, number, number, number, number];
  const { sizes, channels, levels } = image;
  const whole = levels[level]!;
  const chunk = chunkShape(whole);
  const isInside =
    t < sizes.T &&
    channel < channels.length &&
    z < sizes.Z &&
    row * chunk.rows < whole.rows &&
    column * chunk.columns < whole.columns;
  return isInside ? { level, t, channel, z, row, column } : undefined;
}

/** Returns the key of a chunk of an image. */
export function chunkKey({ path }: ZarrImage, version: ZarrVersion, place: ChunkAddress): string {
  const { level, t, channel, z, row, column } = place;
  return below(path, `${level}/${version === '0.5' ? 'c/' : ''}${[t, channel, z, row, column].join('/')}`);
}

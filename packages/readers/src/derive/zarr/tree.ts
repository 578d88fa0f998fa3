/**
 * The documents of an acquisition as OME-Zarr 0.4 (Zarr 2) and 0.5 (Zarr 3). Pure. The choices that other readers depend on
 * are explained in `docs/ome-zarr-of-any-file.md`.
 */

import type { AcquisitionInfo, ChannelInfo, Step } from '../../model/acquisition.js';
import { describeHeader } from '../../model/header.js';
import { measuredJson } from '../../model/metadata/coordinates-json.js';
import { toOmeXml } from '../../model/metadata/ome-xml.js';
import { NUMPY_TYPES, type SampleType } from '../../model/samples/types.js';
import { type ChannelRange, typeRange } from './display.js';
import { below, chunkShape, referenceImage, sceneImage, storedGroup, type ZarrImage } from './images.js';
import { OME_XML } from './keys.js';
import type { ZarrVersion } from './versions.js';

/** What the documents say in addition to the acquisition. */
export interface TreeDetails {
  /** Name of the acquisition, for images without a name. */
  name: string;
  /** `header.fileSize` of the open response. */
  fileSize: string;
  /** `source.revision` of the open response. */
  revision?: string;
  /** Display ranges of the channels of an image, by its path. Channels without one get the range of the sample type. */
  ranges?: ReadonlyMap<string, readonly (ChannelRange | undefined)[]>;
  /** `Plane` elements of the OME-XML, by scene. */
  planes?: readonly string[];
  /** How chunks are compressed; those that the server sends are not. */
  compress?: 'gzip';
}

/** JSON, or a text. */
export type ZarrDocument = Readonly<Record<string, unknown>> | string;

type ZarrAttributes = Readonly<Record<string, unknown>>;

interface ArrayNode {
  image: ZarrImage;
  level: number;
  compress: TreeDetails['compress'];
}

/** A group or an array of the tree. */
interface Node {
  path: string;
  attributes?: ZarrAttributes;
  array?: ArrayNode;
}

const UNITS: Readonly<Record<string, string>> = { seconds: 'second', micrometer: 'micrometer' };
/** Colors of channels without one, in this order. A single channel is white. */
const COLORS = ['00FF00', 'FF00FF', '00FFFF', 'FFFF00', 'FF0000', '0000FF'];
/** Of compressed chunks. */
export const GZIP_LEVEL = 5;
/** Channels that viewers show at first. */
const MAX_ACTIVE = 6;

/**
 * Returns the text of a document. JSON is ASCII, because zarr 2.13 for Python reads nothing else.
 * @param indent spaces for each level of JSON, for files that people read
 */
export function documentText(document: ZarrDocument, indent = 0): string {
  if (typeof document === 'string') return document;
  return JSON.stringify(document, null, indent).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Returns all documents of a store on the disk by key: of one image at its root, where every program looks; of several
 * scenes in the layout of bioformats2raw.
 */
export function storedDocuments(
  info: AcquisitionInfo,
  version: ZarrVersion,
  details: TreeDetails,
): Map<string, ZarrDocument> {
  if (storedGroup(info, 0) !== '') return zarrDocuments(info, version, details);
  const image = sceneNodes(info, version, 0, details, '');
  // Without the layout of bioformats2raw, `OME` is a group without a meaning, in which our reader finds the OME-XML.
  const documents = toDocuments(version, [...image, { path: 'OME' }], imagePaths(image));
  return documents.set(OME_XML, describeXml(info, details));
}

/** Returns all documents of a tree by key, as the server has them: each scene in a group of its own. */
export function zarrDocuments(
  info: AcquisitionInfo,
  version: ZarrVersion,
  details: TreeDetails,
): Map<string, ZarrDocument> {
  const documents = rootDocuments(info, version, details);
  info.scenes.forEach((_, scene) => {
    for (const [key, document] of sceneDocuments(info, version, scene, details)) documents.set(key, document);
  });
  return documents;
}

/** Returns the documents outside of the scenes. */
export function rootDocuments(
  info: AcquisitionInfo,
  version: ZarrVersion,
  details: TreeDetails,
): Map<string, ZarrDocument> {
  return rootGroups(info, version, details).set(OME_XML, describeXml(info, details));
}

function describeXml(info: AcquisitionInfo, { name, planes }: TreeDetails): string {
  const described = planes && { planes: (_: unknown, index: number) => `<MetadataOnly/>${planes[index] ?? ''}` };
  return toOmeXml(info, { name, ...described });
}

/** Returns the groups outside of the scenes. The root has consolidated metadata when there is one scene. */
export function rootGroups(
  info: AcquisitionInfo,
  version: ZarrVersion,
  details: TreeDetails,
): Map<string, ZarrDocument> {
  const series = info.scenes.map((_, scene) => String(scene));
  const nodes: Node[] = [
    { path: '', attributes: toAttributes(version, { 'bioformats2raw.layout': 3 }) },
    { path: 'OME', attributes: toAttributes(version, { series }) },
  ];
  const own = nodes.length;
  if (series.length === 1) nodes.push(...sceneNodes(info, version, 0, details));
  const all = toDocuments(version, nodes, series.length === 1 ? [''] : []);
  const isOwn = new Set(toDocuments(version, nodes.slice(0, own), ['']).keys());
  return new Map([...all].filter(([key]) => isOwn.has(key)));
}

/** Returns the documents of a scene and its reference image, each with consolidated metadata. */
export function sceneDocuments(
  info: AcquisitionInfo,
  version: ZarrVersion,
  scene: number,
  details: TreeDetails,
): Map<string, ZarrDocument> {
  const nodes = sceneNodes(info, version, scene, details);
  return toDocuments(version, nodes, imagePaths(nodes));
}

function imagePaths(nodes: readonly Node[]): string[] {
  return nodes.filter(({ array }) => !array).map(({ path }) => path);
}

/** @param group path of the group of the scene */
function sceneNodes(
  info: AcquisitionInfo,
  version: ZarrVersion,
  scene: number,
  details: TreeDetails,
  group = String(scene),
): Node[] {
  const image = sceneImage(info, scene, group);
  if (!image) throw new RangeError(`there is no scene ${scene}`);
  const nodes = imageNodes(image, version, details, describeScene(info, scene, details));
  const reference = referenceImage(info, scene, group);
  if (!reference) return nodes;
  const { lineRoi = null, scanPath = null } = info.scenes[scene]?.reference ?? {};
  return [...nodes, ...imageNodes(reference, version, details, { acquisition_store: { lineRoi, scanPath } })];
}

function imageNodes(image: ZarrImage, version: ZarrVersion, details: TreeDetails, further: ZarrAttributes): Node[] {
  const multiscales = [toMultiscale(image, version, details)];
  const omero = toOmero(image, details.ranges?.get(image.path) ?? []);
  const { path, levels } = image;
  return [
    { path, attributes: { ...toAttributes(version, { multiscales, omero }), ...further } },
    ...levels.map((_, level) => ({
      path: below(path, String(level)),
      array: { image, level, compress: details.compress },
    })),
  ];
}

/** Puts OME metadata where the version has it. */
function toAttributes(version: ZarrVersion, ome: ZarrAttributes): ZarrAttributes {
  return version === '0.4' ? ome : { ome: { version, ...ome } };
}

/** Returns what OME-Zarr has no place for: as in the open response, and as the Python acqstore expects it. */
function describeScene(
  info: AcquisitionInfo,
  index: number,
  { name, fileSize, revision }: TreeDetails,
): ZarrAttributes {
  const scene = info.scenes[index]!;
  const header = describeHeader({ scene, sceneCount: info.scenes.length }, fileSize);
  return {
    acquisition_store: {
      header,
      warnings: scene.warnings,
      source: { name, format: info.format, ...(revision === undefined ? {} : { revision }) },
      ...(scene.rowAxis ? { rowAxis: scene.rowAxis } : {}),
      ...measuredJson(scene),
    },
    acqstore_pixels: {
      header: {
        shape: header.shape,
        dims: header.dims,
        sizes: header.sizes,
        dtype: header.dtype,
        num_channels: header.numChannels,
        physical_units: header.physicalUnits,
        physical_units_labels: header.physicalUnitsLabels,
        date: header.date,
        time: header.time,
        file_size: header.fileSize,
      },
    },
  };
}

function toMultiscale(image: ZarrImage, version: ZarrVersion, { name }: TreeDetails): ZarrAttributes {
  const { T, Z, Y, X } = image.steps;
  const datasets = image.levels.map((_, level) => {
    const factor = 2 ** level;
    const scale = [T.step, 1, Z.step, Y.step * factor, X.step * factor];
    // The first sample of a level is the mean of the first `factor` samples of the full resolution.
    const shift = (factor - 1) / 2;
    const translation = [0, 0, 0, Y.step * shift, X.step * shift];
    const transformations = [{ type: 'scale', scale }, ...(level > 0 ? [{ type: 'translation', translation }] : [])];
    return { path: String(level), coordinateTransformations: transformations };
  });
  return {
    ...(version === '0.4' ? { version } : {}),
    name: image.name || name,
    type: 'mean',
    metadata: {
      description: 'Each sample is the mean of 2 × 2 samples of the level above.',
      method: 'acquisition-store',
    },
    axes: [
      toAxis('t', 'time', T),
      { name: 'c', type: 'channel' },
      toAxis('z', 'space', Z),
      toAxis('y', 'space', Y),
      toAxis('x', 'space', X),
    ],
    datasets,
  };
}

/** The lines of a line scan stay an axis of type `space`, with the unit `second`: viewers show them as an image. */
function toAxis(name: string, type: string, { unit }: Step): ZarrAttributes {
  const known = UNITS[unit];
  return { name, type, ...(known === undefined ? {} : { unit: known }) };
}

function toOmero({ channels, sampleType }: ZarrImage, ranges: readonly (ChannelRange | undefined)[]): ZarrAttributes {
  return {
    channels: channels.map((channel, i) => ({
      label: channel.name,
      color: channel.color?.slice(1) ?? (channels.length > 1 ? COLORS[i % COLORS.length] : 'FFFFFF'),
      active: i < MAX_ACTIVE,
      window: toWindow(channel, sampleType, ranges[i]),
    })),
    rdefs: { model: channels.length > 1 ? 'color' : 'greyscale', defaultT: 0, defaultZ: 0 },
  };
}

function toWindow({ window }: ChannelInfo, type: SampleType, range: ChannelRange | undefined): ChannelRange {
  const possible = typeRange(type) ?? range ?? window ?? { start: 0, end: 1 };
  const [min, max] = 'min' in possible ? [possible.min, possible.max] : [possible.start, possible.end];
  const { start, end } = window ?? range ?? { start: min, end: max };
  return { min: Math.min(min, start), max: Math.max(max, end), start, end };
}

function toArray(version: ZarrVersion, { image, level, compress }: ArrayNode): ZarrAttributes {
  const { sizes, channels, levels, sampleType } = image;
  const { rows, columns } = levels[level]!;
  const chunk = chunkShape({ rows, columns });
  const shape = [sizes.T, channels.length, sizes.Z, rows, columns];
  const chunks = [1, 1, 1, chunk.rows, chunk.columns];
  if (version === '0.4') {
    return {
      ...{ zarr_format: 2, shape, chunks, dtype: NUMPY_TYPES[sampleType], order: 'C' },
      ...{ compressor: compress ? { id: compress, level: GZIP_LEVEL } : null, filters: null },
      ...{ fill_value: 0, dimension_separator: '/' },
    };
  }
  return {
    ...{ zarr_format: 3, node_type: 'array', shape, data_type: sampleType === 'float16' ? 'float32' : sampleType },
    chunk_grid: { name: 'regular', configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [
      { name: 'bytes', configuration: { endian: 'little' } },
      ...(compress ? [{ name: compress, configuration: { level: GZIP_LEVEL } }] : []),
    ],
    dimension_names: ['t', 'c', 'z', 'y', 'x'],
    attributes: {},
  };
}

/**
 * Returns the documents of nodes by key.
 * @param consolidated paths of groups that repeat the documents below them, for readers that cannot list
 */
function toDocuments(
  version: ZarrVersion,
  nodes: readonly Node[],
  consolidated: readonly string[],
): Map<string, ZarrDocument> {
  return version === '0.4' ? toV2(nodes, consolidated) : toV3(nodes, consolidated);
}

function toV2(nodes: readonly Node[], consolidated: readonly string[]): Map<string, ZarrDocument> {
  const documents = new Map<string, ZarrDocument>();
  for (const { path, attributes, array } of nodes) {
    if (array) documents.set(below(path, '.zarray'), toArray('0.4', array));
    else documents.set(below(path, '.zgroup'), { zarr_format: 2 }).set(below(path, '.zattrs'), attributes ?? {});
  }
  const plain = [...documents];
  for (const path of consolidated) {
    const inside = plain.filter(([key]) => key.startsWith(below(path, '')));
    const metadata = Object.fromEntries(inside.map(([key, document]) => [key.slice(below(path, '').length), document]));
    documents.set(below(path, '.zmetadata'), { zarr_consolidated_format: 1, metadata });
  }
  return documents;
}

function toV3(nodes: readonly Node[], consolidated: readonly string[]): Map<string, ZarrDocument> {
  const plain = nodes.map(({ path, attributes = {}, array }): [path: string, document: ZarrAttributes] => [
    path,
    array ? toArray('0.5', array) : { zarr_format: 3, node_type: 'group', attributes },
  ]);
  return new Map(
    plain.map(([path, document]) => {
      const key = below(path, 'zarr.json');
      if (!consolidated.includes(path)) return [key, document];
      const inside = plain.filter(([other]) => other !== path && other.startsWith(below(path, '')));
      const metadata = Object.fromEntries(inside.map(([other, inner]) => [other.slice(below(path, '').length), inner]));
      return [key, { ...document, consolidated_metadata: { kind: 'inline', must_understand: false, metadata } }];
    }),
  );
}

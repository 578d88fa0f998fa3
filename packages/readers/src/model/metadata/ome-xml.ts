/** Writes the metadata of an acquisition as OME-XML 2016-06, for OME-TIFF and beside OME-Zarr. */

import type { AcquisitionInfo, ChannelInfo, SceneInfo } from '../acquisition.js';
import type { SampleType } from '../samples/types.js';
import { toIsoClock } from './dates.js';
import { attributesText, element } from './ome-element.js';
import { toChannelOptics, toImageSettings, toInstrumentXml } from './ome-instrument-xml.js';
import { LINE_SCAN_NAMESPACE } from './ome-line-scan.js';

export interface OmeXmlOptions {
  /** Name of the acquisition, for scenes without a name. */
  name: string;
  /** Returns the elements that say where the planes of a scene are. Default: only metadata. */
  planes?(scene: SceneInfo, index: number): string;
}

/** Types of OME. It has none for integers of 64 bits, whose values `double` holds best. */
const TYPES: Record<SampleType, string> = {
  ...{ uint8: 'uint8', int8: 'int8', uint16: 'uint16', int16: 'int16', uint32: 'uint32', int32: 'int32' },
  ...{ uint64: 'double', int64: 'double', float16: 'float', float32: 'float', float64: 'double' },
};

/** `xs:dateTime`: date and time, a fraction, an offset from UTC. */
const XML_DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/;
const UTC = /^(?:Z|[+-]00:00)$/;
/** Seconds. Local times differ from UTC by quarters of an hour. */
const OFFSET_STEP = 15 * 60;
const MAX_OFFSET = 14 * 3600;

const SCHEMA = 'http://www.openmicroscopy.org/Schemas/OME/2016-06';

/** Returns a document with an image for each scene, in the order of dimensions X, Y, Z, C, T. */
export function toOmeXml(info: AcquisitionInfo, options: OmeXmlOptions): string {
  return [...omeXmlPieces(info, options)].join('');
}

/** Yields the same document piece by piece, with at least one for each scene. */
export function* omeXmlPieces({ scenes }: AcquisitionInfo, options: OmeXmlOptions): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<OME xmlns="${SCHEMA}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
    `xsi:schemaLocation="${SCHEMA} ${SCHEMA}/ome.xsd" Creator="acquisition-store">`;
  for (const [index, scene] of scenes.entries()) yield toInstrumentXml(scene, index);
  for (const [index, scene] of scenes.entries()) yield toImage(scene, index, options);
  if (scenes.some(isLineScan)) {
    yield '<StructuredAnnotations>';
    for (const [index, scene] of scenes.entries()) if (isLineScan(scene)) yield toAnnotation(scene, index);
    yield '</StructuredAnnotations>';
  }
  yield '</OME>\n';
}

function toImage(scene: SceneInfo, index: number, { name, planes }: OmeXmlOptions): string {
  const { sizes, steps, channels, sampleType } = scene;
  const pixels = attributesText({
    ID: `Pixels:${index}`,
    DimensionOrder: 'XYZCT',
    Type: TYPES[sampleType],
    BigEndian: 'false',
    ...{ SizeX: sizes.X, SizeY: sizes.Y, SizeZ: sizes.Z, SizeC: channels.length, SizeT: sizes.T },
    ...toLength('PhysicalSizeX', steps.X),
    ...toLength('PhysicalSizeY', steps.Y),
    ...toLength('PhysicalSizeZ', steps.Z),
    ...(steps.T.unit === 'seconds' ? { TimeIncrement: steps.T.step, TimeIncrementUnit: 's' } : {}),
  });
  const { date } = acquisitionDate(scene);
  return (
    `<Image${attributesText({ ID: `Image:${index}`, Name: scene.name || name })}>` +
    (date === '' ? '' : `<AcquisitionDate>${date}</AcquisitionDate>`) +
    toImageSettings(scene, index) +
    `<Pixels${pixels}>` +
    channels.map((channel, c) => toChannel(channel, `${index}:${c}`)).join('') +
    (planes?.(scene, index) ?? '<MetadataOnly/>') +
    '</Pixels>' +
    (isLineScan(scene) ? `<AnnotationRef ID="Annotation:${index}"/>` : '') +
    '</Image>'
  );
}

/**
 * Returns `AcquisitionDate`, which has the digits of the date and time of the scene: with the fraction and the offset from UTC of its
 * start where both are the same moment, by the same clock or by those of UTC and of the place.
 * @returns `after`, the seconds from then to a start by the same clock that comes later
 */
export function acquisitionDate(scene: SceneInfo): { date: string; after: number } {
  const clock = toIsoClock(scene);
  const [start, whole, fraction = '', zone = ''] = XML_DATE_TIME.exec(scene.instrument?.start ?? '') ?? [];
  if (start !== undefined && whole === clock) return { date: start, after: 0 };
  const ahead = (Date.parse(`${clock}Z`) - Date.parse(`${whole}Z`)) / 1000;
  if (Number.isNaN(ahead)) return { date: clock, after: 0 };
  if (!UTC.test(zone)) return { date: clock + zone, after: Number(`0${fraction}`) - ahead };
  const isOffset = ahead % OFFSET_STEP === 0 && Math.abs(ahead) <= MAX_OFFSET;
  return { date: isOffset ? clock + fraction + offsetText(ahead / 60) : clock, after: 0 };
}

/** @param minutes of local time ahead of UTC */
function offsetText(minutes: number): string {
  const [ahead, pad] = [Math.abs(minutes), (value: number) => String(value).padStart(2, '0')];
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(ahead / 60))}:${pad(ahead % 60)}`;
}

function toChannel(channel: ChannelInfo, id: string): string {
  const { name, color, role } = channel;
  const { attributes, inside } = toChannelOptics(channel, id);
  const own = {
    ...{ ID: `Channel:${id}`, Name: name, SamplesPerPixel: 1 },
    ...(role === 'transmitted' ? { IlluminationType: 'Transmitted' } : {}),
    ...(color === undefined ? {} : { Color: toSignedColor(color) }),
  };
  return element('Channel', { ...own, ...attributes }, inside);
}

/** Converts `#RRGGBB` to the signed RGBA of OME, opaque. */
function toSignedColor(color: string): number {
  return (Number.parseInt(color.slice(1), 16) << 8) | 0xff;
}

function isLineScan({ steps }: SceneInfo): boolean {
  return steps.Y.unit === 'seconds';
}

/** OME has no unit of time for Y. */
function toAnnotation({ steps }: SceneInfo, index: number): string {
  return (
    `<MapAnnotation ID="Annotation:${index}" Namespace="${LINE_SCAN_NAMESPACE}"><Value>` +
    `<M K="LinePeriod">${steps.Y.step}</M><M K="LinePeriodUnit">s</M></Value></MapAnnotation>`
  );
}

function toLength(name: string, { step, unit }: SceneInfo['steps']['X']): Record<string, string | number> {
  return unit === 'micrometer' ? { [name]: step, [`${name}Unit`]: 'µm' } : {};
}

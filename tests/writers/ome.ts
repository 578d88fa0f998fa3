/** Writes OME-XML for fixtures; attribute values are taken as they are. */
export interface OmeSpec {
  uuid?: string;
  images: OmeImageSpec[];
  namespace?: string;
  /** Behind the images. */
  extra?: string;
}

export interface OmeImageSpec {
  name?: string;
  /** Element and text, e.g. `['AcquisitionDate', '2024-01-02T03:04:05']`. */
  date?: [string, string];
  order?: string;
  type?: string;
  sizes: { X: number; Y: number; Z?: number; C?: number; T?: number };
  /** Further attributes of `Pixels`. */
  pixels?: Record<string, string | number>;
  /** Children of `Pixels`: channels, TiffData, planes. */
  children?: string[];
}

export function omeXml({ uuid, images, namespace = '2016-06', extra = '' }: OmeSpec): string {
  const own = uuid === undefined ? '' : ` UUID="${uuid}"`;
  const xmlns = `http://www.openmicroscopy.org/Schemas/OME/${namespace}`;
  const body = images.map(imageXml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="${xmlns}"${own}>${body}${extra}</OME>`;
}

function imageXml(image: OmeImageSpec, index: number): string {
  const { X, Y, Z = 1, C = 1, T = 1 } = image.sizes;
  const attributes = {
    ID: `Pixels:${index}`,
    DimensionOrder: image.order ?? 'XYCZT',
    Type: image.type ?? 'uint16',
    SizeX: X,
    SizeY: Y,
    SizeZ: Z,
    SizeC: C,
    SizeT: T,
    ...image.pixels,
  };
  const date = image.date ? `<${image.date[0]}>${image.date[1]}</${image.date[0]}>` : '';
  const name = image.name === undefined ? '' : ` Name="${image.name}"`;
  const pixels = `<Pixels ${attributeText(attributes)}>${(image.children ?? ['<TiffData/>']).join('')}</Pixels>`;
  return `<Image ID="Image:${index}"${name}>${date}${pixels}</Image>`;
}

/** One `TiffData`, with the file it refers to. */
export function tiffData(attributes: Record<string, number>, file?: { name?: string; uuid?: string }): string {
  if (!file) return `<TiffData ${attributeText(attributes)}/>`;
  const name = file.name === undefined ? '' : ` FileName="${file.name}"`;
  return `<TiffData ${attributeText(attributes)}><UUID${name}>${file.uuid ?? ''}</UUID></TiffData>`;
}

/** One `BinData` with samples, which are compressed already if `Compression` says so. `wrap` breaks the text into lines. */
export function binData(
  bytes: Uint8Array,
  attributes: Record<string, string | number> = {},
  { prefix = '', wrap = false }: { prefix?: string; wrap?: boolean } = {},
): string {
  const text = Buffer.from(bytes).toString('base64');
  const lines = wrap ? `\n${text.replace(/.{1,7}/g, '$&\n  ')}` : text;
  const all = attributeText({ Length: text.length, ...attributes });
  return `<${prefix}BinData ${all}>${lines}</${prefix}BinData>`;
}

function attributeText(attributes: Record<string, string | number>): string {
  return Object.entries(attributes)
    .map(([key, value]) => `${key}="${value}"`)
    .join(' ');
}

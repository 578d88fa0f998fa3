/** Writes LIF, LOF and projects on disk, with every sample known. */

export interface LifDimension {
  id: number;
  count: number;
  length?: string;
  origin?: string;
  unit?: string;
  bytesInc: number;
}

export interface LifChannel {
  bytesInc: number;
  resolution?: number;
  dataType?: number;
  tag?: number;
  lut?: string;
  /** Dye as newer versions write it, inside the channel. */
  dye?: string;
}

export interface LifImageSpec {
  name: string;
  channels: LifChannel[];
  dimensions: LifDimension[];
  data: Uint8Array;
  /** Announced in the XML; the length of the data by default. */
  memorySize?: number;
  /** Hexadecimal, 100 ns since 1601. */
  stamps?: string[];
  /** Written as elements with two halves, as older versions do. */
  oldStamps?: boolean;
  /** Attributes of `ATLConfocalSettingDefinition`. */
  settings?: Record<string, string>;
  /** Inside the settings. */
  inside?: string;
  /** Children of the image's element. */
  children?: LifElement[];
}

export interface LifFolder {
  name: string;
  elements: LifElement[];
}

/** Data of another kind, with its own memory block. */
export interface LifOther {
  name: string;
  kind: string;
  data: Uint8Array;
}

export type LifElement = LifImageSpec | LifFolder | LifOther;

export interface LifSpec {
  project?: string;
  version?: 1 | 2;
  elements: LifElement[];
  /** HighInteger and LowInteger of the project. */
  saved?: [number, number];
}

/** The attachment of real files that holds a document of its own, with an element that is no image of the file. */
export const GHOST =
  '<BleachPoints><LMSDataContainerHeader Version="2"><Element Name="BleachPointROISet" UniqueID="g"><Data>' +
  '<Image TextDescription=""><ImageDescription><Channels><ChannelDescription Resolution="8" BytesInc="0"/></Channels>' +
  '<Dimensions><DimensionDescription DimID="1" NumberOfElements="4" BytesInc="1"/></Dimensions></ImageDescription></Image>' +
  '</Data><Memory Size="4" MemoryBlockID="MemBlock_79"/><Children/></Element></LMSDataContainerHeader></BleachPoints>';

interface Block {
  id: string;
  data: Uint8Array;
}

/** The document and its blocks in their order. */
class Composer {
  readonly blocks: Block[] = [];

  project({ project = 'demo.lif', version = 2, elements, saved }: LifSpec): string {
    this.blocks.push({ id: 'MemBlock_0', data: new Uint8Array() });
    const stamp = saved ? `<TimeStamp HighInteger="${saved[0]}" LowInteger="${saved[1]}"/>` : '';
    return (
      `<LMSDataContainerHeader Version="${version}"><Element Name="${project}" UniqueID="a"><Data>` +
      `<Experiment Path="">${stamp}</Experiment></Data><Memory Size="0" MemoryBlockID="MemBlock_0"/>` +
      `<Children>${elements.map((one) => this.element(one)).join('')}</Children></Element></LMSDataContainerHeader>`
    );
  }

  element(element: LifElement): string {
    if ('elements' in element) {
      const memory = this.memory(new Uint8Array(), 0);
      const children = element.elements.map((one) => this.element(one)).join('');
      return `<Element Name="${element.name}"><Data><Collection/></Data>${memory}<Children>${children}</Children></Element>`;
    }
    if ('kind' in element) {
      const memory = this.memory(element.data, element.data.length);
      return `<Element Name="${element.name}"><Data><${element.kind}><Dataset/></${element.kind}></Data>${memory}<Children/></Element>`;
    }
    const memory = this.memory(element.data, element.memorySize ?? element.data.length);
    const children = (element.children ?? []).map((one) => this.element(one)).join('');
    return (
      `<Element Name="${element.name}" UniqueID="u${this.blocks.length}"><Data>${imageXml(element)}</Data>${memory}` +
      `<Children>${children}</Children></Element>`
    );
  }

  private memory(data: Uint8Array, size: number): string {
    const id = `MemBlock_${this.blocks.length}`;
    this.blocks.push({ id, data });
    return `<Memory Size="${size}" MemoryBlockID="${id}"/>`;
  }
}

/** `Image` with everything that a reader needs of it. */
export function imageXml(image: LifImageSpec): string {
  const { channels, dimensions, stamps = [], settings, inside = '' } = image;
  const attributes = Object.entries(settings ?? {}).map(([key, value]) => ` ${key}="${value}"`);
  const hardware = settings
    ? `<Attachment Name="HardwareSetting" Software="LAS X 3.5.7.23225"><ATLConfocalSettingDefinition${attributes.join('')}>` +
      `${inside}</ATLConfocalSettingDefinition></Attachment>`
    : '';
  return (
    '<Image TextDescription=""><Attachment Name="ViewerScaling"><ChannelScalingInfo WhiteValue="1"/></Attachment>' +
    `<ImageDescription><Channels>${channels.map(channelXml).join('')}</Channels>` +
    `<Dimensions>${dimensions.map(dimensionXml).join('')}</Dimensions></ImageDescription>` +
    `<TimeStampList NumberOfTimeStamps="${stamps.length}">${stampsXml(stamps, image.oldStamps)}</TimeStampList>${hardware}</Image>`
  );
}

function channelXml({ bytesInc, resolution = 8, dataType = 0, tag = 0, lut = 'Gray', dye }: LifChannel): string {
  const property = (key: string, value: string) =>
    `<ChannelProperty><Key>${key}</Key><Value>${value}</Value></ChannelProperty>`;
  const dyes = dye ? property('BeamRoute', '40;1') + property('DyeName', dye) : '';
  return (
    `<ChannelDescription DataType="${dataType}" ChannelTag="${tag}" Resolution="${resolution}" NameOfMeasuredQuantity="" ` +
    `Min="0.000000e+000" Max="2.550000e+002" Unit="" LUTName="${lut}" IsLUTInverted="0" BytesInc="${bytesInc}" BitInc="0">` +
    `${dyes}</ChannelDescription>`
  );
}

function dimensionXml({ id, count, length = '0', origin = '0', unit = 'm', bytesInc }: LifDimension): string {
  return (
    `<DimensionDescription DimID="${id}" NumberOfElements="${count}" Origin="${origin}" Length="${length}" Unit="${unit}" ` +
    `BitInc="0" BytesInc="${bytesInc}"></DimensionDescription>`
  );
}

function stampsXml(stamps: string[], old = false): string {
  if (!old) return stamps.map((stamp) => `${stamp} `).join('');
  return stamps
    .map((hex) => BigInt(`0x${hex}`))
    .map((value) => `<TimeStamp HighInteger="${value >> 32n}" LowInteger="${value & 0xffffffffn}"/>`)
    .join('');
}

export function utf16(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'utf16le'));
}

/** u32 0x70, u32 size, u8 0x2A, u32 characters, text. */
export function textBlock(text: string): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32LE(0x70, 0);
  head.writeUInt32LE(5 + 2 * text.length, 4);
  head.writeUInt8(0x2a, 8);
  head.writeUInt32LE(text.length, 9);
  return Buffer.concat([head, utf16(text)]);
}

/** Description of a block of `size` bytes; the size takes 4 bytes in version 1, 8 in version 2. */
export function blockHead(id: string, size: number, version: 1 | 2 = 2): Uint8Array {
  const wide = version === 2;
  const head = Buffer.alloc(wide ? 22 : 18);
  head.writeUInt32LE(0x70, 0);
  head.writeUInt32LE(head.length - 8 + 2 * id.length, 4);
  head.writeUInt8(0x2a, 8);
  if (wide) head.writeBigUInt64LE(BigInt(size), 9);
  else head.writeUInt32LE(size, 9);
  head.writeUInt8(0x2a, head.length - 5);
  head.writeUInt32LE(id.length, head.length - 4);
  return Buffer.concat([head, utf16(id)]);
}

export function lifXml(spec: LifSpec): string {
  return new Composer().project(spec);
}

export function writeLif(spec: LifSpec): Uint8Array {
  const composer = new Composer();
  const parts = [textBlock(composer.project(spec))];
  for (const { id, data } of composer.blocks) parts.push(blockHead(id, data.length, spec.version), data);
  return new Uint8Array(Buffer.concat(parts));
}

/** One image in a file of its own; `xml` replaces its description. */
export function writeLof(image: LifImageSpec, xml?: string): Uint8Array {
  const head = Buffer.alloc(19);
  for (const at of [0, 5, 10]) head.writeUInt8(0x2a, at);
  head.writeUInt32LE(2, 1);
  head.writeBigUInt64LE(BigInt(image.data.length), 11);
  const described =
    xml ?? onDisk(image.name, imageXml(image), `<Memory Size="${image.data.length}" MemoryBlockID="MemBlock_0"/>`);
  return new Uint8Array(Buffer.concat([textBlock('LMS_Object_File'), head, image.data, textBlock(described)]));
}

/** An element in a document of its own: XLIF. */
export function onDisk(name: string, image: string, memory: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><LMSDataContainerHeader Version="2"><Element Name="${name}"><Data>${image}</Data>` +
    `${memory}<Children/></Element></LMSDataContainerHeader>`
  );
}

/** A project or collection that refers to files: XLEF, XLCF. */
export function referring(name: string, files: string[]): string {
  const references = files.map((file) => `<Reference File="${file}" UUID="r"/>`).join('');
  return (
    `<?xml version="1.0" encoding="utf-8"?><LMSDataContainerHeader Version="2"><Element Name="${name}"><Data><Experiment/></Data>` +
    `<Memory Size="0"/><Children>${references}</Children></Element></LMSDataContainerHeader>`
  );
}

/** Nikon ND2 of before 2008: JP2 boxes with a map of them at the end. */

export interface LegacySpec {
  /** JPEG 2000 code streams, channel by channel within each frame. */
  images: Uint8Array[];
  /** `Dimensions: …` */
  dimensions?: string;
  /** Frames that have a description of their own. */
  frames: number;
  channels: string[];
  /** ms from one frame to the next. */
  period?: number;
  noMap?: boolean;
  /** Bytes of an entry of the map. */
  entryBytes?: 12 | 16;
}

export function writeLegacyNd2(spec: LegacySpec): Uint8Array {
  const parts: Buffer[] = [];
  const entries: { type: string; lim: string; offset: number }[] = [];
  let size = 0;
  const box = (type: string, lim: string, payload: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(payload.length + 8);
    head.write(type, 4, 'latin1');
    entries.push({ type, lim, offset: size });
    parts.push(head, Buffer.from(payload));
    size += payload.length + 8;
  };
  box('jP  ', '    ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a]));
  box('ftyp', '    ', Buffer.from('jp2 \0\0\0\0jp2 ', 'latin1'));
  const perFrame = Math.floor(spec.images.length / spec.frames);
  for (const [i, image] of spec.images.entries()) {
    if (i % perFrame === 0 && i < perFrame * spec.frames) box('uuid', 'VIMD', pictureXml(spec, i / perFrame));
    box('jp2c', 'LUNK', image);
  }
  box('uuid', 'TINF', textXml(spec));
  if (!spec.noMap) parts.push(mapOf(entries, spec.entryBytes ?? 16));
  return Buffer.concat(parts);
}

function mapOf(entries: { type: string; lim: string; offset: number }[], entryBytes: number): Buffer {
  const map = Buffer.alloc(4 + entries.length * entryBytes + 40);
  map.writeUInt32BE(entries.length);
  for (const [i, { type, lim, offset }] of entries.entries()) {
    map.write(type + lim, 4 + i * entryBytes, 'latin1');
    map.writeUInt32LE(offset, 12 + i * entryBytes);
  }
  map.write('LABORATORY IMAGING ND BOX MAP 00', map.length - 40, 'latin1');
  map.writeBigUInt64LE(BigInt(map.length), map.length - 8);
  return map;
}

function pictureXml({ channels, period = 0 }: LegacySpec, frame: number): Uint8Array {
  const planes = channels.map(
    (name, i) =>
      `<i${i} runtype="CLxListVariant"><uiCompCount runtype="lx_uint32" value="1"/>` +
      `<sOpticalConfigName runtype="CLxStringW" value="${name}"/></i${i}>`,
  );
  return Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?><variant version="1.0" _VERSION="1.000000"><no_name runtype="CLxListVariant">' +
      `<dTimeMSec runtype="double" value="${frame * period}"/>` +
      '<dTimeAbsolute runtype="double" value="2453736.75"/>' +
      `<sPicturePlanes runtype="CLxListVariant"><uiCount runtype="lx_uint32" value="${channels.length}"/>` +
      `<sPlane runtype="CLxListVariant">${planes.join('')}</sPlane></sPicturePlanes>` +
      '<dCalibration runtype="double" value="0.46"/><dAspect runtype="double" value="1"/>' +
      '<bCalibrated runtype="bool" value="true"/></no_name></variant>',
  );
}

function textXml({ dimensions }: LegacySpec): Uint8Array {
  const text = dimensions ? `Metadata:&#13;&#10;Dimensions: ${dimensions}&#13;&#10;Z Stack Loop: 3 - Step 1,5 µm` : '';
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><TextInfo _VERSION="1.000000"><TextInfoItem Index="5" Text="${text}"/></TextInfo>`,
  );
}

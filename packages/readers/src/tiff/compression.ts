import { type AcqError, unsupported } from '../base/errors.js';
import type { FaxOptions } from '../codecs/fax.js';
import type { ByteCodecName, ImageCodecName } from '../codecs/index.js';

/** The codec of a Compression tag. Fill order, byte order and predictors apply to `bytes` codecs only. */
export type TiffCompression =
  | { kind: 'none' }
  | { kind: 'bytes'; codec: ByteCodecName }
  | { kind: 'image'; codec: ImageCodecName }
  | { kind: 'fax'; scheme: FaxOptions['scheme'] }
  /** JPEG as TIFF 6.0 first had it. */
  | { kind: 'old-jpeg' };

/**
 * Returns the codec of a Compression tag.
 * @throws AcqError `unsupported_format` with the name of the codec
 */
export function requireCompression(code: number, where: string): TiffCompression {
  const compression = findCompression(code);
  if (compression) return compression;
  throw unsupportedCompression(code, where);
}

/** Returns `undefined` for a codec that is not supported. */
export function findCompression(code: number): TiffCompression | undefined {
  return COMPRESSIONS[code];
}

function unsupportedCompression(code: number, where: string): AcqError {
  const name = UNSUPPORTED[code];
  return unsupported(
    `${where} is compressed with ${name ?? `an unknown method (Compression ${code})`}, which is not supported. ` +
      'Save it uncompressed or with LZW, deflate or Zstd.',
  );
}

const COMPRESSIONS: Record<number, TiffCompression> = {
  1: { kind: 'none' },
  2: { kind: 'fax', scheme: 'huffman' },
  3: { kind: 'fax', scheme: 'group3' },
  4: { kind: 'fax', scheme: 'group4' },
  32771: { kind: 'fax', scheme: 'words' },
  5: { kind: 'bytes', codec: 'lzw' },
  8: { kind: 'bytes', codec: 'deflate' },
  32946: { kind: 'bytes', codec: 'deflate' },
  50013: { kind: 'bytes', codec: 'deflate' },
  32773: { kind: 'bytes', codec: 'packbits' },
  34926: { kind: 'bytes', codec: 'zstd' },
  50000: { kind: 'bytes', codec: 'zstd' },
  6: { kind: 'old-jpeg' },
  7: { kind: 'image', codec: 'jpeg' },
  33007: { kind: 'image', codec: 'jpeg' },
  33004: { kind: 'image', codec: 'jpeg2000' },
  33005: { kind: 'image', codec: 'jpeg2000' },
  34712: { kind: 'image', codec: 'jpeg2000' },
  22610: { kind: 'image', codec: 'jpegxr' },
  34934: { kind: 'image', codec: 'jpegxr' },
  34927: { kind: 'image', codec: 'webp' },
  50001: { kind: 'image', codec: 'webp' },
};

const UNSUPPORTED: Record<number, string> = {
  9: 'JBIG (T.85)',
  10: 'JBIG (T.43)',
  32766: 'NeXT 2-bit',
  32809: 'ThunderScan',
  32895: 'IT8 CT with padding',
  32896: 'IT8 linework',
  32897: 'IT8 monochrome picture',
  32898: 'IT8 binary line art',
  32908: 'Pixar film',
  32909: 'Pixar log',
  32947: 'Kodak DCS',
  33003: 'Aperio JPEG 2000 with YCbCr colors',
  34661: 'JBIG',
  34676: 'SGI log (LogLuv)',
  34677: 'SGI log 24-bit (LogLuv)',
  34887: 'LERC',
  34892: 'lossy DNG JPEG',
  34925: 'LZMA',
  34933: 'PNG',
  48124: 'Jetraw',
  50002: 'JPEG XL',
  52546: 'JPEG XL',
  65000: 'EER',
  65001: 'EER',
  65002: 'EER',
};

/** Tag codes of TIFF 6.0 and its supplements. Tags of one vendor are beside the code that reads them. */
export const TAG = {
  newSubfileType: 254,
  subfileType: 255,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  imageDescription: 270,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  planarConfiguration: 284,
  pageName: 285,
  t4Options: 292,
  resolutionUnit: 296,
  software: 305,
  dateTime: 306,
  artist: 315,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  subIfds: 330,
  sampleFormat: 339,
  jpegTables: 347,
  jpegProcess: 512,
  jpegInterchange: 513,
  jpegInterchangeLength: 514,
  jpegRestartInterval: 515,
  jpegQTables: 519,
  jpegDcTables: 520,
  jpegAcTables: 521,
  yCbCrCoefficients: 529,
  yCbCrSubSampling: 530,
  referenceBlackWhite: 532,
  imageDepth: 32997,
} as const;

/** Field types (TIFF 6.0 section 2; 13 from the PageMaker supplement; 16–18 BigTIFF). */
export const FIELD = {
  byte: 1,
  ascii: 2,
  short: 3,
  long: 4,
  rational: 5,
  sbyte: 6,
  undefined: 7,
  sshort: 8,
  slong: 9,
  srational: 10,
  float: 11,
  double: 12,
  ifd: 13,
  long8: 16,
  slong8: 17,
  ifd8: 18,
} as const;

/** Returns the size in bytes of one value of a field type, or 0 for a type that TIFF does not define. */
export function fieldSize(type: number): number {
  return FIELD_SIZES[type] ?? 0;
}

const FIELD_SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

/**
 * Text files as FluoView (FV30S-SW) writes them beside an exported TIFF: `"Key"` TAB `"Value"` lines with CRLF, sections
 * as keys in brackets.
 */
export interface OlympusText {
  /** Key → value by section, in the order of writing. */
  sections: Record<string, Record<string, string>>;
  newline?: string;
}

export function olympusText({ sections, newline = '\r\n' }: OlympusText): string {
  const lines: string[] = [];
  for (const [section, pairs] of Object.entries(sections)) {
    lines.push(`"[${section}]"\t""`);
    for (const [key, value] of Object.entries(pairs)) lines.push(`"${key}"\t"${value}"`);
  }
  return lines.map((line) => line + newline).join('');
}

/** The two-channel line scan of 6 lines × 4 pixels that the fact sheet gives as its test vector. */
export function kymographSections(): Record<string, Record<string, string>> {
  return {
    General: { Name: 'kymo.oir', 'Scan Mode': 'XT', Date: '11/02/2022 12:30:15.461 AM' },
    Dimensions: {
      'X Dimension': '4, 0.0 - 1.000 [um], 0.250 [um/pixel]',
      'Channel Dimension': '2 [Ch]',
      'T Dimension': '1, 0.000 - 0.010 [s], Interval FreeRun',
    },
    Image: {
      'Primary Dimensions': 'X * T',
      'Image Size': '4 * 6 [pixel]',
      'Image Size(Unit Converted)': '1.000 [um] * 12.000 [ms]',
    },
    'Reference Image': {
      'Image Size': '512 * 512 [pixel]',
      'Image Size(Unit Converted)': '128.000 [um] * 128.000 [um]',
    },
    'Channel 1': { 'Channel Name': 'RNDD1', 'Bits/Pixel': '12 [bits]' },
    'Channel 2': { 'Channel Name': 'RNDD2', 'Bits/Pixel': '12 [bits]' },
  };
}

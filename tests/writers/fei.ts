import type { TagSpec } from './tiff.js';

/** The settings text of an FEI or Thermo Fisher electron microscope, by section. */
export type FeiSections = Record<string, Record<string, string | number>>;

const FEI_HELIOS = 34682;
export const FEI_SFEG = 34680;

/** As a Helios writes it: 2.0345 nm per pixel, recorded on 12 March 2019. */
export function feiSections(columns: number): FeiSections {
  return {
    User: { Date: '03/12/2019', Time: '10:22:13 PM', User: 'supervisor', UserText: '' },
    System: { Type: 'DualBeam', SystemType: 'Helios G4 UX', DisplayWidth: 0.4 },
    Beam: { HV: 5000, Beam: 'EBeam', Scan: 'EScan' },
    EScan: { InternalScan: 'true', PixelWidth: '2.0345e-009', PixelHeight: '2.0345e-009' },
    Scan: { InternalScan: 'true', Dwelltime: '3e-006', PixelWidth: '2.0345e-009', PixelHeight: '4.069e-009' },
    Image: { ResolutionX: columns, ResolutionY: 2, DigitalContrast: 1 },
  };
}

export function feiTag(sections: FeiSections, code = FEI_HELIOS): TagSpec {
  const lines = Object.entries(sections).flatMap(([name, pairs]) => [
    `[${name}]`,
    ...Object.entries(pairs).map(([key, value]) => `${key}=${value}`),
    '',
  ]);
  return { code, type: 2, text: lines.map((line) => `${line}\r\n`).join('') };
}

/** Who took an acquisition, and with what: names and units follow the OME data model. The contract describes the fields. */

export interface Instrument {
  microscope?: string;
  objective?: {
    name?: string;
    magnification?: number;
    numericalAperture?: number;
    immersion?: string;
  };
  zoom?: number;
  pixelDwellSeconds?: number;
  linePeriodSeconds?: number;
  bidirectional?: boolean;
  /** In µm, at the first plane of the scene. */
  stage?: { x?: number; y?: number; z?: number };
  /** ISO 8601. */
  start?: string;
}

/** One wavelength, or the ends of a band, shortest first. */
type Wavelength = number | number[];

export interface ChannelOptics {
  fluorophore?: string;
  excitationNm?: Wavelength;
  emissionNm?: Wavelength;
  exposureSeconds?: number;
  detector?: string;
  gain?: number;
  pinholeUm?: number;
  laserPower?: number;
}

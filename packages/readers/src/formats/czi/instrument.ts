/** Finds microscope, objective and the optics of the channels in the XML. Pure. */

import { childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import type { ChannelOptics } from '../../model/acquisition.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import { type FoundInstrument, type FoundOptics, toOptics } from '../../model/metadata/instrument.js';

export interface RawCziOptics {
  instrument: FoundInstrument;
  /** By index along C: all scenes share them. */
  channels: ChannelOptics[];
}

/** @param information `Metadata/Information` */
export function parseOptics(information: XmlElement | undefined): RawCziOptics {
  const parts = childNamed(information, 'Instrument');
  const image = childNamed(information, 'Image');
  const channels = childrenNamed(childNamed(image, 'Dimensions', 'Channels'), 'Channel');
  const settings = childNamed(image, 'ObjectiveSettings');
  const objective = findById(childNamed(parts, 'Objectives'), childNamed(settings, 'ObjectiveRef'));
  const microscope = findById(childNamed(parts, 'Microscopes'), childNamed(image, 'MicroscopeRef'));
  const scan = channels.map((channel) => childNamed(channel, 'LaserScanInfo')).find((info) => info !== undefined);
  return {
    instrument: {
      microscope:
        textOf(childNamed(microscope, 'System')) ||
        textOf(childNamed(microscope, 'Manufacturer', 'Model')) ||
        microscope?.attributes['Name'],
      objective: {
        name: textOf(childNamed(objective, 'Manufacturer', 'Model')) || objective?.attributes['Name'],
        magnification: numberOf(childNamed(objective, 'NominalMagnification')),
        numericalAperture: shortened(numberOf(childNamed(objective, 'LensNA'))),
        immersion: textOf(childNamed(objective, 'Immersion')) || textOf(childNamed(settings, 'Medium')),
      },
      zoom: numberOf(childNamed(scan, 'ZoomX')),
      pixelDwellSeconds: shortened(numberOf(childNamed(scan, 'PixelTime'))),
    },
    channels: channels.map((channel) => toOptics(parseChannelOptics(channel, childNamed(parts, 'Detectors')))),
  };
}

function parseChannelOptics(channel: XmlElement, detectors: XmlElement | undefined): FoundOptics {
  const settings = childNamed(channel, 'DetectorSettings');
  const detector = findById(detectors, childNamed(settings, 'Detector'));
  const light = childrenNamed(childNamed(channel, 'LightSourcesSettings'), 'LightSourceSettings');
  const wavelength = (name: string) => shortened(numberOf(childNamed(channel, name)));
  // Nanoseconds.
  const exposure = numberOf(childNamed(channel, 'ExposureTime'));
  return {
    fluorophore: textOf(childNamed(channel, 'Fluor')),
    excitationNm:
      wavelength('ExcitationWavelength') ??
      parseBand(childNamed(channel, 'IlluminationWavelength')) ??
      numberOf(childNamed(light[0], 'Wavelength')),
    emissionNm: wavelength('EmissionWavelength') ?? parseBand(childNamed(channel, 'DetectionWavelength')),
    exposureSeconds: exposure === undefined ? undefined : exposure / 1e9,
    detector:
      textOf(childNamed(detector, 'Manufacturer', 'Model')) ||
      detector?.attributes['Name'] ||
      textOf(childNamed(detector, 'Type')),
    gain: shortened(numberOf(childNamed(settings, 'Gain'))),
    pinholeUm: shortened(numberOf(childNamed(channel, 'PinholeSize'))),
    laserPower: light.length === 1 ? parsePower(light[0]) : undefined,
  };
}

/** Returns percent: `Intensity` is a text such as `50.00 %`, `Attenuation` the share that is taken away. */
function parsePower(light: XmlElement | undefined): number | undefined {
  const percent = /^\s*(\d+(?:\.\d+)?)\s*%/.exec(textOf(childNamed(light, 'Intensity')))?.[1];
  if (percent !== undefined) return Number(percent);
  const attenuation = numberOf(childNamed(light, 'Attenuation'));
  return attenuation === undefined || attenuation > 1 ? undefined : shortened(100 * (1 - attenuation));
}

/** Parses the first of the ranges, such as `499-643`; else the peak. */
function parseBand(wavelengths: XmlElement | undefined): number | [number, number] | undefined {
  const [, from, to] = /^\s*(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)\s*$/.exec(textOf(childNamed(wavelengths, 'Ranges'))) ?? [];
  if (from !== undefined && to !== undefined) return [Number(from), Number(to)];
  return numberOf(childNamed(wavelengths, 'SinglePeak'));
}

/** Finds what a reference names; without a reference, the only entry. */
function findById(list: XmlElement | undefined, reference: XmlElement | undefined): XmlElement | undefined {
  const id = reference?.attributes['Id'];
  const entries = list?.children ?? [];
  return id === undefined && entries.length === 1
    ? entries[0]
    : entries.find(({ attributes }) => attributes['Id'] === id);
}

function textOf(element: XmlElement | undefined): string {
  return element?.text.trim() ?? '';
}

function numberOf(element: XmlElement | undefined): number | undefined {
  const text = textOf(element);
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** ZEN writes 1.2 as 1.2000000000000002. */
function shortened(value: number | undefined): number | undefined {
  return value === undefined ? undefined : withoutNoise(value);
}

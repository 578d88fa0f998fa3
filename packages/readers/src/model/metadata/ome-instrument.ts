/** Reads who took an image, and with what, from OME-XML. Schemas before 2009 have texts where later ones have attributes. */

import { childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import { withoutNoise } from './float32.js';
import type { FoundInstrument, FoundOptics } from './instrument.js';
import { toUnit } from './units.js';

/** Returns the value of an attribute, or of a child element with its name. */
function field(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes[name] ?? childNamed(element, name)?.text.trim();
}

function numeric(element: XmlElement | undefined, name: string): number | undefined {
  const text = field(element, name)?.trim();
  return text === undefined || text === '' ? undefined : Number(text.replace(',', '.'));
}

/** Returns a number in µm, or in the unit that is its default. */
function lengthOf(element: XmlElement | undefined, name: string, fallback: string): number | undefined {
  return toUnit('micrometer', numeric(element, name), element?.attributes[`${name}Unit`] ?? fallback);
}

/** Words that writers use when they do not know. */
const UNKNOWN = /^(unknown|other|none|n\/?a)$/i;

function known(...texts: (string | undefined)[]): string | undefined {
  const found = texts.filter((text) => text !== undefined && text.trim() !== '' && !UNKNOWN.test(text.trim()));
  return found.length > 0 ? found.join(' ') : undefined;
}

function withId(elements: readonly XmlElement[], id: string | undefined): XmlElement | undefined {
  return id === undefined ? undefined : elements.find(({ attributes }) => attributes['ID'] === id);
}

/** The instruments of a document, and what its images say of them. */
export interface OmeInstruments {
  all: readonly XmlElement[];
  /** Some image names its instrument, or its objective: then those of the others are not known. */
  areReferenced: boolean;
  areObjectivesReferenced: boolean;
}

export function findInstruments(root: XmlElement | undefined): OmeInstruments {
  const images = childrenNamed(root, 'Image');
  return {
    all: childrenNamed(root, 'Instrument'),
    areReferenced: images.some((image) => childNamed(image, 'InstrumentRef')),
    areObjectivesReferenced: images.some(objectiveSettings),
  };
}

function objectiveSettings(image: XmlElement): XmlElement | undefined {
  return childNamed(image, 'ObjectiveSettings') ?? childNamed(image, 'ObjectiveRef');
}

/** Returns the element that is referenced; the only one where nothing is referenced, or the reference leads nowhere. */
function referenced(
  elements: readonly XmlElement[],
  reference: XmlElement | undefined,
  areReferenced: boolean,
): XmlElement | undefined {
  const only = elements.length === 1 && (reference || !areReferenced) ? elements[0] : undefined;
  return withId(elements, reference?.attributes['ID']) ?? only;
}

function instrumentOf(image: XmlElement, { all, areReferenced }: OmeInstruments): XmlElement | undefined {
  return referenced(all, childNamed(image, 'InstrumentRef'), areReferenced);
}

/** Reads the microscope and the objective of an image. */
export function readOmeInstrument(image: XmlElement, instruments: OmeInstruments): FoundInstrument {
  const instrument = instrumentOf(image, instruments);
  const microscope = childNamed(instrument, 'Microscope')?.attributes;
  const objectives = childrenNamed(instrument, 'Objective');
  const objective = referenced(objectives, objectiveSettings(image), instruments.areObjectivesReferenced);
  return {
    microscope: known(microscope?.['Manufacturer'], microscope?.['Model']),
    objective: {
      name: known(objective?.attributes['Model']),
      magnification: numeric(objective, 'NominalMagnification') ?? numeric(objective, 'Magnification'),
      numericalAperture: numeric(objective, 'LensNA'),
      immersion: known(field(objective, 'Immersion')),
    },
  };
}

/** Reads what a `Channel` says of its light and its detector; its exposure time is that of its planes. */
export function readOmeOptics(channel: XmlElement, image: XmlElement, instruments: OmeInstruments): FoundOptics {
  const settings = childNamed(channel, 'DetectorSettings') ?? childNamed(channel, 'DetectorRef');
  const detectors = childrenNamed(instrumentOf(image, instruments), 'Detector');
  const detector = withId(detectors, settings?.attributes['ID']);
  const nanometers = (name: string) => {
    const micrometers = lengthOf(channel, name, 'nm');
    return micrometers === undefined ? undefined : withoutNoise(micrometers * 1000);
  };
  return {
    fluorophore: known(channel.attributes['Fluor']),
    excitationNm: nanometers('ExcitationWavelength') ?? nanometers('ExWave'),
    emissionNm: nanometers('EmissionWavelength') ?? nanometers('EmWave'),
    detector: known(detector?.attributes['Model']) ?? known(detector?.attributes['Type']),
    gain: numeric(settings, 'Gain') ?? numeric(detector, 'Gain'),
    pinholeUm: lengthOf(channel, 'PinholeSize', 'µm'),
  };
}

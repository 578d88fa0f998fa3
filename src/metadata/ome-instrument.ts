/** Reads who took an image, and with what, from OME-XML. Schemas before 2009 have texts where later ones have attributes. */

import { childNamed, childrenNamed, type XmlElement } from '../io/xml.js';
import { withoutNoise } from './float32.js';
import type { FoundInstrument, FoundOptics } from './instrument.js';
import { unitMeaning } from './units.js';

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
  const value = numeric(element, name);
  const meaning = unitMeaning(element?.attributes[`${name}Unit`] ?? fallback);
  return value === undefined || meaning?.unit !== 'micrometer' ? undefined : value * meaning.factor;
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

/** Returns the instrument of an image, by its references; the only one of the document without any. */
function instrumentOf(image: XmlElement, root: XmlElement | undefined): XmlElement | undefined {
  const instruments = childrenNamed(root, 'Instrument');
  const id = childNamed(image, 'InstrumentRef')?.attributes['ID'];
  return withId(instruments, id) ?? (instruments.length === 1 ? instruments[0] : undefined);
}

/** Reads the microscope and the objective of an image. */
export function readOmeInstrument(image: XmlElement, root: XmlElement | undefined): FoundInstrument {
  const instrument = instrumentOf(image, root);
  const microscope = childNamed(instrument, 'Microscope')?.attributes;
  const settings = childNamed(image, 'ObjectiveSettings') ?? childNamed(image, 'ObjectiveRef');
  const objectives = childrenNamed(instrument, 'Objective');
  const objective =
    withId(objectives, settings?.attributes['ID']) ?? (objectives.length === 1 ? objectives[0] : undefined);
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
export function readOmeOptics(channel: XmlElement, image: XmlElement, root: XmlElement | undefined): FoundOptics {
  const settings = childNamed(channel, 'DetectorSettings') ?? childNamed(channel, 'DetectorRef');
  const detectors = childrenNamed(instrumentOf(image, root), 'Detector');
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

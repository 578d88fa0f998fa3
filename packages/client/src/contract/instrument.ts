/** Who took an acquisition, and with what: names and units follow the OME data model. */
import { type Static, type TSchema, Type } from 'typebox';
import { closed } from './common.js';

const positive = (description: string) => Type.Optional(Type.Number({ exclusiveMinimum: 0, description }));
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 512, description }));

/** One wavelength, or the ends of a band, shortest first. */
const Wavelength = Type.Union([
  Type.Number({ exclusiveMinimum: 0 }),
  Type.Array(Type.Number({ exclusiveMinimum: 0 }), { minItems: 2, maxItems: 2 }),
]);
const wavelength = (description: string) => Type.Optional(withDescription(Wavelength, description));

function withDescription<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

const Objective = Type.Object(
  {
    name: text('Name or model.'),
    magnification: positive('Nominal magnification.'),
    numericalAperture: positive('Numerical aperture.'),
    immersion: text('Immersion medium, as the file names it.'),
  },
  { ...closed, title: 'Objective', description: 'The objective lens.' },
);

const Stage = Type.Object(
  {
    x: Type.Optional(Type.Number({ description: 'In µm.' })),
    y: Type.Optional(Type.Number({ description: 'In µm.' })),
    z: Type.Optional(Type.Number({ description: 'In µm.' })),
  },
  { ...closed, title: 'Stage', description: 'Position of the stage at the first plane of the scene.' },
);

export const Instrument = Type.Object(
  {
    microscope: text('Maker, model or name of the microscope.'),
    objective: Type.Optional(Objective),
    zoom: positive('Zoom of the scanner.'),
    pixelDwellSeconds: positive('Time that the beam stays on a pixel.'),
    linePeriodSeconds: positive('Time from the start of one line to the start of the next.'),
    bidirectional: Type.Optional(Type.Boolean({ description: '`true` when lines are scanned in both directions.' })),
    stage: Type.Optional(Stage),
    start: text('Start of the recording as ISO 8601, with the offset from UTC where the file has it.'),
  },
  {
    ...closed,
    title: 'Instrument',
    description: 'What the scene was taken with. Only what the file states; absent when it states nothing.',
  },
);
export type Instrument = Static<typeof Instrument>;

/** Fields that every channel can have. */
export const channelOptics = {
  fluorophore: text('Dye or protein of the channel.'),
  excitationNm: wavelength('Excitation wavelength in nm, or the ends of its band.'),
  emissionNm: wavelength('Emission wavelength in nm, or the ends of the detected band.'),
  exposureSeconds: positive('Exposure time of a plane.'),
  detector: text('Name or type of the detector.'),
  gain: Type.Optional(Type.Number({ description: 'Gain of the detector, in the unit of the file.' })),
  pinholeUm: positive('Diameter of the pinhole in µm.'),
  laserPower: Type.Optional(
    Type.Number({ minimum: 0, description: 'Laser power in percent of the full power of the laser.' }),
  ),
};
const ChannelOptics = Type.Object(channelOptics);
export type ChannelOptics = Static<typeof ChannelOptics>;

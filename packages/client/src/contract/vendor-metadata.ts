import { grouped } from '@acquisition-store/readers/base/wording.js';
import { METADATA_LIMITS } from '@acquisition-store/readers/model/metadata-list.js';
import { type Static, Type } from 'typebox';
import { closed } from './common.js';

const { entries, valueCharacters } = METADATA_LIMITS;

const MetadataEntry = Type.Object(
  {
    name: Type.String({
      description:
        "The vendor's own name, with the path to it: `Information/Instrument/Objectives/Objective:1/LensNA`.",
    }),
    value: Type.String({
      description: 'The value as the file has it, without a conversion of units.',
    }),
    note: Type.Optional(
      Type.String({ description: 'What the value lacks, for example `The first 1,024 of 52,000 characters`.' }),
    ),
  },
  { ...closed, title: 'MetadataEntry', description: 'One setting of the microscope.' },
);
export type MetadataEntry = Static<typeof MetadataEntry>;

export const VendorMetadata = Type.Object(
  {
    entries: Type.Array(MetadataEntry, {
      description: `In file order. At most ${grouped(entries)} entries, each with at most ${grouped(valueCharacters)} characters.`,
    }),
    truncated: Type.Boolean({ description: 'True when the file contains more entries.' }),
  },
  {
    ...closed,
    title: 'VendorMetadata',
    description:
      'What the recording software wrote about the recording, under its own names: objective, lasers, gains, … Present ' +
      'only when asked for. Nothing in it is checked or interpreted.',
  },
);
export type VendorMetadata = Static<typeof VendorMetadata>;

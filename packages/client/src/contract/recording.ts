import { PARTS, RECORDING_EVIDENCE } from '@acquisition-store/readers/model/recording.js';
import { type Static, Type } from 'typebox';
import { closed } from './common.js';

export const Parts = Type.Enum([...PARTS], {
  type: 'string',
  description:
    '`one` (default): the file alone. `all`: the recording that it is a part of, as one acquisition: files that ' +
    'another file describes, whose frame numbers go on from one to the next, or whose names differ in numbers of time points, sections, channels or series and whose planes are ' +
    'alike. A file that is a part of none is opened alone, with a warning.',
});

export const PartsInUse = Type.Enum([...PARTS], {
  type: 'string',
  description: '`all` when the request asked for all files.',
});

export const Recording = Type.Object(
  {
    parts: Type.Integer({ minimum: 2, description: 'Number of files.' }),
    part: Type.Integer({ minimum: 0, description: 'Index of the file that was named among them.' }),
    along: Type.Array(Type.String(), {
      minItems: 1,
      description: 'Axes along which the files follow each other, slowest first: `S`, `T`, `Z` or `C`.',
    }),
    evidence: Type.Enum([...RECORDING_EVIDENCE], {
      type: 'string',
      description:
        '`master file`: a file, `master`, describes all of them. `frame numbers`: the files number their frames as one recording. `names`: only the names of the files, and planes that ' +
        'are alike, say that they belong together.',
    }),
    master: Type.Optional(
      Type.String({
        description: 'Name, in the folder of the files, of the one that describes all of them. Only for `master file`.',
      }),
    ),
  },
  {
    ...closed,
    title: 'Recording',
    description:
      'The recording in several files that the file is a part of, by the names in its folder and a look into the first and the last of ' +
      'them. Absent for others. `parts: "all"` opens it, and looks at all of them.',
  },
);
export type Recording = Static<typeof Recording>;

import { type Static, Type } from 'typebox';
import { closed } from './common.js';
import { SessionParams } from './session.js';

/** Media types of the documents of a tree. */
export const DOCUMENT_TYPES = { json: 'application/json', xml: 'application/xml' } as const;

export const ZarrAddresses = Type.Object(
  {
    '0.4': Type.String({ description: 'OME-Zarr 0.4, which is Zarr 2. Every reader knows it.' }),
    '0.5': Type.String({ description: 'OME-Zarr 0.5, which is Zarr 3.' }),
  },
  {
    ...closed,
    title: 'ZarrAddresses',
    description:
      'Addresses of the opened scene as an OME-Zarr image, relative to the server: all its channels, time points and ' +
      'sections in the sample type of the file. Add `/`, a key and nothing else.',
  },
);
export type ZarrAddresses = Static<typeof ZarrAddresses>;

/** As documented. @param example a key that every session has */
export function zarrParams(example: string) {
  return Type.Object({
    ...SessionParams.properties,
    key: Type.String({
      description:
        'Key of the store. It contains slashes, which are not escaped: `0/.zattrs`, `0/0/.zarray`, `0/0/0/1/0/4/0` in 0.4; ' +
        '`0/zarr.json`, `0/0/zarr.json`, `0/0/c/0/1/0/4/0` in 0.5 (scene, level, then time point, channel, section, row and ' +
        'column of the chunk).',
      examples: [example],
    }),
  });
}
export type ZarrParams = ReturnType<typeof zarrParams>;

/** As the router names them. */
export const ZarrRouteParams = Type.Object({ ...SessionParams.properties, '*': Type.String() });

import { expect, it } from 'vitest';
import { PROGRAM, partyOf } from '../../../packages/server/src/sessions/record.js';

it.each([
  ['a user, whatever they use', { kind: 'trusted-page', origin: 'https://a.example' }, 'token:ann', 'user token:ann'],
  [
    'pages of an origin',
    { kind: 'trusted-page', origin: 'https://a.example' },
    undefined,
    'pages of https://a.example',
  ],
  ['local pages', { kind: 'file-page', origin: 'null' }, undefined, 'pages of null'],
  ['programs', PROGRAM, undefined, 'programs'],
] as const)('%s compete as one', (_, client, owner, party) => expect(partyOf(client, owner)).toBe(party));

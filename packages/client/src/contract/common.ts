import { UNITS } from '@acquisition-store/readers/model/acquisition.js';
import { type Static, Type } from 'typebox';
import { API_VERSION } from './values.js';

/**
 * Objects of the contract list all their fields: the server neither accepts nor sends others. The OpenAPI document
 * leaves responses open, so that clients accept fields that are added later.
 */
export const closed = { additionalProperties: false } as const;

export const Ok = Type.Literal(true, { description: '`true` on success.' });
export const ApiVersion = Type.Literal(API_VERSION, { description: 'Label of the API version.' });

/** A unit or `null`, where the meaning is that of the field. */
export const UnitOrNull = (description: string) =>
  Type.Union([Type.Enum([...UNITS], { type: 'string' }), Type.Null()], { description });

export const Unit = Type.Enum([...UNITS], {
  type: 'string',
  description:
    'Unit of a step. Other units in a file are converted. `Pixels`: not calibrated, the step is 1. ' +
    '`Channels`, `Planes` (Z), `Frames` (T) and `Scenes` count entries of a dimension without a calibration.',
});
export type Unit = Static<typeof Unit>;

/** A body without fields: `{}`, or no body. */
export const NoFields = Type.Object({}, { ...closed, title: 'NoFields', description: 'An empty object.' });

export const BinaryDescription = {
  servedDtype: Type.Literal('float32', {
    description: 'Sample type of the served planes, regardless of the type in the file.',
  }),
  encoding: Type.Literal('raw-f32-le', { description: 'Little-endian float32 samples without a header.' }),
  layout: Type.Literal('row-major', { description: 'Row after row. Planes are never transposed.' }),
  mediaType: Type.Literal('application/octet-stream', { description: '`Content-Type` of the data addresses.' }),
};

export const Health = Type.Object(
  { ok: Ok, apiVersion: ApiVersion },
  { ...closed, title: 'Health', description: 'The server answers.' },
);
export type Health = Static<typeof Health>;

const Extension = Type.String({ pattern: '^\\.' });

const WayIn = Type.Enum(['path', 'picker', 'upload', 'folders', 'locate'], { type: 'string' });

const ListedFormat = Type.Object(
  {
    name: Type.String({ description: 'For people; not an id.' }),
    group: Type.String({
      description: 'Heading for a list: the maker of the microscope or program; of open formats, their own name.',
    }),
    extensions: Type.Array(Extension, { description: 'Those of the format that are allowed, the usual one first.' }),
    opensFolders: Type.Boolean({ description: 'Whether a folder can be an acquisition of this format.' }),
  },
  { ...closed, title: 'Format', description: 'One format that this server opens.' },
);

export const Capabilities = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    supportedImportExtensions: Type.Array(Extension, {
      description: 'File extensions that this build can read, each with its dot. Do not hard-code them.',
    }),
    allowedImportExtensions: Type.Array(Extension, {
      description: 'Extensions that the operator allows (`--allow-ext`). Only these can be opened.',
    }),
    formats: Type.Array(ListedFormat, {
      description:
        'The formats behind the allowed extensions, for a list on a page. Formats can share an extension: the content of a file ' +
        'decides.',
    }),
    binary: Type.Object(BinaryDescription, { ...closed, description: 'How planes are served.' }),
    sessionTtlSeconds: Type.Number({
      exclusiveMinimum: 0,
      description: 'Life of a session in seconds, from its open or its last renewal. Reading does not extend it.',
    }),
    opening: Type.Array(WayIn, {
      description:
        'How this caller can open acquisitions: `path` (`open`), `picker` (`pick-and-open`; the server has a display), `upload` ' +
        '(`uploads`), `folders` and `locate`. The list can get further entries.',
    }),
  },
  { ...closed, title: 'Capabilities', description: 'What this server can read, and how it serves planes.' },
);
export type Capabilities = Static<typeof Capabilities>;

const SignInWay = Type.Enum(['token', 'login'], { type: 'string' });

export const SignedIn = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    signIn: Type.Array(SignInWay, {
      description:
        'How to sign in: `token` (send a token of your own), `login` (at the proxy in front of the server, which sends the ' +
        'token). Empty on a server without users. The list can get further entries.',
    }),
    user: Type.Union(
      [
        Type.Object(
          {
            name: Type.String({ description: 'For people; not an id.' }),
            signedInBy: Type.Enum(['token', 'login'], { type: 'string', description: 'One of the ways in `signIn`.' }),
          },
          { ...closed, title: 'User', description: 'The one who sent the request.' },
        ),
        Type.Null(),
      ],
      { description: 'Who is signed in; `null` for nobody.' },
    ),
    signOutUrl: Type.Union([Type.String(), Type.Null()], {
      description: 'Where to log out, for users of `login`; `null` when the operator did not set it.',
    }),
  },
  { ...closed, title: 'SignedIn', description: 'Who is signed in, and how to sign in.' },
);
export type SignedIn = Static<typeof SignedIn>;

const Link = Type.Object(
  {
    href: Type.String({ description: 'Address relative to the server.' }),
    method: Type.String({ description: 'HTTP method.' }),
    description: Type.String({ description: 'What the address does.' }),
  },
  { ...closed, title: 'Link', description: 'One address of the server.' },
);

export const Index = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    description: Type.String({ description: 'Name of the product.' }),
    serverVersion: Type.String({ description: 'Version of the server program.' }),
    links: Type.Object(
      {
        health: Link,
        capabilities: Link,
        open: Link,
        pickAndOpen: Link,
        openapi: Link,
        docs: Link,
        demo: Link,
      },
      { ...closed, description: 'Addresses of the server.' },
    ),
  },
  { ...closed, title: 'Index', description: 'Links to the resources of the API.' },
);
export type Index = Static<typeof Index>;

const Example = Type.Object(
  {
    name: Type.String({ description: 'Short title.' }),
    description: Type.String({ description: 'What the sample shows.' }),
    path: Type.String({ description: 'Absolute path on the machine of the server. Pass it to `POST /api/v2/open`.' }),
  },
  { ...closed, title: 'Example', description: 'A sample acquisition that comes with the server.' },
);

export const Examples = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    examples: Type.Array(Example, {
      description: 'Empty when the samples are outside the roots of the server (`--root`).',
    }),
  },
  { ...closed, title: 'Examples', description: 'The sample acquisitions that can be opened.' },
);
export type Examples = Static<typeof Examples>;

import { type Static, Type } from 'typebox';

/** API version label of every v2 response. */
export const API_VERSION = 'v2' as const;

/** Objects of the contract list all their fields: nothing else goes in or out. */
export const closed = { additionalProperties: false } as const;

export const Unit = Type.Enum(['seconds', 'micrometer', 'Pixels', 'Channels', 'Planes', 'Frames', 'Scenes'], {
  type: 'string',
  description: 'Unit label; anything else in a file is converted, or becomes `Pixels` with step 1.',
});

/** A body without fields: `{}`, or nothing at all. */
export const NoFields = Type.Object({}, { ...closed, title: 'NoFields' });

export const BinaryDescription = {
  servedDtype: Type.Literal('float32'),
  encoding: Type.Literal('raw-f32-le'),
  layout: Type.Literal('row-major'),
  mediaType: Type.Literal('application/octet-stream'),
};

/** The values of `BinaryDescription`. */
export const BINARY = {
  servedDtype: 'float32',
  encoding: 'raw-f32-le',
  layout: 'row-major',
  mediaType: 'application/octet-stream',
} as const;

export const Health = Type.Object(
  { ok: Type.Literal(true), apiVersion: Type.Literal(API_VERSION) },
  { ...closed, title: 'Health' },
);
export type Health = Static<typeof Health>;

export const Capabilities = Type.Object(
  {
    ok: Type.Literal(true),
    apiVersion: Type.Literal(API_VERSION),
    supportedImportExtensions: Type.Array(Type.String({ pattern: '^\\.' })),
    allowedImportExtensions: Type.Array(Type.String({ pattern: '^\\.' })),
    binary: Type.Object(BinaryDescription, closed),
    sessionTtlSeconds: Type.Number({ exclusiveMinimum: 0 }),
  },
  { ...closed, title: 'Capabilities' },
);
export type Capabilities = Static<typeof Capabilities>;

const Link = Type.Object(
  { href: Type.String(), method: Type.String(), description: Type.String() },
  { ...closed, title: 'Link' },
);

export const Index = Type.Object(
  {
    ok: Type.Literal(true),
    apiVersion: Type.Literal(API_VERSION),
    description: Type.String(),
    serverVersion: Type.String(),
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
      closed,
    ),
  },
  { ...closed, title: 'Index' },
);
export type Index = Static<typeof Index>;

const Example = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    path: Type.String({ description: 'Absolute path on the machine of the server: give it to `POST /api/v2/open`.' }),
  },
  { ...closed, title: 'Example' },
);

export const Examples = Type.Object(
  {
    ok: Type.Literal(true),
    apiVersion: Type.Literal(API_VERSION),
    examples: Type.Array(Example),
  },
  { ...closed, title: 'Examples' },
);
export type Examples = Static<typeof Examples>;

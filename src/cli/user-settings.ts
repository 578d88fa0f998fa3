import type { Setting } from './setting.js';

/** Settings of a server that several people share. */
export const USER_SETTINGS: readonly Setting[] = [
  {
    name: 'tokens-file',
    key: 'tokensFile',
    kind: 'text',
    placeholder: 'file',
    description: 'accept the tokens of this file, which `acqstore token` makes',
    defaultInWords: 'none',
  },
  {
    name: 'oidc-issuer',
    key: 'oidcIssuer',
    kind: 'text',
    placeholder: 'address',
    description: 'accept login tokens of this OpenID Connect issuer',
    defaultInWords: 'none',
  },
  {
    name: 'oidc-audience',
    key: 'oidcAudience',
    kind: 'text',
    placeholder: 'name',
    description: 'audience that login tokens must name',
    defaultInWords: 'none',
  },
  {
    name: 'oidc-jwks',
    key: 'oidcJwks',
    kind: 'text',
    placeholder: 'address',
    description: 'https address of the keys of the issuer',
    defaultInWords: 'none',
  },
  {
    name: 'user-root',
    key: 'userRoots',
    kind: 'paths',
    placeholder: 'folder',
    description:
      'confine a login to this folder, with claims in braces, for example /data/groups/{groups} (repeatable)',
    defaultInWords: 'all of --root',
  },
  {
    name: 'sign-out-url',
    key: 'signOutUrl',
    kind: 'text',
    placeholder: 'address',
    description: 'where the proxy logs users out, for the viewer, for example /oauth2/sign_out',
    defaultInWords: 'none',
  },
  {
    name: 'max-sessions-per-owner',
    key: 'maxSessionsPerOwner',
    kind: 'number',
    placeholder: 'count',
    description: 'max open sessions of one user',
  },
  {
    name: 'opens-per-owner',
    key: 'opensPerOwner',
    kind: 'number',
    placeholder: 'count',
    description: 'max opens of one user at the same time',
  },
  {
    name: 'audit-log',
    key: 'auditLog',
    kind: 'text',
    placeholder: 'file',
    description: 'append a line of JSON to this file for each open, renewal, end and refusal',
    defaultInWords: 'none',
  },
  {
    name: 'trust-proxy',
    key: 'trustProxies',
    kind: 'list',
    placeholder: 'network',
    description: 'believe X-Forwarded-For from this address or network, for example 10.0.0.0/8 (repeatable)',
    defaultInWords: 'none',
  },
];

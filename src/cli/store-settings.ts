import type { Setting } from './setting.js';

/** Settings of instances that share their sessions. */
export const STORE_SETTINGS: readonly Setting[] = [
  {
    name: 'session-store',
    key: 'sessionStore',
    kind: 'text',
    placeholder: 'address',
    description:
      'keep sessions in this Valkey or Redis server, for several instances: redis://host:6379, rediss://… with TLS, or file:///… with the address in a file',
    defaultInWords: 'the memory of this process',
  },
  {
    name: 'session-store-ca',
    key: 'sessionStoreCa',
    kind: 'text',
    placeholder: 'file',
    description: 'certificate authority of the session store',
    defaultInWords: 'those of the system',
  },
  {
    name: 'session-store-timeout',
    key: 'sessionStoreTimeoutMs',
    kind: 'number',
    placeholder: 'milliseconds',
    description: 'time that the session store has to answer',
  },
];

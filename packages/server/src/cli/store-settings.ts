import type { Setting } from './setting.js';

/** Settings of instances that share their sessions, and of who operates them. */
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
  {
    name: 'ops-listen',
    key: 'opsListen',
    kind: 'text',
    placeholder: 'address',
    description: 'answer /livez, /readyz and /metrics at this address and port, for example 127.0.0.1:9767',
    defaultInWords: 'off',
  },
  {
    name: 'drain-seconds',
    key: 'drainSeconds',
    kind: 'number',
    placeholder: 'seconds',
    description: 'go on answering for so long after a signal to stop, while balancers take the server out',
  },
];

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultSettings } from '../../packages/server/src/cli/serve-settings.js';
import { environmentName, printedDefault, SETTINGS } from '../../packages/server/src/cli/setting-list.js';
import { resolveSettings } from '../../packages/server/src/cli/settings.js';
import { parseSize } from '../../packages/server/src/cli/size.js';
import { UsageError } from '../../packages/server/src/cli/usage-error.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { defaultStateDir } from '../../packages/server/src/state-folder.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'acq-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { HOME: '/home/ada' };

function settingsFile(content: unknown): string {
  const path = join(folder, `settings-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('settings', () => {
  it('have defaults', () => {
    const settings = resolveSettings({ flags: {}, env });
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 8767,
      token: '',
      sessionTtlSeconds: 600,
      openTimeoutSeconds: 120,
      stateDir: '/home/ada/.local/state/acquisition-store',
      logLevel: 'info',
      open: false,
      stopWithStdin: false,
      controlWithStdin: false,
    });
    const own = ['logLevel', 'open', 'stopWithStdin', 'controlWithStdin'];
    expect(Object.keys(settings).sort()).toEqual([...Object.keys(defaultOptions(env)), ...own].sort());
  });

  const asPrinted = SETTINGS.filter(({ defaultInWords }) => defaultInWords === undefined);
  it.each(asPrinted.map((setting) => [setting.name, setting] as const))(
    'print a default for --%s that sets the same value as omitting the flag',
    (name, setting) => {
      const flag = printedDefault(setting);
      expect(resolveSettings({ flags: { [name]: flag }, env })).toEqual(resolveSettings({ flags: {}, env }));
    },
  );

  it('describe a default in words only where it is empty or depends on the computer', () => {
    const settings = defaultSettings(env);
    const inWords = SETTINGS.filter(({ defaultInWords }) => defaultInWords !== undefined);
    const notEmpty = inWords.filter(({ key }) => String(settings[key] ?? '') !== '').map(({ key }) => key);
    expect(notEmpty).toEqual(['memoryBudgetBytes', 'stateDir']);
    expect(settings.uploadBudgetBytes).toBeUndefined();
    expect(printedDefault(inWords.find(({ key }) => key === 'memoryBudgetBytes')!)).toBe('a quarter of RAM');
    expect(settings.memoryBudgetBytes).toBe(Math.floor(totalmem() / 4));
  });

  it('prefer flags over the environment, the environment over the file, the file over defaults', () => {
    const file = settingsFile({ port: 9001, 'session-ttl': 61, queue: 5, 'allow-file-pages': true });
    const settings = resolveSettings({
      flags: { port: '9003' },
      env: { ...env, ACQSTORE_PORT: '9002', ACQSTORE_SESSION_TTL: '62' },
      file,
    });
    expect(settings).toMatchObject({ port: 9003, sessionTtlSeconds: 62, decodeQueue: 5, allowFilePages: true });
  });

  it('can all be set in the environment', () => {
    const values: Record<string, string> = {
      host: 'localhost',
      port: '0',
      token: 'secret',
      'tokens-file': '/etc/tokens.jsonl',
      'oidc-issuer': 'https://login.example',
      'oidc-audience': 'acqstore',
      'oidc-jwks': 'https://login.example/keys',
      'user-root': `/data/users/{sub}${delimiter}/data/groups/{groups}`,
      'sign-out-url': '/oauth2/sign_out',
      'max-sessions-per-owner': '8',
      'opens-per-owner': '2',
      'memory-per-owner': '1GB',
      'upload-per-owner': '2GB',
      'session-store': 'rediss://store.lab:6380',
      'session-store-ca': '/etc/acqstore/store-ca.pem',
      'session-store-timeout': '250',
      'ops-listen': '127.0.0.1:9767',
      'drain-seconds': '15',
      'audit-log': '/var/log/audit.jsonl',
      'audit-log-optional': '1',
      'trust-proxy': '10.0.0.0/8, ::1',
      root: `${folder}${delimiter}${folder}`,
      'allow-origin': 'https://a.example, https://*.lab.example',
      'allow-host': 'scope.lab',
      'allow-file-pages': 'yes',
      'allow-ext': '.TIF .oir',
      'session-ttl': '1.5',
      'max-session-ttl': '7200',
      'max-sessions': '3',
      'memory-budget': '4GB',
      'max-plane-bytes': '1GiB',
      'open-timeout': '10',
      'picker-timeout': '20',
      'stall-timeout': '45',
      workers: '2',
      queue: '7',
      'cold-start': 'on',
      'upload-budget': '1GB',
      'state-dir': '/tmp/state',
      'log-level': 'warn',
      open: '0',
      'stop-with-stdin': '0',
      'control-with-stdin': '0',
    };
    expect(SETTINGS.map(({ name }) => name).sort()).toEqual(Object.keys(values).sort());
    const variables = Object.fromEntries(SETTINGS.map((setting) => [environmentName(setting), values[setting.name]]));
    expect(resolveSettings({ flags: {}, env: { ...env, ...variables } })).toEqual({
      host: 'localhost',
      port: 0,
      token: 'secret',
      tokensFile: '/etc/tokens.jsonl',
      oidcIssuer: 'https://login.example',
      oidcAudience: 'acqstore',
      oidcJwks: 'https://login.example/keys',
      userRoots: ['/data/users/{sub}', '/data/groups/{groups}'],
      signOutUrl: '/oauth2/sign_out',
      maxSessionsPerOwner: 8,
      opensPerOwner: 2,
      memoryPerOwnerBytes: 1_000_000_000,
      uploadPerOwnerBytes: 2_000_000_000,
      sessionStore: 'rediss://store.lab:6380',
      sessionStoreCa: '/etc/acqstore/store-ca.pem',
      sessionStoreTimeoutMs: 250,
      opsListen: '127.0.0.1:9767',
      drainSeconds: 15,
      auditLog: '/var/log/audit.jsonl',
      auditLogOptional: true,
      trustProxies: ['10.0.0.0/8', '::1'],
      roots: [folder, folder],
      allowOrigins: ['https://a.example', 'https://*.lab.example'],
      allowHosts: ['scope.lab'],
      allowFilePages: true,
      allowExtensions: ['.tif', '.oir'],
      sessionTtlSeconds: 1.5,
      maxSessionTtlSeconds: 7200,
      maxSessions: 3,
      memoryBudgetBytes: 4_000_000_000,
      maxPlaneBytes: 1_073_741_824,
      openTimeoutSeconds: 10,
      pickerTimeoutSeconds: 20,
      stallTimeoutSeconds: 45,
      decodeWorkers: 2,
      decodeQueue: 7,
      coldStart: true,
      uploadBudgetBytes: 1_000_000_000,
      stateDir: '/tmp/state',
      logLevel: 'warn',
      open: false,
      stopWithStdin: false,
      controlWithStdin: false,
    });
  });

  it('ignore empty variables', () => {
    expect(resolveSettings({ flags: {}, env: { ...env, ACQSTORE_PORT: '' } }).port).toBe(8767);
  });

  it('generate a new token for auto each time', () => {
    const tokens = [1, 2].map(() => resolveSettings({ flags: { token: 'auto' }, env }).token);
    expect(tokens[0]).toMatch(/^[\w-]{32}$/);
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  it('resolve links of roots', () => {
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    expect(resolveSettings({ flags: { root: [link] }, env }).roots).toEqual([folder]);
  });
});

describe('invalid settings', () => {
  const cases: [string, Record<string, unknown>, NodeJS.ProcessEnv, RegExp][] = [
    ['text for a number', { port: 'abc' }, {}, /^--port: "abc" is not a number$/],
    ['a number out of range', { port: '70000' }, {}, /^--port: must be at most 65535 \(got 70000\)$/],
    ['a fraction', { workers: '1.5' }, {}, /^--workers: must be a whole number \(got 1.5\)$/],
    ['a bad size', { 'memory-budget': '4 parsecs' }, {}, /^--memory-budget: "4 parsecs" is not a size/],
    ['zero seconds', {}, { ACQSTORE_SESSION_TTL: '0' }, /^ACQSTORE_SESSION_TTL: must be greater than 0 \(got 0\)$/],
    ['a bad level', { 'log-level': 'loud' }, {}, /^--log-level: must be one of trace, debug/],
    [
      'a bad switch',
      {},
      { ACQSTORE_OPEN: 'perhaps' },
      /^ACQSTORE_OPEN: "perhaps" is not a switch value\. Use true or false\.$/,
    ],
    ['a missing root', { root: ['/nowhere/at/all'] }, {}, /^--root \/nowhere\/at\/all: ENOENT/],
    [
      'an origin with a path',
      { 'allow-origin': ['https://a.example/x'] },
      {},
      /^--allow-origin: must be an origin without a path, for example/,
    ],
    [
      'an extension without a dot',
      { 'allow-ext': ['tif'] },
      {},
      /^--allow-ext: must start with a dot and have no spaces/,
    ],
    ['a token with blanks', { token: 'a b' }, {}, /^--token: must have no spaces/],
  ];
  it.each(cases)('are named with their source: %s', (_, flags, variables, message) => {
    const run = () => resolveSettings({ flags, env: { ...env, ...variables } });
    expect(run).toThrow(UsageError);
    expect(run).toThrow(message);
  });

  it('include a settings file that is missing, is not a JSON object, or has an unknown name or a wrong type', () => {
    const withFile = (file: string) => () => resolveSettings({ flags: {}, env, file });
    expect(withFile('/nowhere.json')).toThrow(/^--config \/nowhere.json: ENOENT/);
    expect(withFile(settingsFile('{'))).toThrow(/^--config .*JSON/);
    expect(withFile(settingsFile([1]))).toThrow(/must contain a JSON object/);
    expect(withFile(settingsFile({ prot: 1 }))).toThrow(/unknown setting "prot"/);
    expect(withFile(settingsFile({ port: true }))).toThrow(/^"port" in .*: must be a whole number \(got true\)$/);
  });
});

describe('sizes', () => {
  it.each([
    ['0', 0],
    ['12345', 12_345],
    ['4GB', 4_000_000_000],
    ['1.5 GiB', 1_610_612_736],
    ['500mb', 500_000_000],
    ['2KiB', 2_048],
  ])('parse %s', (text, bytes) => expect(parseSize(text, 'x')).toBe(bytes));
});

describe('the state folder', () => {
  it('follows the conventions of each system', () => {
    expect(defaultStateDir({ HOME: '/h' }, 'linux')).toBe('/h/.local/state/acquisition-store');
    expect(defaultStateDir({ HOME: '/h', XDG_STATE_HOME: '/s' }, 'linux')).toBe('/s/acquisition-store');
    expect(defaultStateDir({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support/acquisition-store');
    expect(defaultStateDir({ LOCALAPPDATA: 'C:/L' }, 'win32').replaceAll('\\', '/')).toBe('C:/L/acquisition-store');
  });

  it('is absolute for any environment', () => {
    const home = userInfo().homedir;
    for (const env of [{}, { HOME: '', XDG_STATE_HOME: '' }, { HOME: 'h', XDG_STATE_HOME: './s' }]) {
      expect(defaultStateDir(env, 'linux')).toBe(join(home, '.local/state/acquisition-store'));
      expect(defaultStateDir(env, 'darwin')).toBe(join(home, 'Library/Application Support/acquisition-store'));
    }
  });
});

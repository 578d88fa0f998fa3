/** The configurations of balancers that are shipped, checked by these programs. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { missingProgram, readDeployFile, writeCertificate } from '../support/deployment.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();

describe('the files in deploy/', () => {
  const lacking = missingProgram('haproxy', 'nginx', 'openssl');
  if (lacking) console.warn(`NO BALANCER: ${lacking} is not installed; the files in deploy/ were not checked`);
  const { certificate, key, both } = lacking ? { certificate: '', key: '', both: '' } : writeCertificate(base);
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` };

  it.skipIf(lacking)('are valid for HAProxy', () => {
    const file = join(base, 'haproxy.cfg');
    const text = readDeployFile('haproxy.cfg').replace('/etc/haproxy/acqstore.pem', both);
    writeFileSync(file, text);
    // -dW: warnings are errors.
    execFileSync('haproxy', ['-c', '-dW', '-f', file], { env, stdio: 'pipe' });
    writeFileSync(file, text.replace('# hash-balance', 'hash-balance'));
    execFileSync('haproxy', ['-c', '-dW', '-f', file], { env, stdio: 'pipe' });
  });

  it.skipIf(lacking)('are valid for nginx', () => {
    const file = join(base, 'nginx.conf');
    const text = readDeployFile('nginx.conf')
      .replace('/etc/nginx/acqstore.pem', certificate)
      .replace('/etc/nginx/acqstore.key', key)
      .replaceAll('/var/log/nginx', base)
      .replace('events {', 'pid nginx.pid;\nevents {');
    writeFileSync(file, text);
    execFileSync('nginx', ['-t', '-q', '-p', base, '-c', file], { env, stdio: 'pipe' });
  });
});

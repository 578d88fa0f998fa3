/** A proxy that changes chosen answers of a server, so that it breaks one rule and keeps all others. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Changes one kind of answer, in place. */
export interface Fault {
  /** Any method when omitted. */
  method?: string;
  /** Compared with the path and the query. */
  path: RegExp;
  /** Only requests whose body matches. */
  body?: RegExp;
  change(reply: Reply): void;
}

export interface FaultyProxy {
  url: string;
  /** The next requests have this fault; none when undefined. */
  fault: Fault | undefined;
  close(): Promise<void>;
}

export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const { host, port, hostname } = new URL(target);
  let own = '';
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const headers = { ...incoming.headers, ...(incoming.headers.host === own ? { host } : {}) };
      const options = { hostname, port, method: incoming.method ?? '', path: incoming.url ?? '', headers };
      const upstream = request(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const kept = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const reply: Reply = {
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(kept),
            body: Buffer.concat(parts),
          };
          const { fault } = proxy;
          const { method, path } = options;
          if (fault && applies(fault, { method, path, body: body.toString() })) {
            fault.change(reply);
            if (method !== 'HEAD') reply.headers['content-length'] = String(reply.body.length);
          }
          delete reply.headers['transfer-encoding'];
          outgoing.writeHead(reply.status, reply.headers).end(reply.body);
        });
      });
      upstream.on('error', () => outgoing.destroy());
      upstream.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: FaultyProxy = {
    url: `http://${own}`,
    fault: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

function applies(fault: Fault, { method, path, body }: { method: string; path: string; body: string }): boolean {
  const { method: wanted = method, body: pattern } = fault;
  return wanted === method && fault.path.test(path) && (pattern?.test(body) ?? true);
}

/** A link to a server that stops in the middle of a plane until the test lets it go on. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class SlowLink {
  readonly url: string;
  readonly #server: Server;
  readonly #held: (() => void)[] = [];
  #open = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param share of each plane, 0 to 1, that is sent at once */
  static async to(target: string, share: number): Promise<SlowLink> {
    const link: { current?: SlowLink } = {};
    const server = createServer((asked, answer) => {
      const headers = { ...asked.headers, host: new URL(target).host };
      if (headers.origin !== undefined) headers.origin = target;
      delete headers.referer;
      const forwarded = request(`${target}${asked.url}`, { method: asked.method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 500, reply.headers);
        const isPlane = /\/channels\/\d+\/window\?type=native$/.test(asked.url ?? '');
        if (!isPlane || link.current?.isOpen) return void reply.pipe(answer);
        const parts: Buffer[] = [];
        reply.on('data', (part: Buffer) => parts.push(part));
        reply.on('end', () => {
          const body = Buffer.concat(parts);
          const end = Math.floor(share * body.length);
          answer.write(body.subarray(0, end));
          link.current?.hold(() => answer.end(body.subarray(end)));
        });
      });
      forwarded.on('error', () => answer.destroy());
      answer.on('close', () => forwarded.destroy());
      asked.pipe(forwarded);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    link.current = new SlowLink(server);
    return link.current;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  hold(rest: () => void): void {
    if (this.#open) rest();
    else this.#held.push(rest);
  }

  /** Sends the rest of every plane, and holds nothing any more. */
  goOn(): void {
    this.#open = true;
    for (const rest of this.#held.splice(0)) rest();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

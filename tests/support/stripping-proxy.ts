import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/**
 * Forwards what is below a path to a server of this computer, and takes the path away, as the proxy of Jupyter does. Keeps the Host of
 * the browser, and changes nothing of the answers. Other addresses belong to somebody else.
 * @param strays receives those
 */
export function strippingProxy(prefix: string, target: number, strays: string[]) {
  return (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '', method = '', headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      strays.push(url);
      return void outgoing.writeHead(404).end();
    }
    const path = url.slice(prefix.length);
    const onward = request({ host: '127.0.0.1', port: target, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  };
}

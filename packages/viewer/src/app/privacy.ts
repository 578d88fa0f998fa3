/** What the page says about where files and images stay. */

/** Says where files that are given to the page are read. */
export function whereRead(hasServer: boolean): string {
  return hasServer
    ? 'Files that the server does not find on its disk are read in this page and not sent.'
    : 'They are read in this page and not sent.';
}

/** Says where files and images stay, depending on where the server runs. @param host null without a server */
export function privacy(host: string | null): string {
  if (host === null)
    return 'Nothing leaves this browser: the page reads the files itself, and works without a network.';
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
  return isLocal
    ? 'Nothing leaves this computer: this page connects only to the server that runs on it.'
    : `This page connects only to the server ${host}. Files stay on the server; displayed images are kept in this browser.`;
}

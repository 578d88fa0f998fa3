import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import { App } from './app/app.tsx';
import { createServer } from './app/server.ts';
import { startPage } from './app/start.ts';

const server =
  __PAGE__ === null ? createServer(location.href) : (await import('./app/no-server.ts')).createNoServer(__PAGE__);
render(<App page={startPage(server)} />, document.getElementById('app') as HTMLElement);
// Without it, the page works as long as there is a network.
if (__PAGE__ !== null) void navigator.serviceWorker?.register('./service-worker.js').catch(() => {});

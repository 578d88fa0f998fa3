import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import { App } from './app/app.tsx';
import { startPage } from './app/start.ts';

render(<App page={startPage()} />, document.getElementById('app') as HTMLElement);

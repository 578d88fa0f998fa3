import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import { App } from './app/app.tsx';

render(<App />, document.getElementById('app') as HTMLElement);

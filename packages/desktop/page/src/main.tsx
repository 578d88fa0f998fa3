import { effect } from '@preact/signals';
import { render } from 'preact';
import '../../../viewer/src/style/tokens.css';
import '../../../viewer/src/style/base.css';
import './page.css';
import './home.css';
import { App } from './app.tsx';
import { createPage, PageContext } from './page.ts';

const page = createPage();
effect(() => {
  const { viewer } = page.connection;
  if (viewer.value === '') return;
  page.showViewer(viewer.value);
  viewer.value = '';
});
effect(() => {
  const { message } = page.connection;
  if (message.value === null) return;
  page.showMessage(message.value);
  message.value = null;
});
render(
  <PageContext.Provider value={page}>
    <App />
  </PageContext.Provider>,
  document.getElementById('app') as HTMLElement,
);

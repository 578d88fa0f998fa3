import { useEffect } from 'preact/hooks';
import './app.css';
import './phone.css';
import { type Page, PageContext } from './context.ts';
import { Dialogs } from './dialogs.tsx';
import { DropZone } from './drop.tsx';
import { listenForKeys } from './keys.ts';
import { NoticeList } from './notice-list.tsx';
import { StartPage } from './start-page.tsx';
import { TopBar } from './top-bar.tsx';
import { Workbench } from './workbench.tsx';

export function App({ page }: { page: Page }) {
  useEffect(() => listenForKeys(page), [page]);
  const tab = page.workspace.active.value;
  const pair = page.beside.pair.value;
  return (
    <PageContext.Provider value={page}>
      <div class="app-page">
        <TopBar />
        <NoticeList />
        {tab ? <Workbench key={pair ? 'pair' : tab.document.id} tab={tab} /> : <StartPage />}
      </div>
      <DropZone />
      <Dialogs />
    </PageContext.Provider>
  );
}

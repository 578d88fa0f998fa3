import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Pane } from '../model/document.ts';
import { paneKey } from '../model/pane-key.ts';
import '../orthogonal/orthogonal.css';
import type { Tab } from './tab.ts';

/** The orthogonal views, which are loaded when they are first shown. */
export function OrthogonalPart(props: { readonly tab: Tab; readonly pane: Pane }) {
  const part = useSignal<{
    readonly View?: typeof import('../orthogonal/orthogonal-view.tsx').OrthogonalView;
    readonly failed?: true;
  }>({});
  useEffect(() => {
    import('../orthogonal/orthogonal-view.tsx').then(
      ({ OrthogonalView }) => (part.value = { View: OrthogonalView }),
      () => (part.value = { failed: true }),
    );
  }, [part]);
  const { View, failed } = part.value;
  if (View) return <View key={paneKey(props.pane)} {...props} />;
  return failed ? (
    <p class="image-empty" role="alert">
      This part of the page could not be loaded. Reload the page when the server runs.
    </p>
  ) : null;
}

import { useEffect, useRef } from 'preact/hooks';
import type { ChannelView, Pane } from '../model/document.ts';
import { SideBar } from './side-bar.tsx';
import { StatusLine } from './status-line.tsx';
import type { Tab } from './tab.ts';

/** Images, side bar and status line of one acquisition. */
export function Workbench({ tab }: { tab: Tab }) {
  const { source, reference, id } = tab.document;
  return (
    <main class="app-main">
      <div class="app-work" id="workbench" role="tabpanel" aria-labelledby={`tab-${id}`}>
        <div class="app-images">
          {[source.value, reference.value].map((pane) => pane && <SimplePane key={pane.kind} pane={pane} />)}
        </div>
        <SideBar tab={tab} />
        <StatusLine tab={tab} />
      </div>
    </main>
  );
}

function SimplePane({ pane }: { pane: Pane }) {
  return (
    <section class="app-simple">
      {pane.channels.map((channel) => (
        <SimpleCard key={channel.index} pane={pane} channel={channel} />
      ))}
    </section>
  );
}

function SimpleCard({ pane, channel }: { pane: Pane; channel: ChannelView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const data = channel.data.value;
  const { min, max } = channel.display.value;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !data) return;
    const [rows, columns] = pane.shape;
    const [width, height] = [context.canvas.width, context.canvas.height];
    const image = context.createImageData(width, height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const row = Math.floor((pane.lineScan ? x / width : y / height) * rows);
        const column = Math.floor((pane.lineScan ? 1 - (y + 1) / height : x / width) * columns);
        const value = (255 * ((data[row * columns + column] as number) - min)) / (max - min);
        image.data.set([value, value, value, 255], 4 * (y * width + x));
      }
    }
    context.putImageData(image, 0, 0);
  }, [pane, data, min, max]);
  return (
    <figure>
      <figcaption>{channel.name}</figcaption>
      <canvas ref={canvas} width="800" height="160" />
    </figure>
  );
}

/** Paths on a grid of 16 × 16, drawn in the color of the text. */
const PATHS = {
  folder: 'M1.5 4.5v8h13v-7h-7l-1.5-2h-4.5z',
  file: 'M3.5 1.5h6l3 3v10h-9z M9.5 1.5v3h3',
  close: 'M4 4l8 8M12 4l-8 8',
  help: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.5 M8 12v.3',
  system: 'M2 3h12v8H2z M6 14h4 M8 11v3',
  light:
    'M8 5a3 3 0 1 0 0 6a3 3 0 0 0 0-6z M8 1v1.5 M8 13.500v1.5 M1 8h1.5 M13.500 8h1.5 M3 3l1 1 M12 12l1 1 M13 3l-1 1 M3 13l1-1',
  dark: 'M13 10A6 6 0 0 1 6 3a6 6 0 1 0 7 7z',
  server: 'M2.500 3h11v4h-11z M2.500 9h11v4h-11z M5 5h.1 M5 11h.1',
  side: 'M1.500 2.500h13v11h-13z M10 2.500v11',
  copy: 'M5.500 5.500h8v8h-8z M10.500 5.500v-3h-8v8h3',
  warning: 'M8 2l6.500 11.500h-13z M8 6.500v3 M8 11.500v.2',
  recent: 'M8 2a6 6 0 1 0 0 12a6 6 0 0 0 0-12z M8 5v3.500l2 1.500',
} as const;

type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

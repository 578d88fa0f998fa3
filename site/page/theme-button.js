import { find } from './dom.js';

/** Shows the button that changes between light and dark. */
export function setUpTheme() {
  const button = find(document, '#theme', HTMLButtonElement);
  const { dataset } = document.documentElement;
  const isDark = () =>
    (dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const show = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Light theme' : 'Dark theme');
  };
  button.addEventListener('click', () => {
    const chosen = isDark() ? 'light' : 'dark';
    dataset['theme'] = chosen;
    try {
      localStorage.setItem('acqstore-docs-theme', chosen);
    } catch {
      // It holds for this page.
    }
    show();
  });
  button.hidden = false;
  show();
}

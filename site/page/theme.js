// Runs before the page is drawn: nothing flashes in the other theme, or moves when the other script has loaded.
{
  const { documentElement } = document;
  documentElement.classList.add('scripted');
  try {
    const chosen = localStorage.getItem('acqstore-docs-theme');
    if (chosen === 'light' || chosen === 'dark') documentElement.dataset['theme'] = chosen;
  } catch {
    // The browser keeps nothing: the theme of the system is shown.
  }
}

// The page that stands alone, opened from a disk: browsers load neither modules nor workers there. Not a module, so that it runs.
if (location.protocol === 'file:') {
  addEventListener('DOMContentLoaded', () => {
    const text = document.createElement('p');
    text.textContent =
      'This page cannot run from a file:// address: browsers refuse its modules and workers there. Copy its folder to a web host, ' +
      'or start a server in it, for example with “python3 -m http.server”, and open http://localhost:8000.';
    document.body.replaceChildren(text);
  });
}

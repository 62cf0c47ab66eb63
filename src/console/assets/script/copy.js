const SAID_MS = 1_500;

/** Buttons that copy the text of the element that they name (data-copy); they are hidden without this. */
export function copyTexts() {
  document.documentElement.dataset.script = '';
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const text = button.parentElement?.querySelector('[data-copied]')?.textContent ?? '';
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select it and copy';
    }
    setTimeout(() => {
      button.textContent = before;
    }, SAID_MS);
  });
}

import { t } from './texts.js';

const SAID_MS = 1_500;

/** Buttons (data-copy) that copy the text next to them; styles hide them without script. */
export function copyTexts() {
  document.documentElement.dataset.script = '';
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const text = button.parentElement?.querySelector('[data-copied]')?.textContent ?? '';
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = t`Copied`;
    } catch {
      button.textContent = t`Select it and copy`;
    }
    setTimeout(() => {
      button.textContent = before;
    }, SAID_MS);
  });
}

import { t } from './texts.js';

const KEY = 'limitline-shows-commands';
const SAID_MS = 1_500;

/** Keeps in this browser whether commands for the terminal are shown; before a first choice the page decides by roles. */
export function keepSwitch() {
  const box = document.getElementById('show-commands');
  if (!box) return;
  const kept = localStorage.getItem(KEY);
  if (kept !== null) box.checked = kept === 'yes';
  box.addEventListener('change', () => localStorage.setItem(KEY, box.checked ? 'yes' : 'no'));
}

/** Makes buttons with `data-copy` copy the text next to them. Without scripts the styles hide these buttons. */
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

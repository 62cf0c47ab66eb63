import { t } from './texts.js';

/**
 * Removes rows from the list of held rows that no longer need an answer, whatever was typed there, and selects all. Other
 * fields stay as they are.
 */
export function start(form) {
  const picks = () => [...form.querySelectorAll('input[name^="pick-"]')];
  const all = form.querySelector('[data-pick-all]');
  all.closest('[hidden]').hidden = false;
  all.addEventListener('change', () => {
    for (const pick of picks()) pick.checked = all.checked;
  });
  let gone = 0;
  document.addEventListener('swapped', () => {
    const now = document.querySelector('#held-now [data-held]')?.dataset.held;
    if (now === undefined) return;
    const held = new Set(now.split('|'));
    const rows = picks().filter((pick) => !held.has(pick.name.slice('pick-'.length)));
    if (rows.length === 0) return;
    for (const pick of rows) pick.closest('tr').remove();
    gone += rows.length;
    const line = form.querySelector('.held-gone');
    line.textContent = gone === 1 ? t`1 request was answered meanwhile.` : t`${gone} requests were answered meanwhile.`;
    line.hidden = false;
  });
}

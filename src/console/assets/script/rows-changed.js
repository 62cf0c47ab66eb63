import { localCount } from './locale.js';
import { t } from './texts.js';

/**
 * Says how many rows have changed since the table was made. A visible table stays as it is, so that nothing moves while a
 * person reads it; one that scrolls into view is reloaded first. The counts by outcome are always refreshed.
 */
export function start(section) {
  let changed = 0;
  let isSeen = false;
  let isGiven = false;
  section.addEventListener('input', () => {
    isGiven = true;
  });
  document.addEventListener('swapped', () => {
    const now = countsOf(document.querySelector('#rows-now [data-counts]')?.dataset.counts);
    const before = countsOf(section.querySelector('[data-shown]')?.dataset.shown);
    if (now.length !== before.length || now.length === 0) return;
    changed = changedBetween(before, now);
    sayChanged(section, changed);
    countOutcomes(section, now);
  });
  const table = section.querySelector('[data-shown]');
  if (!table || typeof IntersectionObserver === 'undefined') return;
  new IntersectionObserver(async ([entry]) => {
    const comes = entry.isIntersecting && !isSeen;
    isSeen = entry.isIntersecting;
    if (!comes || changed === 0 || section.contains(document.activeElement)) return;
    if (await showAnew(section, { withForm: !isGiven })) {
      changed = 0;
      sayChanged(section, 0);
    }
  }).observe(table);
}

function changedBetween(before, now) {
  const differences = now.map((count, at) => count - before[at]);
  const gone = differences.reduce((sum, one) => sum + Math.max(0, -one), 0);
  const come = differences.reduce((sum, one) => sum + Math.max(0, one), 0);
  return Math.max(gone, come);
}

function sayChanged(section, changed) {
  const line = section.querySelector('.rows-changed');
  const words = section.querySelector('[data-words]');
  if (!line || !words) return;
  line.hidden = changed === 0;
  const text = changed === 1 ? t`1 row has changed since.` : t`${localCount(changed)} rows have changed since.`;
  if (words.textContent !== text) words.textContent = text;
}

/** Writes the new counts beside the outcomes of the filter, and hides the outcomes that have no rows and are not checked. */
function countOutcomes(section, counts) {
  for (const chip of section.querySelectorAll('[data-outcome-at]')) {
    const count = counts[Number(chip.dataset.outcomeAt)] ?? 0;
    chip.hidden = count === 0 && !chip.querySelector('input').checked;
    chip.querySelector('b').textContent = localCount(count);
  }
}

/** Reloads the table of rows, and the form unless the person has changed it. */
async function showAnew(section, { withForm }) {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html', 'x-by-itself': '1' } });
    if (!response.ok) return false;
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById(section.id);
    for (const part of ['[data-shown]', ...(withForm ? ['form'] : [])]) {
      const [old, now] = [section.querySelector(part), fresh?.querySelector(part)];
      if (!old || !now) return false;
      old.replaceChildren(...now.childNodes);
      if (now.dataset.shown !== undefined) old.dataset.shown = now.dataset.shown;
    }
    return true;
  } catch {
    // The old table stays. The line with the number of changes has a link to the current rows.
    return false;
  }
}

function countsOf(text) {
  return (text ?? '').split(' ').filter(Boolean).map(Number);
}

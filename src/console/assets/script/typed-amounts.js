import { decimalMark } from './locale.js';

/** Sends with a form how its reader writes decimals, and shows amounts so that the page put there. */
export function start(form) {
  if (!decimalMark) return;
  const told = () => form.querySelector('input[name="decimal"]');
  for (const input of form.querySelectorAll('input[inputmode="decimal"]'))
    if (!told() && /^\d+\.\d+$/.test(input.value)) input.value = input.value.replace('.', decimalMark);
  form.addEventListener('submit', () => {
    const mark = told() ?? form.appendChild(document.createElement('input'));
    Object.assign(mark, { type: 'hidden', name: 'decimal', value: decimalMark });
  });
}

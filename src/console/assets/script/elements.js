// Functions for single elements of pages. An element names its function in the attribute data-module.

import { decimalMark } from './locale.js';
import { t } from './texts.js';

export { start as mend } from './mend.js';
export { start as rowsChanged } from './rows-changed.js';
export { start as upload } from './upload.js';

/** Opens the address that an event puts into the element (attribute `data-go`), in place of this page. */
export function follow(element) {
  const go = () => {
    const address = element.querySelector('[data-go]')?.dataset.go;
    if (address?.startsWith('/')) location.replace(address);
  };
  document.addEventListener('swapped', go);
  go();
}

/**
 * Keeps the form of held rows up to date: each row that no longer needs an answer is removed, even with a typed answer. Fields of
 * other rows stay as they are. It also makes the checkbox work that selects all rows.
 */
export function held(form) {
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

/**
 * Makes the two buttons work that save the recovery codes on the page. One saves a file that the browser itself makes, so that no
 * request contains the codes; the other prints the page.
 */
export function keepCodes(box) {
  const codes = () => [...box.querySelectorAll('[data-codes] code')].map((one) => one.textContent);
  box.querySelector('[data-download]').addEventListener('click', () => {
    const file = new Blob([t`Limitline recovery codes for ${location.host}`, `\n\n${codes().join('\n')}\n`], {
      type: 'text/plain',
    });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = 'limitline-recovery-codes.txt';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  });
  box.querySelector('[data-print]').addEventListener('click', () => print());
}

/** Replaces an element's content by the answer of its first link, which takes too long to be part of the page itself. */
export async function late(element) {
  const link = element.querySelector('a[href]');
  if (!link) return;
  try {
    const response = await fetch(link.href, { headers: { 'x-fragment': '1', 'x-by-itself': '1' } });
    if (response.ok) element.innerHTML = await response.text();
  } catch {
    // The answer did not come. The link stays in the element, and opens the same content as a page.
  }
}

/** Makes the checkbox work that selects all rows of a page. Sends no form while no row is selected, and shows a message instead. */
export function pickRows(place) {
  const picks = () => [...place.querySelectorAll('input[name="rows"]')];
  const showAll = () => {
    for (const label of place.querySelectorAll('.chosen .tick[hidden]')) label.hidden = false;
  };
  place.addEventListener('change', ({ target }) => {
    if (target.matches('[data-pick-all]')) for (const pick of picks()) pick.checked = target.checked;
    for (const line of place.querySelectorAll('[data-none]')) line.hidden = true;
  });
  place.addEventListener('submit', (event) => {
    if (picks().some((pick) => pick.checked)) return;
    event.preventDefault();
    event.stopPropagation();
    event.target.querySelector('[data-none]').hidden = false;
  });
  new MutationObserver(showAll).observe(place, { childList: true, subtree: true });
  showAll();
}

/**
 * Keeps the answer to a form out of the browser's history, since a browser shows such a page again only by sending the form again:
 * the address in `data-instead` takes its place. A link with `data-back` to the form's page goes back to it, with what was typed
 * there. The hidden part of the element is shown once the number of held rows changes.
 */
export function posted(element) {
  history.replaceState(null, '', element.dataset.instead);
  const from = document.referrer === '' ? undefined : new URL(document.referrer);
  for (const link of document.querySelectorAll('a[data-back]')) {
    if (from?.origin !== link.origin || from.pathname !== link.pathname || history.length < 2) continue;
    link.addEventListener('click', (event) => {
      event.preventDefault();
      history.back();
    });
  }
  const held = () => document.querySelector('#held-count')?.textContent;
  const before = held();
  document.addEventListener('swapped', () => {
    const late = element.querySelector('[hidden]');
    if (late && held() !== before) late.hidden = false;
  });
}

/** Shows the password while the button is pressed in, and hides it before the form is sent. */
export function showPassword(box) {
  const field = box.querySelector('input');
  const button = box.querySelector('button');
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.addEventListener('click', () => {
    show(field.type === 'password');
    field.focus();
  });
  // The password is hidden before the form is sent, since browsers remember what was typed into a visible text field.
  field.form?.addEventListener('submit', () => show(false));
  addEventListener('pagehide', () => show(false));
}

/**
 * Adds the typed control total to the command shown on the page, which does the same as the form. The total stays in the tab while other
 * forms of the page are sent. Enter presses the button that asks before the import.
 */
export function total(field) {
  const input = field.querySelector('input');
  // Where another person signs in in this tab, the total is not theirs.
  const key = `total ${location.pathname} ${document.querySelector('.account-name')?.textContent ?? ''}`;
  input.value ||= sessionStorage.getItem(key) ?? '';
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) document.querySelector('.submit-ways .is-primary').click();
  });
  const command = document.querySelector('.same-command [data-copied]');
  const plain = command.textContent;
  const show = () => {
    const total = input.value.trim();
    const word = /^[\d.,]+$/.test(total) ? total : `'${total.replaceAll("'", `'\\''`)}'`;
    command.textContent = total === '' ? plain : `${plain} --total ${word}`;
  };
  input.addEventListener('input', () => {
    sessionStorage.setItem(key, input.value);
    show();
  });
  show();
}

/**
 * Sends the reader's decimal mark with a form, as its field `decimal`. Amounts that the page put into the form are shown with that
 * mark, too.
 */
export function typedAmounts(form) {
  if (!decimalMark) return;
  const told = () => form.querySelector('input[name="decimal"]');
  for (const input of form.querySelectorAll('input[inputmode="decimal"]'))
    if (!told() && /^\d+\.\d+$/.test(input.value)) input.value = input.value.replace('.', decimalMark);
  form.addEventListener('submit', () => {
    const mark = told() ?? form.appendChild(document.createElement('input'));
    Object.assign(mark, { type: 'hidden', name: 'decimal', value: decimalMark });
  });
}

import { signIn } from './sign-in.js';
import { fillTokens } from './swap.js';
import { t } from './texts.js';

/**
 * Shows the answers of links and forms with data-dialog in a dialog, instead of on a page. Forms in the dialog then work as
 * usual and lead to pages.
 */
export function openDialogs() {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-dialog]');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    show(link.href, link);
  });
  document.addEventListener('submit', (event) => {
    const { submitter } = event;
    if (submitter?.matches('button[data-dialog]')) {
      event.preventDefault();
      const body = new URLSearchParams(new FormData(event.target, submitter));
      body.append('unsaved', document.querySelectorAll('[data-changed]').length);
      return show(submitter.formAction, submitter, { method: 'POST', body });
    }
    const form = event.target.closest('form[data-dialog]');
    if (form?.method !== 'get') return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    // Not `form.action`: a button with the name `action` would hide that property.
    show(`${form.getAttribute('action')}?${fields}`, event.submitter ?? form);
  });
  document.addEventListener('click', (event) => {
    const close = event.target.closest('[data-close]');
    if (!close) return;
    event.preventDefault();
    close.closest('dialog')?.close();
  });
}

/**
 * Shows the answer of an address in a dialog. If the answer is a whole page or does not come, it opens the address as a page; where
 * `from` is a button of a posted form, it sends the form as usual instead.
 */
export async function show(address, from, request = {}) {
  // A key that is held, or a second click, asks no second time.
  if (isComing) return;
  isComing = true;
  try {
    const response = await fetch(address, { ...request, headers: { 'x-fragment': '1' } });
    if (response.status === 401) return signIn();
    const text = await response.text();
    if (/<html/i.test(text)) return leave(address, from);
    return open(text, from);
  } catch {
    return leave(address, from);
  } finally {
    isComing = false;
  }
}

/** Whether the answer for a dialog is on its way. */
let isComing = false;

function leave(address, from) {
  if (!from?.matches?.('button[data-dialog]')) return location.assign(address);
  from.removeAttribute('data-dialog');
  from.form.requestSubmit(from);
}

function open(markup, from) {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  dialog.innerHTML = markup;
  fillTokens(dialog);
  const heading = dialog.querySelector('h1, h2');
  if (heading) {
    heading.id ||= 'dialog-title';
    dialog.setAttribute('aria-labelledby', heading.id);
  } else dialog.setAttribute('aria-label', t`Answer`);
  dialog.addEventListener('close', () => {
    dialog.remove();
    from?.focus?.();
  });
  // A click beside the dialog closes it, as Escape does.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  // The browser would focus the first button, and Enter pressed twice would answer a question that nobody read.
  if (!dialog.querySelector('input:not([type="hidden"]), select, textarea')) {
    const first = heading ?? dialog;
    first.tabIndex = -1;
    first.focus();
  }
}

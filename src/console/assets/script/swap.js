/** The page's CSRF token. Forms that events bring come without a token, since the server sends the same markup to everybody. */
const token = () => document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? '';

/** Puts the page's token into forms without one. */
export function fillTokens(root) {
  for (const field of root.querySelectorAll('input[name="_csrf"]')) if (field.value === '') field.value = token();
}

/** Replaces the content of elements by id. */
export function swapAll(fragments) {
  for (const { id, html } of fragments) swap(id, html);
  document.dispatchEvent(new CustomEvent('swapped'));
}

/**
 * Replaces an element's content, unless a person is using it: an open dialog, a focused field, selected text. The focus is
 * restored by id or position, and open details stay open.
 */
export function swap(id, html) {
  const place = document.getElementById(id);
  if (!place || isBusy(place)) return;
  const focus = pathTo(place, document.activeElement);
  const opened = new Set([...place.querySelectorAll('details[open][id]')].map((one) => one.id));
  place.innerHTML = html;
  fillTokens(place);
  for (const one of place.querySelectorAll('details[id]')) if (opened.has(one.id)) one.open = true;
  if (focus) elementAt(place, focus)?.focus({ preventScroll: true });
}

function isBusy(place) {
  if (place.querySelector('dialog[open]')) return true;
  const active = document.activeElement;
  if (active && place.contains(active) && active.matches('input, textarea, select')) return true;
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && place.contains(selection.anchorNode);
}

/** How to find an element again: its id, or its path of child positions. */
function pathTo(place, element) {
  if (!element || element === place || !place.contains(element)) return undefined;
  if (element.id) return element.id;
  const path = [];
  for (let one = element; one !== place; one = one.parentElement)
    path.unshift([...one.parentElement.children].indexOf(one));
  return path;
}

function elementAt(place, path) {
  if (typeof path === 'string') return document.getElementById(path);
  return path.reduce((element, index) => element?.children[index], place);
}

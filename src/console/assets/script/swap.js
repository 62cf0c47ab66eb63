/** The token of the page, which pieces that came by events do not have: they are the same for everybody. */
const token = () => document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? '';

/** Fills in what a form needs to be believed. */
export function fillTokens(root) {
  for (const field of root.querySelectorAll('input[name="_csrf"]')) if (field.value === '') field.value = token();
}

/** Puts pieces in their places, by the id of the element. */
export function swapAll(fragments) {
  for (const { id, html } of fragments) swap(id, html);
  document.dispatchEvent(new CustomEvent('swapped'));
}

/**
 * Puts a piece into its element, and leaves alone what a person is at: an open dialog, a field that has the focus, a text
 * that is selected. What has the focus keeps it, found again by its id or its place; details that were opened stay open.
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

/** Where an element is below another: its id, or the way down to it. */
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

/**
 * On a page that answers a form: a browser shows such a page again only by sending the form again, so `data-instead` stands in its place in the
 * history. A link with `data-back` to the page of the form goes back to it, with what was typed there. A part of it that is hidden is shown once the number of held rows is another one than it was.
 */
export function start(element) {
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

/** Selects all rows of a page at once, and says so where none is selected. */
export function start(place) {
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

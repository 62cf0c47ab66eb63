/** Checks a line on the server after each edit of a cell, by the code that reads files, and marks changed and faulty cells. */
export function start(form) {
  const checking = new Map();
  const address = form.querySelector('[data-check]')?.dataset.check;
  if (!address) return;
  form.addEventListener('input', ({ target }) => {
    const { type, checked, defaultChecked, value, defaultValue } = target;
    if (type === 'checkbox' ? checked === defaultChecked : value === defaultValue)
      target.removeAttribute('data-changed');
    else target.setAttribute('data-changed', '');
  });
  form.addEventListener('change', ({ target }) => {
    const line = target.closest('[data-line]');
    // A broken line is edited as one text. It is not checked after an edit, since only a reading of the whole file can check it.
    if (line && target.matches('.mend-cell:not(.is-whole)'))
      check(line, { address, checking, version: form.elements.version.value });
  });
  addEventListener('beforeunload', (event) => {
    if (form.querySelector('[data-changed]') && !form.hasAttribute('data-sent')) event.preventDefault();
  });
  form.addEventListener('submit', () => form.setAttribute('data-sent', ''));
}

async function check(line, { address, checking, version }) {
  checking.get(line)?.abort();
  const leave = new AbortController();
  checking.set(line, leave);
  const cells = [...line.querySelectorAll('.mend-cell')];
  const token = document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? '';
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'csrf-token': token, 'x-fragment': '1' },
      body: new URLSearchParams([['version', version], ...cells.map(({ name, value }) => [name, value])]),
      signal: leave.signal,
    });
    const reasons = line.querySelector('.reasons td:last-child');
    reasons.innerHTML = await response.text();
    if (!response.ok || reasons.querySelector('[data-unchecked]')) return;
    const faulty = new Set([...reasons.querySelectorAll('[data-column]')].map((one) => one.dataset.column));
    for (const cell of cells) {
      if (faulty.has(cell.dataset.column)) cell.setAttribute('aria-invalid', 'true');
      else cell.removeAttribute('aria-invalid');
    }
  } catch {
    // No message is shown: either a later edit cancelled this check, or the console does not answer, which the person learns on
    // saving.
  }
}

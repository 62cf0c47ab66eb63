const KEY = 'limitline-shows-commands';

/** Keeps in this browser whether commands for the terminal are shown; before a first choice the page decides by roles. */
export function keepSwitch() {
  const box = document.getElementById('show-commands');
  if (!box) return;
  const kept = localStorage.getItem(KEY);
  if (kept !== null) box.checked = kept === 'yes';
  box.addEventListener('change', () => localStorage.setItem(KEY, box.checked ? 'yes' : 'no'));
}

// Writes times, amounts and counts of pages in the locale of the reader's browser. The server sends times in UTC and numbers in
// English; a browser without scripts shows those.

const languages = navigator.languages?.length > 0 ? [...navigator.languages] : undefined;
const day = { year: 'numeric', month: 'short', day: 'numeric' };
const minute = new Intl.DateTimeFormat(languages, { ...day, hour: '2-digit', minute: '2-digit' });
const dayAlone = new Intl.DateTimeFormat(languages, day);
const dateOfUtc = new Intl.DateTimeFormat(languages, { ...day, timeZone: 'UTC' });
const clock = new Intl.DateTimeFormat(languages, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const whole = new Intl.NumberFormat(languages, { numberingSystem: 'latn' });

/** The decimal mark of the reader: `.` or `,`; undefined for any other. */
export const decimalMark = whole
  .formatToParts(1.5)
  .find(({ type, value }) => type === 'decimal' && /[.,]/.test(value))?.value;

export function localCount(count) {
  return whole.format(count);
}

/**
 * Writes all times and numbers of the page in the reader's locale: those on the page now, and those that events, dialogs or a
 * reloaded table add later.
 */
export function keepLocal() {
  new MutationObserver((changes) => {
    for (const target of new Set(changes.map((change) => change.target))) localize(target);
  }).observe(document.body, { childList: true, subtree: true });
  localize(document.body);
}

function localize(root) {
  for (const time of root.querySelectorAll('time[data-local]')) localizeTime(time);
  for (const number of root.querySelectorAll('data.amount:not([data-is]), data.grouped:not([data-is])'))
    localizeNumber(number);
  for (const words of root.querySelectorAll('[data-utc]')) words.remove();
}

function localizeTime(time) {
  const at = new Date(time.dateTime);
  const utc = `${time.dateTime
    .slice(0, 23)
    .replace('T', ' ')
    .replace(/(:\d\d)\.000$/, '$1')} UTC`;
  if (time.dataset.local === 'minute') time.textContent = minute.format(at);
  else if (time.dataset.local === 'day') time.textContent = dayAlone.format(at);
  else if (time.dataset.local === 'date') time.textContent = dateOfUtc.format(at);
  else localizeClock(time, at);
  time.title = utc;
  delete time.dataset.local;
  sayNoUtc(time);
}

/** Writes a time of day by the reader's locale. In a list, the day is added to the first time of each day. */
function localizeClock(time, at) {
  const own = dayAlone.format(at);
  const before = time.closest('li')?.previousElementSibling?.querySelector('time');
  const isNew = !before || dayAlone.format(new Date(before.dateTime)) !== own;
  const words = document.createElement('span');
  words.className = 'day';
  words.textContent = own;
  time.replaceChildren(...(isNew ? [words, ' '] : []), clock.format(at));
}

/**
 * Removes "(UTC)" from the heading of the column in which this time stands, or from its label, since the time is now shown in the
 * reader's time zone.
 */
function sayNoUtc(time) {
  const cell = time.closest('td, th');
  const head = cell
    ? cell.closest('table')?.tHead?.rows[0]?.cells[cell.cellIndex]
    : time.closest('dd')?.parentElement?.querySelector('dt');
  const words = head?.querySelector('a') ?? head;
  if (cell?.dataset.head) cell.dataset.head = withoutUtc(cell.dataset.head);
  if (!words?.textContent.endsWith(' (UTC)')) return;
  words.textContent = withoutUtc(words.textContent);
  // Cells without a time repeat the head of their column in `data-head`, too, for narrow screens without table heads.
  for (const { cells } of cell?.closest('table')?.tBodies[0]?.rows ?? []) {
    const other = cells[cell.cellIndex];
    if (other?.dataset.head) other.dataset.head = withoutUtc(other.dataset.head);
  }
}

function withoutUtc(words) {
  return words.replace(/ \(UTC\)$/, '');
}

/** Writes a number in the reader's locale. No digit is lost: numbers of a page may have more digits than a JavaScript number. */
function localizeNumber(number) {
  number.dataset.is = '';
  const [, sign, digits, decimals] = /^(-?)([\d,]+)(?:\.(\d+))?$/.exec(number.textContent) ?? [];
  if (digits === undefined || (decimals !== undefined && !decimalMark)) return;
  const text = whole.format(BigInt(digits.replaceAll(',', '')));
  number.textContent = sign + text + (decimals === undefined ? '' : decimalMark + decimals);
}

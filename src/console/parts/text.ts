import { grouped, moneyText } from '../../counted.ts';
import { cutText } from '../../cut-text.ts';
import type { RowCause } from '../../ledger/counts/cause.ts';
import type { AmountIn } from '../../ledger/counts/outcome-sums.ts';
import { END_OF_DAY } from '../../portfolio/results/decision-columns.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
import { secondText } from '../../utc-text.ts';
import { type Html, type HtmlValue, html, t, translated } from '../html/html.ts';

/**
 * An amount (decimal text) with figures of equal width: `1,250,000.50`, or by the reader's locale where scripts run; never rounded.
 * Without an amount a dash is shown. A text that is no decimal number stays as it is.
 */
export function amount(text: string | undefined): Html {
  if (text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text))
    return html`<span class="amount">${text === undefined || text === '' ? '–' : cutWords(text)}</span>`;
  return html`<data class="amount" value="${text}">${moneyText(text)}</data>`;
}

/** An amount with the currency of its file, if that names one; a dash alone without an amount. */
export function money({ amount: sum, currency }: AmountIn): Html {
  const isNamed = currency !== undefined && sum !== '';
  return html`<span class="nowrap">${isNamed && html`${theirWords(currency)} `}${amount(sum)}</span>`;
}

/**
 * Sums in several currencies, one a line; `isAll` is false where they cover only some of the rows, and are shown as lower bounds. Beside
 * others, a sum without a currency says so: its files name none, or several.
 */
export function sumsPart(sums: readonly AmountIn[], isAll: boolean): Html {
  const isBare = ({ currency }: AmountIn) => sums.length > 1 && currency === undefined;
  return html`<span>${sums.map((sum, place) => html`${place > 0 && html`<br>`}${!isAll && '≥ '}${money(sum)}${isBare(sum) && html` <small>no currency, or several</small>`}`)}</span>`;
}

/**
 * A text by Limitline, whose amounts and grouped numbers are shown by the reader's locale where scripts run. Dates such as 30.11.2026 and
 * versions stay as they are, and so do names of files and portfolios that look like numbers: 2026.11, 1,000.csv, “11.26”. Cells of a file stay
 * as written, in the words in which messages quote them: `such as 12.50 in line 3`, `50 (shown as 50,000)`.
 */
export function withNumbers(text: string): Html {
  const parts = text.split(
    /((?<![\w.“"-]|(?:such|shown) as )(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}\.\d{2})(?![\w”"-]|\.\w| in line))/,
  );
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : html`<data class="grouped" value="${part.replaceAll(',', '')}">${part}</data>`))}`;
}

/** A text with its numbers in the reader's locale, as {@link withNumbers} makes it; any other value is answered unchanged. */
export function localized(value: HtmlValue): HtmlValue {
  return typeof value === 'string' ? withNumbers(value) : value;
}

/** A whole number with grouped digits: `1,200`, or as the reader's locale has it where scripts run. */
export function count(number: number): Html {
  return html`<data class="grouped" value="${number}">${grouped(number)}</data>`;
}

/** The most characters of a text from outside: longer than any name. A cell may have a megabyte, and a page has many cells. */
const MOST_CHARACTERS = 200;

/** The text cut after `most` characters, with an ellipsis at the cut. For texts from outside, such as cells and answers. */
export function cutWords(text: string, most = MOST_CHARACTERS): string {
  return cutText(text, most);
}

/** A name from a file, isolated so that its direction of reading does not reverse an amount next to it. */
export function theirWords(text: string): Html {
  return html`<bdi>${cutWords(text)}</bdi>`;
}

/**
 * A command to copy that does the same as the button beside it, such as `npx limitline retry q4`; or the name of a setting. A
 * switch at the foot of each page hides command and `lead`, so the text around them must make sense without both.
 */
export function commandLine(text: string, lead = ''): Html {
  return html`<span class="terminal">${lead} <span class="command"><code data-copied>${text}</code><button type="button" class="copy" data-copy aria-label="Copy the command">Copy</button></span></span>`;
}

/**
 * A text of a job or an error, for a page. A switch at the foot of each page hides its clauses that name a command or a setting.
 * If every clause names one, only the part after a colon is hidden. Times and numbers are shown as the reader writes them. After a status, the
 * words are the service's own, and their numbers stay.
 *
 * @param most characters after which a clause is cut
 */
export function advice(text: string, most = Number.POSITIVE_INFINITY): Html {
  const clauses = text.split(/(?<=[.;]) | (?=\()/);
  const parts = clauses.every((clause) => COMMAND_OR_SETTING.test(clause)) ? text.split(/(?=: )/) : clauses;
  let isTheirs = false;
  const numbered = (words: string) => {
    const at = isTheirs ? 0 : words.search(STATUS);
    isTheirs ||= at !== -1;
    const ours = at === -1 ? words.length : at;
    return html`${withNumbers(words.slice(0, ours))}${words.slice(ours)}`;
  };
  return html`<span>${parts.map((part, at) => {
    const shown = part.length > most ? `${part.slice(0, most)}…` : part;
    return html`${at > 0 && !part.startsWith(':') && ' '}${COMMAND_OR_SETTING.test(part) ? html`<span class="terminal">${shown}</span>` : withTimes(shown, numbered)}`;
  })}</span>`;
}

function withTimes(text: string, numbered: (words: string) => Html): Html {
  const parts = text.split(/(\b\d{4}-\d\d-\d\dT[\d:.]+Z)/);
  return html`${parts.map((part, at) => (at % 2 === 0 || Number.isNaN(Date.parse(part)) ? numbered(part) : moment(Date.parse(part))))}`;
}

const STATUS = /status \d{3}\b/;

const COMMAND_OR_SETTING = /\blimitline [a-z]|[A-Z]{3,}_[A-Z_]+/;

/**
 * Quotes a word for a POSIX shell, so that a name with spaces or a `$` can be pasted. Control characters are written as `\u`
 * escapes, which bash and zsh read: pasted raw, one could end the line and start another command.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!KEYS.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/[\\']/g, '\\$&').replace(ALL_KEYS, byNumber)}'`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const KEYS = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;
const ALL_KEYS = new RegExp(KEYS, 'g');

const byNumber = (key: string): string => `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}`;

const UNITS: readonly [ms: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** The format is made when it is first used, since making it takes 50 ms, and every command imports this file. */
let relative: Intl.RelativeTimeFormat | undefined;

function relativeFormat(): Intl.RelativeTimeFormat {
  relative ??= new Intl.RelativeTimeFormat(t`en`, { numeric: 'always', style: 'narrow' });
  return relative;
}

/** The time since, for example `4 min ago`, with the time in UTC as its tooltip; `none` where there is no time. */
export function timeAgo(atMs: number | undefined, { nowMs = Date.now(), none = '–' } = {}): Html {
  if (atMs === undefined || !Number.isFinite(atMs)) return html`${none}`;
  const difference = atMs - nowMs;
  const [unitMs, unit] = UNITS.find(([ms]) => Math.abs(difference) >= ms) ?? [1_000, 'second' as const];
  const words = Math.abs(difference) < 1_000 ? t`now` : relativeFormat().format(Math.trunc(difference / unitMs), unit);
  return html`<time datetime="${new Date(atMs).toISOString()}" title="${secondText(atMs)}">${words}</time>`;
}

/**
 * A time in UTC, to the second. Where scripts run, times of this function and of {@link minuteOf} are shown in the reader's time
 * zone, to the minute, with UTC as the tooltip.
 */
export function moment(atMs: number | undefined, { none = '–' } = {}): Html {
  if (atMs === undefined || !Number.isFinite(atMs)) return html`${none}`;
  return localTime(atMs, secondText(atMs));
}

/** The time in UTC to the minute, for a list whose column head says UTC. */
export function minuteOf(atMs: number | undefined): Html {
  if (atMs === undefined) return html`–`;
  return html`<span class="nowrap">${localTime(atMs, secondText(atMs).slice(0, 16))}</span>`;
}

/** A decision of a day without a time is kept as of the end of that day, and shown as that day in each time zone. */
function localTime(atMs: number, words: string): Html {
  const iso = new Date(atMs).toISOString();
  const isDay = iso.endsWith(END_OF_DAY);
  return html`<time datetime="${iso}" data-local="${isDay ? 'date' : 'minute'}">${isDay ? iso.slice(0, 10) : words}</time>`;
}

/** A list of words as a text: `finance`, `finance or operator`, `viewer, finance or operator`. */
export function listWords(words: readonly string[], last: 'or' | 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${translated(last)} ${words.at(-1)}`;
}

/** Patterns of messages of Node and undici about an answer that did not come, each with plain words for it. */
const WORDS: readonly (readonly [machine: string, words: string])[] = [
  [
    'fetch failed|terminated|socket hang up|other side closed|(?:read|write) E[A-Z]+',
    t`the connection broke before an answer came`,
  ],
  ['(?:Headers|Body) Timeout Error|UND_ERR_(?:HEADERS|BODY)_TIMEOUT', t`no answer came in time`],
  ['bad response|Response does not match the HTTP/1\\.1 protocol', t`the answer could not be read`],
];

/** The patterns of {@link WORDS}, limited to reasons that Limitline wrote: text after `status 500` and the like is the service's own. */
const PLAIN = WORDS.map(([machine, words]) => {
  return { words, pattern: new RegExp(`(?<=^|: |, then |\\()(?<!status \\d{3}[^]*)(?:${machine})\\b`) };
});

/**
 * A reason in plain words: `the connection broke before an answer came` in place of `read ECONNRESET`. Only pages use it: stored reasons
 * keep the machine's message, which `causeOf` reads, and a row's page has it under “As it came”.
 */
export function plainCause(text: string): string {
  for (const { pattern, words } of PLAIN) if (pattern.test(text)) return text.replace(pattern, words);
  return text;
}

/** The words of a cause, in plain words where Limitline wrote them. With a status they are the service's own, and stay as they are. */
export function shownCause({ words, status }: Pick<RowCause, 'words' | 'status'>): string {
  return status === null ? plainCause(words) : words;
}

import { type Cron, readCron, WEEKDAYS } from './read-cron.ts';
import type { ScheduleEntry } from './schedule.ts';

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Most times of a day that are named; more are shown as the cron pattern. */
const MOST_TIMES = 4;

/** When an entry runs, for people: `each working day at 02:30, Berlin time`. */
export function whenWords({ pattern, tz }: Pick<ScheduleEntry, 'pattern' | 'tz'>): string {
  const cron = readCron(pattern);
  const words = 'fault' in cron ? undefined : cronWords(cron);
  return `${words ?? `by ${pattern}`}, ${zoneWords(tz)}`;
}

/** A time zone in words, such as `Berlin time` for Europe/Berlin. */
function zoneWords(tz: string): string {
  if (/^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$/i.test(tz)) return 'UTC';
  const place = tz.startsWith('Etc/') ? tz : (tz.split('/').at(-1) ?? tz);
  return `${place.replaceAll('_', ' ')} time`;
}

function cronWords(cron: Cron): string | undefined {
  const days = dayWords(cron);
  const often = oftenWords(cron);
  if (often) return days === 'each day' ? often : `${often}, ${days}`;
  const { hours, minutes } = cron;
  if (hours.length * minutes.length > MOST_TIMES) return undefined;
  return `${days} at ${listed(hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`)))}`;
}

/** Words for a pattern that runs in every hour; undefined for any other. */
function oftenWords({ hours, minutes }: Cron): string | undefined {
  if (hours.length < 24) return undefined;
  const [first = 0, second = 0] = minutes;
  if (minutes.length === 60) return 'each minute';
  if (minutes.length === 1) return first === 0 ? 'each hour' : `each hour at ${first} past`;
  const step = second - first;
  const isEven =
    first === 0 && minutes.length * step === 60 && minutes.every((minute, place) => minute === place * step);
  return isEven ? `every ${step} minutes` : `each hour at ${listed(minutes.map(String))} past`;
}

function dayWords({ days, months, weekdays, anyDay, anyWeekday }: Cron): string {
  const inMonths = months.size === 12 ? '' : ` in ${listed([...months].map((month) => MONTH_NAMES[month - 1] ?? ''))}`;
  const isEveryDay = days.size === 31;
  const isEveryWeekday = weekdays.size === 7;
  const byDay = `on day ${listed([...days].map(String))} of the month`;
  if (isEveryDay && isEveryWeekday) return `each day${inMonths}`;
  if (isEveryDay && anyDay) return `each ${weekdayWords(weekdays)}${inMonths}`;
  if (isEveryWeekday && anyWeekday) return `${byDay}${inMonths}`;
  return `${byDay} ${anyDay || anyWeekday ? 'if it is a' : 'and each'} ${weekdayWords(weekdays)}${inMonths}`;
}

function weekdayWords(weekdays: ReadonlySet<number>): string {
  if ([...weekdays].join() === '1,2,3,4,5') return 'working day';
  // People list weekdays from Monday on.
  const names = [1, 2, 3, 4, 5, 6, 0].filter((day) => weekdays.has(day)).map((day) => capital(WEEKDAYS[day] ?? ''));
  return listed(names);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const two = (number: number): string => String(number).padStart(2, '0');
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

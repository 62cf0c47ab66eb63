import { lettersApart } from '../likeness.ts';
import { capitalized } from '../sentence.ts';
import { type Cron, leastGapMin, readCron, WEEKDAYS, weekdayField } from './read-cron.ts';
import { DEFAULT_SCHEDULE, isZone, localZone, type ScheduleEntry, TASKS, type TaskName } from './schedule.ts';

/** Least minutes between runs, so that a task can end before it begins again; the drop folder is exempt, since reading it takes no time. */
const LEAST_GAP_MIN = 5;

/**
 * Reads a schedule: one entry a line, or separated by semicolons; `#` begins a comment. An entry is a task, a time or five cron fields, and
 * a time zone unless it is this machine's.
 *
 * `reconcile 02:30 Europe/Berlin; retry Mon-Fri 04:00; inbox 30 6 * * 1-5`
 *
 * `off` alone is a schedule without runs.
 *
 * @param tz the time zone of entries that name none
 * @returns the entries, and a sentence on each fault that quotes the entry
 */
export function readSchedule(text: string, tz: string = localZone()): { entries: ScheduleEntry[]; faults: string[] } {
  const [entries, faults]: [ScheduleEntry[], string[]] = [[], []];
  const lines = text
    .split(/\r?\n/)
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(';'))
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 1 && lines[0]?.toLowerCase() === 'off') return { entries, faults };
  for (const line of lines) {
    const read = readEntry(line, tz);
    if ('fault' in read) faults.push(`${JSON.stringify(line)} in it ${read.fault}`);
    else entries.push(read);
  }
  if (lines.length === 0) faults.push('no task is named in it; to run no task at all, write off');
  return { entries, faults };
}

/** The schedule in force: the given one, which was checked before, or {@link DEFAULT_SCHEDULE}. */
export function scheduleOf(given: string | undefined, tz: string = localZone()): readonly ScheduleEntry[] {
  return readSchedule(given ?? DEFAULT_SCHEDULE, tz).entries;
}

function readEntry(line: string, tz: string): ScheduleEntry | { fault: string } {
  const [named = '', ...words] = line.split(/\s+/);
  const task = TASKS.find((name) => name === named.toLowerCase());
  if (named.toLowerCase() === 'off') return { fault: 'stands beside other entries; off alone runs nothing at all' };
  if (!task) return { fault: `names no task that there is; ${likelyTask(named)}` };
  if (words.length === 0) return { fault: `says no time, such as ${task} 02:30` };
  if (words.length === 1 && words[0]?.toLowerCase() === 'off') {
    return {
      fault: `is not needed: a task without an entry does not run; to run no task at all, write off and nothing else`,
    };
  }
  const when = readTime(words) ?? readFields(words);
  if ('fault' in when) return when;
  const { pattern, zone = tz } = when;
  if (!isZone(zone)) {
    return { fault: `names ${JSON.stringify(zone)}, which is no known time zone, such as Europe/Berlin` };
  }
  const cron = readCron(pattern);
  if ('fault' in cron) return cron;
  return tooOften(task, cron) ?? { task, pattern, tz: zone };
}

type Read = { pattern: string; zone?: string | undefined };

/** Reads `02:30` or `Mon-Fri 02:30`, with an optional time zone; undefined for any other form. */
function readTime(words: readonly string[]): Read | { fault: string } | undefined {
  const place = words.findIndex((word) => /^\d{1,2}:\d\d$/.test(word));
  if (place < 0 || place > 1) return undefined;
  const [hour = 0, minute = 0] = (words[place] ?? '').split(':').map(Number);
  if (hour > 23 || minute > 59) return { fault: `says ${words[place]}, which no clock shows` };
  const days = place === 0 ? '*' : weekdayField(words[0] ?? '');
  if (days === undefined) {
    return { fault: `says ${JSON.stringify(words[0])} before the time, which is no day of the week, such as Mon-Fri` };
  }
  const [zone, ...more] = words.slice(place + 1);
  if (more.length > 0) return { fault: `says ${JSON.stringify(more.join(' '))} behind the time zone` };
  return { pattern: `${minute} ${hour} * * ${days}`, zone };
}

/** Reads five cron fields with an optional time zone. */
function readFields(words: readonly string[]): Read | { fault: string } {
  const last = words.at(-1) ?? '';
  const zone = words.length > 1 && /[a-z]{3,}|\/[a-z]/i.test(last) && !weekdayField(last) ? last : undefined;
  const fields = zone === undefined ? words : words.slice(0, -1);
  if (fields.length === 6) {
    return { fault: 'has six fields; there are no seconds here, so leave the first of them out' };
  }
  if (fields.length !== 5) {
    return {
      fault: 'says no time: write 02:30, Mon-Fri 02:30 or five fields of cron, and a time zone behind it if need be',
    };
  }
  return { pattern: fields.join(' '), zone };
}

function tooOften(task: TaskName, cron: Cron): { fault: string } | undefined {
  if (task === 'inbox' || leastGapMin(cron) >= LEAST_GAP_MIN) return undefined;
  return {
    fault: `runs ${leastGapMin(cron) === 1 ? 'every minute' : `again after ${leastGapMin(cron)} minutes`}; ${task} needs at least ${LEAST_GAP_MIN} minutes between two runs`,
  };
}

function likelyTask(named: string): string {
  const nearest = TASKS.find((task) => lettersApart(named.toLowerCase(), task) <= 2);
  return nearest ? `${nearest} is meant, perhaps` : `there are ${TASKS.join(', ')}`;
}

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
  const names = [1, 2, 3, 4, 5, 6, 0].filter((day) => weekdays.has(day)).map((day) => capitalized(WEEKDAYS[day] ?? ''));
  return listed(names);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

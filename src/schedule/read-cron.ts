/** The fields of a cron pattern; lists are sorted. */
export type Cron = {
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** Days of the week; 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** Whether the field of days begins with `*`. If neither field of days does, a day that matches one of them counts, as in cron. */
  anyDay: boolean;
  anyWeekday: boolean;
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

type Field = { name: string; from: number; to: number; names?: readonly string[]; namesFrom?: number };

/** The five fields as in crontab(5); weekday 7 is Sunday too. */
const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: MONTHS, namesFrom: 1 },
  { name: 'day of the week', from: 0, to: 7, names: WEEKDAYS.map((day) => day.slice(0, 3)), namesFrom: 0 },
];

/**
 * Reads five cron fields as in crontab(5): `*`, numbers, English names of months and weekdays, ranges, lists and steps.
 *
 * @returns the pattern, or what is wrong with it, to end a sentence
 */
export function readCron(pattern: string): Cron | { fault: string } {
  const texts = pattern.trim().split(/\s+/);
  const fields: number[][] = [];
  for (const [place, field] of FIELDS.entries()) {
    const values = readField(texts[place] ?? '', field);
    if (values === undefined) {
      return { fault: `has ${JSON.stringify(texts[place] ?? '')} for the ${field.name}, which is ${rangeOf(field)}` };
    }
    fields.push([...values].sort((one, other) => one - other));
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = fields;
  const cron: Cron = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    anyDay: (texts[2] ?? '').startsWith('*'),
    anyWeekday: (texts[4] ?? '').startsWith('*'),
  };
  return comes(cron) ? cron : { fault: 'names a day that no month of it has, so it never comes' };
}

/** Reads words such as `Mon-Fri` or `saturday,sunday` as a cron field of weekdays; `daily` is all of them. Undefined if they are no days. */
export function weekdayField(words: string): string | undefined {
  if (/^(daily|every-?day)$/i.test(words)) return '*';
  if (!/^[a-z,-]+$/i.test(words)) return undefined;
  const short = words.toLowerCase().replace(/[a-z]+/g, (word) => {
    const day = WEEKDAYS.find((name) => word.length >= 3 && name.startsWith(word));
    return day ? day.slice(0, 3) : word;
  });
  const field = FIELDS[4];
  const values = field && readField(short, field);
  return values && [...new Set([...values].map((day) => day % 7))].sort((one, other) => one - other).join(',');
}

/** The values of a field; undefined if it is invalid. */
function readField(text: string, field: Field): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    const [from, to] = readRange(range, field, step !== undefined);
    if (from === undefined || to === undefined || step === '0' || step === '00') return undefined;
    const isWeekday = field.to === 7;
    // A range that ends before it begins is common for weekdays (Friday to Monday); in other fields, 22 to 4 may be a mistake.
    if (from > to && !isWeekday) return undefined;
    const last = from > to ? to + 7 : to;
    for (let value = from; value <= last; value += Number(step ?? 1)) values.add(isWeekday ? value % 7 : value);
  }
  return values;
}

function readRange(text: string, field: Field, hasStep: boolean): readonly (number | undefined)[] {
  // `*` means weekdays 0 to 6, since 7 would be Sunday again.
  if (text === '*') return [field.from, field.to === 7 ? 6 : field.to];
  const [first = '', last, ...more] = text.split('-');
  if (more.length > 0) return [];
  const from = readValue(first, field);
  if (last === undefined) return [from, hasStep ? (field.to === 7 ? 6 : field.to) : from];
  return [from, readValue(last, field)];
}

function readValue(text: string, { from, to, names = [], namesFrom = 0 }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + namesFrom;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

function rangeOf({ from, to, names }: Field): string {
  const example = names?.[1];
  return `${from} to ${to}${example ? ` or a name such as ${example}` : ''}, with * , - and / as in cron`;
}

/** Most days of each month in any year. */
const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether any such day exists: 29 February does, 30 February does not. */
function comes({ days, months, anyDay, anyWeekday }: Cron): boolean {
  if (!anyDay && !anyWeekday) return true;
  const first = Math.min(...days);
  return [...months].some((month) => first <= (MONTH_LENGTHS[month - 1] ?? 0));
}

/** Minutes between the closest due times of a day; a whole day if there is only one. */
export function leastGapMin({ minutes, hours }: Cron): number {
  const DAY_MIN = 1_440;
  const moments = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const gaps = moments.map((moment, place) => (moments[place + 1] ?? (moments[0] ?? 0) + DAY_MIN) - moment);
  return Math.min(...gaps);
}

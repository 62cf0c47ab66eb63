import { textOf } from './process.ts';
import { type Deviation, type Schedule, scheduleText } from './schedule.ts';
import type { Step } from './scheduler.ts';
import type { Run } from './simulation.ts';

/** Scripts of stories in plain words. Other scripts keep their names. */
const WORDS: Record<string, string> = {
  batch: 'takes a step with the ledger',
  begin: 'takes the row up',
  claim: 'asks for the right to send',
  settle: 'writes down that it was made',
  release: 'gives the right back: nothing was made',
  doubt: 'writes down that nobody knows what became of it',
  advance: 'moves the row on',
  requeue: 'puts the row back to its step',
  resolve: 'writes down what a person says of the call',
  'await-row': 'has the row wait for an approval',
  'answer-approval': 'writes down the answer to the approval',
  'free-approved': 'lets go what was answered',
  'cancel-row': 'gives the row up',
  put: 'brings a line in',
  'start-import': 'begins an import',
  'note-import': 'notes how the import is',
};

const DEVIATION_WORDS: Record<Deviation, string> = {
  'gives way': 'is overtaken by all others here',
  'dies before': 'dies before this',
  'dies after': 'dies right after this, its answer unheard',
  'asks twice': 'does not hear the answer, and its client sends this again later',
  'fails before': 'is told that no answer came, and it was not done',
  'fails after': 'is told that no answer came, and it was done',
  'fails early': 'is told that no answer came, and it is done after that',
  stalls: 'goes on, and its jobs count as left by it',
  'stands still': 'stands still for twelve seconds here',
  'Redis goes back': 'finds Redis as it was some seconds before',
};

/** What happened, for people: the actions of processes in their order, and what broke. */
export function storyOf(name: string, schedule: Schedule, run: Run): string {
  const lines = [`World: ${name}.`];
  let who = '';
  for (const step of run.steps) {
    if (!isTold(step)) continue;
    if (step.who !== who) lines.push(`${(step.atMs / 1_000).toFixed(2)} s  ${step.who}`);
    who = step.who;
    const line = `          ${wordsOf(step)}`;
    if (line !== lines.at(-1)) lines.push(line);
  }
  lines.push(
    `Broken: ${run.broken ?? 'nothing'}`,
    `Play it again: npm run simulate -- --world '${name}' --schedule '${scheduleText(schedule)}'`,
  );
  return lines.join('\n');
}

/** Reads, clocks and timers change nothing for others. */
const UNTOLD =
  /^(a timer|looks|time |info|say-process|read-at-once|note-import \S+ \S+ sweep|list-rows|smembers|hkeys|write-anyway|multi|zcard|hm?get|zrange|zscore|zcard|hgetall|exists|alive|take |look |evalsha|get |queue [^:]+: (jobs|counts|how many|is it|state))/;

function isTold({ brief, deviation, isQuiet }: Step): boolean {
  return deviation !== undefined || (!isQuiet && !UNTOLD.test(textOf(brief)));
}

function wordsOf({ brief: told, came: heard, deviation }: Step): string {
  const [whole, came] = [textOf(told), textOf(heard)];
  // A script that is sent in full begins with its own text.
  const brief = whole.split('\n', 1)[0] ?? whole;
  const [name = ''] = brief.split(' ', 1);
  const known = WORDS[name];
  const rest = brief
    .slice(name.length)
    .replaceAll(/\{limitline:[^}]*\}:\d+:/g, '')
    .trim()
    .slice(0, 110);
  const what = known ? `${known} (${name}: ${rest})` : brief.replaceAll(/\{limitline:[^}]*\}:\d+:/g, '').slice(0, 140);
  const answer = came === '' ? '' : ` -> ${came.slice(0, 60)}`;
  return `${what}${answer}${deviation ? ` — ${DEVIATION_WORDS[deviation]}` : ''}`;
}

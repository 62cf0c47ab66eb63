import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { retryByRules } from '../../jobs/nightly/retry-by-rules.ts';
import type { Context } from '../../src/context.ts';
import { ROLES } from '../../src/people/person.ts';
import type { ServiceAccount } from '../simulation/doubles/service-account.ts';
import type { World } from '../simulation/run/simulation.ts';
import { NEVER } from '../simulation/worlds/acts.ts';
import { addUser, codeOf } from '../support/desk.ts';
import { eventOf } from '../support/events.ts';
import { openGoldenDesk } from './desk.ts';
import { archiveText } from './dump.ts';
import type { Keep } from './goldens.ts';

const YES = { env: { APPROVE_ALWAYS: 'on' } };
const BOB = { by: 'bob' };
const NIGHT = {
  id: '2026-01-02T01:30:00.000Z',
  atMs: Date.UTC(2026, 0, 2, 1, 30),
  by: 'nightly',
  from: 'a night',
  signal: NEVER,
};

/** Commands that change nothing, called at the end with and without --json. */
const QUESTIONS = [
  'portfolios',
  'portfolios --all',
  'report q4',
  'report q4 --causes',
  'report waiting',
  'report archived',
  'report forgotten',
  'reconcile --last',
  'retry q4 --state refused --dry-run',
  'resolve q4 --all --resend --dry-run',
  'recover q4.results.csv',
  'rule list',
  'mapping list',
  'schedule',
  'inbox',
  'notices',
  'events',
  'user list',
  'user sessions viewer',
  'audit list --limit 200',
  'audit verify',
  'acknowledge-rollback',
];

/**
 * A state with something of everything: rows in each state, lines that led to none, a correction, documents, a
 * supplier, and portfolios that wait, were declined, archived, restored and forgotten. Keeps the output of commands,
 * then Redis and files; `look` sees it at the end.
 */
export function makeState(
  keep: Keep,
  dump: () => Promise<string>,
  look: (context: Context) => Promise<void>,
  questions: readonly string[] = QUESTIONS,
): Pick<World, 'answers' | 'setUp'> {
  return {
    answers: {
      'limit of carla@buche.de 30000 #1': 'refused',
      'limit of dora@eiche.de 40000 #1': 'refused',
      'limit of emil@erle.de 50000 #1': 'refused',
      'limit of pia@pappel.de 51000 #1': 'refused',
      'limit of rolf@robinie.de 52000 #1': 'refused',
      'limit of pia@pappel.de 51000 #2': 'refused',
      'limit of rolf@robinie.de 52000 #2': 'refused',
      'limit of fee@esche.fr 60000 #1': 'broken off, made',
      'limit of gert@fichte.nl 70000 #1': '500, not made',
      'limit of hugo@kiefer.it 80000 #1': 'not ours',
      'company of Tanne Oy #1': 'refused',
    },
    async setUp(simulation) {
      simulation.service.send = answersInOtherWords(simulation.service.send);
      const { command, works, withContext, cwd } = openGoldenDesk(simulation, keep);
      await command('check q4.csv --json');
      await command('check q4.csv');
      await command('run q4.csv --supplier supplier.csv --json');
      keep('redis-after-the-first-run.txt', await dump());
      for (const question of ['report q4', 'report q4 --causes']) await command(`${question} --json`);
      await command('report q4 --format csv --out first.results.csv');
      await command('report q4 --format errors-csv --out first.errors.csv');
      await command('resolve q4 --line 7 --made bl_esche --json');
      await command('resolve q4 --line 8 --resend --json');
      await command('retry q4 --line 6 --json', BOB);
      await works();
      await command('check q4-corrected.csv --portfolio q4 --json');
      await command('import q4-corrected.csv --portfolio q4 --json', BOB);
      for (const name of ['again', 'archived', 'restored', 'forgotten']) await command(`import ${name}.csv --json`);
      await works();
      for (const name of ['approved', 'declined', 'waiting']) await command(`import ${name}.csv --json`, YES);
      let input = () => '';
      await withContext(async (context) => {
        const { password, secret } = await addUser({ context }, 'dora', ['approver']);
        input = () => `${password}\n${codeOf(secret)}\n`;
      });
      await command('approve approved --as dora --password-stdin --json', { input });
      await command('decline declined --as dora --password-stdin --because later --json', { input });
      await works();
      await command('import cancelled.csv --json');
      await command('cancel cancelled --json');
      await command('import paused.csv --json');
      for (const change of ['pause', 'resume', 'pause']) await command(`${change} paused --json`);
      for (const name of ['archived', 'restored']) await command(`archive ${name} --yes --json`);
      await command('restore restored --json');
      await command('forget forgotten --yes forgotten --json');
      await command('rule add --status 422 --nights 2 --json');
      await withContext((context) => retryByRules(NIGHT, context));
      await works();
      for (const name of ['house', 'gone']) await command(`mapping keep ${name} q4.csv --decimal comma --json`);
      await command('mapping forget gone --json');
      for (const role of ROLES) await command(`user add ${role} --roles ${role} --json`, { by: 'root' });
      await command('user roles viewer --roles viewer,finance --json', { by: 'root' });
      await command('user add gone --roles viewer --json', { by: 'root' });
      for (const change of ['password', 'factor', 'remove'])
        await command(`user ${change} gone --json`, { by: 'root' });
      await withContext(({ events }) => events.keep(eventOf('{"id":"bl_esche","status":"approved","total":60000}')));
      await command('reconcile --json');
      for (const question of questions) {
        await command(`${question} --json`);
        await command(question);
      }
      await command('report q4 --format csv --out last.results.csv');
      await command('report q4 --format errors-csv --out last.errors.csv');
      await command('report archived --format csv --out archived.results.csv');
      for (const path of globSync(join(cwd, '*.*.csv')).sort())
        keep(`files/${basename(path)}.txt`, readFileSync(path, 'utf8'));
      for (const path of globSync(join(simulation.dataDir, 'kept/archive/*/archived/*/*.ndjson.gz')).sort())
        keep(`files/archived-${basename(path, '.ndjson.gz')}.txt`, archiveText(path));
      keep('redis.txt', await dump());
      await withContext(look, { CONSOLE_PORT: '3000', QUEUE_BOARD: 'on' });
    },
  };
}

/** Fields that the service answers for limits of these amounts. */
const OTHER_WORDS: Readonly<Record<string, object>> = {
  20000: { total_limit: 15000, available_limit: 12000.5 },
  90000: { status: 'in_review', total_limit: 0, available_limit: 0 },
  7500: { status: 'rejected', total_limit: null, available_limit: null },
};

const answersInOtherWords =
  (send: ServiceAccount['send']): ServiceAccount['send'] =>
  async (post) => {
    const reply = await send(post);
    if (reply.is !== 'answer') return reply;
    const said = JSON.parse(reply.text);
    return { ...reply, text: JSON.stringify({ ...said, ...OTHER_WORDS[said.requested_limit] }) };
  };

import type { Schedule } from '../run/schedule.ts';

/** A schedule that broke a promise once, or seemed to. The tests have played it since. */
export type Found = { words: string; world: string; schedule: Schedule };

const LIMIT_1 = 'limit of Buyer-1@example.com 1000 #1';

export const FOUND: readonly Found[] = [
  {
    words: 'a no that was carried out late took back a yes that was given after it',
    world: 'declined and wanted again',
    schedule: { order: ['ann', 'dan', 'igor', 'rita', 'amy'], deviations: { 'dan#6': 'fails before' }, answers: {} },
  },
  {
    words: 'a row that was held, and whose call was refused late, was asked for again by itself',
    world: 'one row',
    schedule: { order: ['ann', 'bob'], deviations: {}, answers: { [LIMIT_1]: 'too late, refused' } },
  },
  {
    words: 'another job asked again for a held row while the late refusal of its call was being written down',
    world: 'the board and a held row',
    schedule: { order: ['ann', 'bob', 'olga'], deviations: {}, answers: { [LIMIT_1]: 'too late, refused' } },
  },
  {
    words: 'a limit that was answered with the id of another was counted as done while its row was held',
    world: 'one buyer, two amounts',
    schedule: {
      order: ['ann', 'bob'],
      deviations: {},
      answers: { 'limit of Buyer-1@example.com 2000 #1': 'the id of another' },
    },
  },
  {
    words: 'another job of a row asked again between its refusal and its end, as the reply of that was lost',
    world: 'a plan of retries and the board',
    schedule: {
      order: ['ann', 'bob', 'rita', 'olga'],
      deviations: { 'ann#62': 'fails early' },
      answers: { [LIMIT_1]: 'refused' },
    },
  },
  {
    words: 'a row whose line was mended stayed held when the call of its former words was refused late',
    world: 'mended on the way',
    schedule: {
      order: ['ann', 'bob', 'igor'],
      deviations: {},
      answers: { 'company of Buyer 1 #1': 'too late, refused' },
    },
  },
  {
    words: 'a yes to what was said of a call counted as one to the request, to which somebody had said no',
    world: 'declined and wanted again',
    schedule: {
      order: ['ann', 'dan', 'igor', 'rita', 'amy'],
      deviations: { 'dan#1': 'stands still' },
      answers: { 'company of Buyer 1 #1': '500, not made' },
    },
  },
  {
    words: 'a rule sent what was restored for a look while the night stood still',
    world: 'restored, and a rule',
    schedule: {
      order: ['rose', 'nina', 'ann', 'ada'],
      deviations: { 'nina#21': 'stands still' },
      answers: { [LIMIT_1]: 'refused', 'limit of Buyer-1@example.com 1000 #2': 'refused' },
    },
  },
  {
    words: 'the simulator accused a night of sending a row that was refused while the night ran',
    world: 'restored, and a rule',
    schedule: {
      order: ['nina', 'rose', 'ann', 'ada'],
      deviations: { 'nina#30': 'gives way', 'nina#39': 'stands still' },
      answers: { [LIMIT_1]: 'refused', 'limit of Buyer-1@example.com 1000 #2': 'too late, refused' },
    },
  },
  {
    words: 'a setting sent again what was answered for another, since its sender stood still before it wrote that down',
    world: 'answered for another, in two portfolios',
    schedule: {
      order: ['ann', 'bob'],
      deviations: { 'ann#15': 'gives way', 'bob#37': 'gives way', 'ann#53': 'stands still' },
      answers: { [LIMIT_1]: 'not ours' },
    },
  },
  {
    words: 'a supplier that was put off left a row that nothing archives or forgets',
    world: 'a supplier in doubt',
    schedule: {
      order: ['ann', 'ines', 'yves', 'carl', 'rita'],
      deviations: {},
      answers: { 'company of Supplier #1': 'throttled' },
    },
  },
  {
    words:
      'the sender of a company’s call died, its row was replaced, and the command of the nightly check did nothing',
    world: 'replaced',
    schedule: {
      order: ['ann', 'igor', 'carl'],
      deviations: { 'ann#24': 'dies before', 'carl#6': 'fails before' },
      answers: {},
    },
  },
  {
    words: 'the failed job of a supplier that goes again stayed, since the command to remove it was lost',
    world: 'a supplier in doubt',
    schedule: {
      order: ['ann', 'ines', 'yves', 'carl', 'rita'],
      deviations: { 'yves#7': 'gives way', 'yves#10': 'gives way', 'yves#21': 'fails before' },
      answers: { 'company of Supplier #1': '500, not made' },
    },
  },
  {
    words:
      'a worker sent a limit for a row that was back at its company, since Redis was older, and its refusal was kept nowhere',
    world: 'Redis goes back',
    schedule: {
      order: ['bob', 'ann'],
      deviations: { 'bob#38': 'gives way', 'bob#127': 'Redis goes back' },
      answers: { 'company of Buyer 2 #1': 'late, made', 'limit of Buyer-2@example.com 500 #1': 'refused' },
    },
  },
  {
    words:
      'the reply to a line that was brought in was lost; by the time it was sent again its limit was refused, and it was asked for once more',
    world: 'imported under another name',
    schedule: {
      order: ['igor', 'ann', 'ines'],
      deviations: { 'igor#9': 'fails after' },
      answers: { 'limit of Buyer-1@example.com 1200 #1': 'refused' },
    },
  },
  {
    words: 'the reply that a late answer ended a doubt was lost, so the row that was held for it stayed held',
    world: 'mended on the way',
    schedule: {
      order: ['bob', 'ann', 'igor'],
      deviations: { 'bob#20': 'asks twice' },
      answers: { 'company of Buyer 1 #1': 'too late, made' },
    },
  },
  {
    words:
      'a sender that stood still sent after a person let the call be sent again; nobody was asked, and it was sent once more',
    world: 'a document in doubt',
    schedule: {
      order: ['ann', 'bob', 'yann', 'yves', 'carl'],
      deviations: { 'bob#22': 'stands still' },
      answers: {
        'document of a.pdf #1': '500, made',
        'company of Buyer 1 #1': 'never, not made',
        'company of Buyer 1 #2': 'never, not made',
      },
    },
  },
];

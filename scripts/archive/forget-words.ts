import type { Forgotten } from '../../jobs/archive/forget-portfolio.ts';
import type { BeforeForgetting } from '../../jobs/archive/may-forget.ts';
import { counted } from '../../src/counted.ts';
import { moneyText } from '../../src/money-text.ts';

/** The text before a portfolio is forgotten: what is there, what is erased and what stays. */
export function beforeWords(
  name: string,
  account: string,
  { states, requested, granted, state }: BeforeForgetting,
): string {
  const rows = Object.values(states).reduce((sum, count) => sum + count, 0);
  return [
    `Portfolio ${name} of account ${account}: ${counted(rows, 'row')},`,
    `${moneyText(requested)} requested, ${moneyText(granted)} granted${state?.is === 'archived' ? '; it is archived' : ''}.`,
    '',
    'To forget it takes out for good what is known of people in it: names,',
    'contacts, addresses, register numbers, web addresses, references, what the',
    'service said in words, documents, imported files, uploads, archives, what the',
    'drop folder has, and events of the service that name a row of it, also where',
    'they name rows of others. Nothing brings that back.',
    '',
    'What stays: counts and sums, amounts and ids of what the service made, and',
    'digests, so that nothing is requested twice. Buyers that other portfolios ask',
    'for keep what those have of them. What the service has, backups, and files that',
    'were given away are not reached.',
  ].join('\n');
}

/** The text after a portfolio is forgotten: what was erased, and what is out of reach. */
export function afterWords(name: string, { buyers, files, uploads, events, dropFolders }: Forgotten): string {
  const went = [
    buyers.forgotten > 0 ? counted(buyers.forgotten, 'buyer') : '',
    files.removed > 0 ? counted(files.removed, 'file') : '',
    uploads > 0 ? counted(uploads, 'upload') : '',
    events > 0 ? counted(events, 'event') : '',
  ].filter(Boolean);
  const shared = [
    buyers.shared > 0
      ? `${counted(buyers.shared, 'buyer')} that other portfolios ask for ${buyers.shared === 1 ? 'keeps' : 'keep'} what those have.`
      : '',
    files.needed > 0
      ? `${counted(files.needed, 'file')} that other portfolios name ${files.needed === 1 ? 'stays' : 'stay'}.`
      : '',
  ];
  return [
    `${name} is forgotten. Taken out: ${['its rows', ...went].join(', ')}.`,
    ...shared.filter(Boolean),
    '',
    'What this cannot reach, and somebody has to see to:',
    '- what the service has: ask it to erase the companies and their contacts;',
    '- results that runs left beside their files, downloads, mails and webhooks;',
    '- backups of Redis and of the data folder, and the append-only file of Redis',
    '  until it is rewritten: redis-cli BGREWRITEAOF;',
    '- events of the service in which no id or number of it stands: they go after',
    '  EVENTS_KEEP_DAYS, and npx limitline events export has them until then;',
    '- the audit trail, which is evidence: it has names of files, and who did what;',
    ...(dropFolders.length > 0
      ? ['- drop folders that this host does not have: remove files of it from their done', '  and rejected.']
      : []),
    '- copies in data folders of other hosts, where they do not share this one.',
  ].join('\n');
}

import { countWords, t } from '../../../src/console/html/texts.ts';
import type { HealthFact } from '../../../src/console/pages/health/health-routes.ts';
import type { Context } from '../../../src/context.ts';
import { loginOf } from '../../../src/ledger/schema/keys.ts';
import { lookAtPace } from '../../../src/open-service.ts';
import { describeBlock, describeTripped } from '../../../src/pace/breaker-words.ts';
import { describeLearned } from '../../../src/pace/pace-words.ts';
import { chooseProxy } from '../../../src/proxy.ts';
import { elapsedText } from './machine-parts.ts';

/** The service's address, proxy and login. Does not ask the service. */
export async function servicePart({ settings, account, ledger, keys, portfolios }: Context): Promise<HealthFact[]> {
  const { SERVICE_URL: url, SERVICE_CLIENT_ID: clientId } = settings;
  const facts: HealthFact[] = [
    { term: t`Account`, what: account },
    { term: t`Address`, what: url ?? t`the stand-in, started by the workers: nothing is really requested` },
  ];
  if (url !== undefined) {
    const proxy = chooseProxy(url, settings);
    facts.push({ term: t`Proxy`, what: proxy ? `${proxy.where} (${proxy.setting})` : t`none` });
    const leftMs = await ledger.pttl(keys.token(loginOf({ url, clientId })));
    facts.push({
      term: t`Token`,
      what: leftMs > 0 ? t`good for another ${elapsedText(leftMs)}` : t`none now: the next call gets one`,
    });
  }
  const calls = await portfolios.tokenCalls();
  return [...facts, { term: t`Token calls so far`, what: String(calls) }];
}

/** The pace of calls, and what holds them back. */
export async function pacePart(context: Context): Promise<HealthFact[]> {
  const pace = await lookAtPace(context);
  if (!pace) return [{ term: t`Pace`, what: t`nothing is known yet: no call was made` }];
  const now = Date.now();
  const tripped = pace.tripped ?? [];
  const { blocked } = pace;
  return [
    { term: t`Pace`, what: describeLearned(pace, now) || t`nothing leaves now` },
    {
      term: t`Learned limit`,
      what: pace.phase === 'start' ? t`not found yet` : t`${Math.round(pace.ratePerS * 10) / 10} calls/s`,
    },
    ...(blocked && blocked.untilMs > now
      ? [
          {
            term: t`All calls wait`,
            what: describeBlock(blocked, now),
            kind: 'warn' as const,
          },
        ]
      : []),
    {
      term: t`Stopped calls`,
      what: tripped.length === 0 ? t`none` : describeTripped(tripped, now),
      ...(tripped.length > 0 ? { kind: 'warn' as const } : {}),
    },
  ];
}

/** The ledger's counts, and when they were last compared with the rows. */
export async function ledgerPart({ portfolios, stories, archives, keys, ledger }: Context): Promise<HealthFact[]> {
  const [count, archived, held, checked] = await Promise.all([
    ledger.zcard(keys.portfolios),
    archives.count(),
    stories.heldCount(),
    portfolios.lastReconciled(),
  ]);
  return [
    { term: t`Portfolios`, what: count.toLocaleString('en') },
    ...(archived > 0 ? [{ term: t`Archived portfolios`, what: archived.toLocaleString('en') }] : []),
    { term: t`Held rows`, what: held.toLocaleString('en'), ...(held > 0 ? { kind: 'warn' as const } : {}) },
    {
      term: t`Compared with its rows`,
      what: checked
        ? t`${elapsedText(Date.now() - checked.atMs)} ago, ${checked.findings === 0 ? t`all agreed` : t`${countWords(checked.findings, 'finding')}, see Nightly`}`
        : t`never: npx limitline reconcile does it`,
    },
  ];
}

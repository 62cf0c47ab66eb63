import type { NoticesFacts } from '../../src/console/pages/nightly/notices-view.ts';
import type { Context } from '../../src/context.ts';
import { waysGiven } from '../../src/notices/notice-settings.ts';

/** The channels in the settings with their state, and the latest notices. */
export async function readNoticesFacts(
  { outbox, settings }: Pick<Context, 'outbox' | 'settings'>,
  most: number,
): Promise<NoticesFacts> {
  const [standings, lately, counts] = await Promise.all([outbox.standings(), outbox.lately(most), outbox.counts()]);
  const given = waysGiven(settings);
  return {
    ways: standings.flatMap((standing) => {
      const own = given.find(({ name }) => name === standing.way);
      if (own) return [{ ...standing, given: own }];
      return standing.waiting > 0 ? [standing] : [];
    }),
    about: settings.NOTIFY_ABOUT,
    hasLinks: settings.CONSOLE_URL !== undefined,
    lately,
    counts,
    nowMs: Date.now(),
  };
}

import type { ArchivedPageFunctions } from '../../src/console/pages/archived/add-archived-page.ts';
import type { Context } from '../../src/context.ts';

/** What the list of archived portfolios is handed. */
export function archivedPageFunctions({ archives }: Pick<Context, 'archives'>): ArchivedPageFunctions {
  return {
    async page(from, count) {
      const [archived, total] = await Promise.all([archives.page(from, count), archives.count()]);
      return { archived, total };
    },
  };
}

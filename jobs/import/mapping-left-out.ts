import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/** The most columns that the warning names; a mapping may have hundreds. */
const NAMED = 5;

/**
 * The warning about columns that a mapping gave a meaning in the portfolio's last file, and that have another meaning or none in this file.
 * Such columns make each requested line count as changed; only this warning tells why. Undefined if there are no such columns.
 */
export async function mappingLeftOut(
  portfolio: string,
  { columns }: Pick<Opened, 'columns'>,
  { portfolios }: { portfolios: Pick<Portfolios, 'read'> },
): Promise<Problem[]> {
  const { file } = await portfolios.read(portfolio);
  const then = readOptionsSchema.safeParse(JSON.parse(file?.reading || '{}')).data?.mapping?.columns ?? {};
  const left = columns.flatMap(({ written, known, extra }) => {
    const meant = then[written] ?? null;
    return meant === null || meant === (extra ?? known) ? [] : [`--map "${visible(written)}=${meant}"`];
  });
  if (left.length === 0) return [];
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const message = `The last file of this portfolio, ${visible(file?.fileName ?? '')}, was read with ${left.slice(0, NAMED).join(' ')}${more}, and this one is not. If that was forgotten, read it with the same: otherwise lines that were requested count as changed.`;
  return [makeProblem(WHOLE_FILE, null, null, message)];
}

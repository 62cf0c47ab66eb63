import type { Context } from '../../src/context.ts';
import { cutText } from '../../src/cut-text.ts';
import type { FailedSessions } from '../../src/ledger/calls/sessions.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** The most sessions that are named; each costs a line. */
const MOST_NAMED = 5;

/** The most characters that are shown of what the service said about a session. */
const MOST_SAID = 160;

/**
 * Of each session that the service rejected, or whose outcome nobody knows: the line, the buyer and what the service said. Links are never
 * printed.
 */
export async function failedSessionLines(
  { refused, held }: FailedSessions,
  { rows }: Pick<Context, 'rows'>,
): Promise<string[]> {
  const some = [...refused.slice(0, MOST_NAMED), ...held.slice(0, MOST_NAMED)];
  const results = await rows.read(some);
  return some.flatMap(({ sessionHeard }, at) => {
    const result = results[at];
    if (!result) return [];
    const said = visible(sessionHeard.replace(/https?:[^\s"<>]+/gi, '(a link)'));
    return [`Hosted session of line ${result.line}, ${visible(result.request.name)}: ${cutText(said, MOST_SAID)}`];
  });
}

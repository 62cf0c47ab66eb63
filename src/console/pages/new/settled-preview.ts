import type { PreviewState } from '../../../portfolio/draft-desk.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { NewPageFunctions } from './draft-actions.ts';

/** How long a page waits for a preview. */
const PATIENCE_MS = 1_200;

/**
 * The age from which a preview is made again. Other portfolios go on meanwhile, so a request that was new may be under way or
 * made by now.
 */
const FRESH_MS = 5_000;

/**
 * The most lines of a file whose old preview is made again by itself. For a longer file somebody must press “Refresh”, since
 * reading it takes longer than a page may.
 */
const MOST_LINES_AGAIN = 5_000;

/** An upload's preview, read again if it is too old. If reading takes longer than a page waits, the answer says how far it is. */
export async function settledPreview(
  draft: PortfolioDraft,
  given: Pick<NewPageFunctions, 'preview' | 'previewAgain'>,
): Promise<PreviewState> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const state = await given.preview(draft);
    const isOld = state.is === 'there' && Date.now() - state.preview.madeMs > FRESH_MS;
    if (isOld && state.preview.counts.lines <= MOST_LINES_AGAIN) await given.previewAgain(draft);
    else if (state.is !== 'under way' || Date.now() > until) return state;
    await new Promise((done) => setTimeout(done, 40));
  }
}

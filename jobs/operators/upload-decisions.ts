import { createHash, randomBytes } from 'node:crypto';
import type { Plans } from '../../src/ledger/plans/plans.ts';
import {
  type DecisionsFile,
  type DecisionsReading,
  readDecisionsFile,
} from '../../src/portfolio/results/decisions-file.ts';
import { columnWords, decisionsWords } from './decisions-words.ts';
import { readUploaded } from './held-plans.ts';
import { type DecisionDeps, type DecisionsTaken, takeDecisions } from './take-decisions.ts';

/** A file of decisions for the rows of one portfolio, and what became of it or would. */
export type UploadedDecisions = {
  /** Under which it may be taken in. */
  id: string;
  portfolio: string;
  fileName: string;
  sha256: string;
  /** Sentences about the columns, and about all lines. */
  columns: string[];
  words: string[];
} & Pick<DecisionsTaken, 'taken' | 'known' | 'rows' | 'left' | 'problems' | 'warnings'>;

/** How amounts and dates of an upload are read, where the file does not tell. */
export type UploadReading = Pick<DecisionsReading, 'decimal' | 'dates'>;

/** An upload that was looked at. It is taken in as it was then, with the moment of the upload for decisions that say none. */
type Kept = { decisionsOf: string; fileName: string; content: string; reading: UploadReading; atMs: number };

/** Takes in uploaded decisions in two steps: what would become of them is shown, then the same bytes are taken in once, for 15 minutes. */
export function makeDecisionsDesk(deps: DecisionDeps & { plans: Pick<Plans, 'keepAnswer' | 'answer' | 'takeAnswer'> }) {
  async function take(id: string, kept: Kept, how: { by: string; dryRun: boolean }): Promise<UploadedDecisions> {
    const { decisionsOf: only, fileName, reading, atMs } = kept;
    const content = Buffer.from(kept.content, 'base64');
    const now = new Date(atMs);
    const file: DecisionsFile = await readUploaded(content, fileName, (path) => {
      return readDecisionsFile(path, { ...reading, now });
    });
    const { taken, known, rows, left, problems, warnings, ...decided } = await takeDecisions(
      { ...file, name: fileName },
      deps,
      { ...how, only, now },
    );
    const counts = { taken, known, rows, left, problems, warnings };
    const words = decisionsWords({ ...decided, ...counts }, how.dryRun);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { id, portfolio: only, fileName, sha256, columns: columnWords(file), words, ...counts };
  }

  return {
    /**
     * Looks at an upload, and changes nothing.
     *
     * @throws LimitlineError `FILE` for a file without decisions
     */
    async look(
      portfolio: string,
      upload: { fileName: string; content: Buffer; reading: UploadReading },
      by: string,
    ): Promise<UploadedDecisions> {
      const id = randomBytes(12).toString('base64url');
      const { fileName, content, reading } = upload;
      const text = content.toString('base64');
      const kept = {
        decisionsOf: portfolio,
        fileName,
        content: text,
        reading,
        atMs: Date.now(),
      };
      const shown = await take(id, kept, { by, dryRun: true });
      if (shown.taken + shown.known > 0) await deps.plans.keepAnswer(id, JSON.stringify(kept));
      return shown;
    },

    /** Takes in what was looked at; undefined if that happened already, or the upload is too old. */
    async take(id: string, portfolio: string, by: string): Promise<UploadedDecisions | undefined> {
      const text = await deps.plans.answer(id);
      const kept: Kept | undefined = text === null ? undefined : JSON.parse(text);
      if (kept?.decisionsOf !== portfolio || !(await deps.plans.takeAnswer(id))) return undefined;
      return take(id, kept, { by, dryRun: false });
    },
  };
}

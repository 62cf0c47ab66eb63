import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
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

/** An upload as it was read, without its other cells. Decisions that do not say when they were made count as made at `atMs`. */
type Kept = { decisionsOf: string; fileName: string; sha256: string; file: DecisionsFile; atMs: number };

/** Takes in uploaded decisions in two steps: what would become of them is shown, then just these are taken in once, for 15 minutes. */
export function makeDecisionsDesk(deps: DecisionDeps & { plans: Pick<Plans, 'keepAnswer' | 'answer' | 'takeAnswer'> }) {
  async function take(id: string, kept: Kept, how: { by: string; dryRun: boolean }): Promise<UploadedDecisions> {
    const { decisionsOf: only, fileName, sha256, file, atMs } = kept;
    const taken = await takeDecisions({ ...file, name: fileName }, deps, { ...how, only, now: new Date(atMs) });
    const words = decisionsWords(taken, how.dryRun);
    return { ...taken, id, portfolio: only, fileName, sha256, columns: columnWords(file), words };
  }

  return {
    /**
     * Reads an upload and looks at it. Changes nothing.
     *
     * @throws LimitlineError `FILE` for a file without decisions
     */
    async look(
      decisionsOf: string,
      upload: { fileName: string; content: Buffer; reading: Pick<DecisionsReading, 'decimal' | 'dates'> },
      by: string,
    ): Promise<UploadedDecisions> {
      const { fileName, content, reading } = upload;
      const now = new Date();
      const file = await readUploaded(content, fileName, (path) => readDecisionsFile(path, { ...reading, now }));
      const sha256 = createHash('sha256').update(content).digest('hex');
      const kept: Kept = { decisionsOf, fileName, sha256, file, atMs: now.getTime() };
      const id = randomBytes(12).toString('base64url');
      const shown = await take(id, kept, { by, dryRun: true });
      if (shown.taken + shown.known > 0) await deps.plans.keepAnswer(id, packed(kept));
      return shown;
    },

    /** Takes in what was looked at; undefined if that happened already, or the upload is too old. */
    async take(id: string, portfolio: string, by: string): Promise<UploadedDecisions | undefined> {
      const kept = unpacked(await deps.plans.answer(id));
      if (kept?.decisionsOf !== portfolio || !(await deps.plans.takeAnswer(id))) return undefined;
      return take(id, kept, { by, dryRun: false });
    },
  };
}

/** JSON, since answers about held rows are kept as JSON in the same place; 100,000 lines are a tenth as long when they are packed. */
function packed(kept: Kept): string {
  return JSON.stringify({ packed: gzipSync(JSON.stringify(kept)).toString('base64') });
}

function unpacked(text: string | null): Kept | undefined {
  const { packed: base64 } = JSON.parse(text ?? '{}') as { packed?: string };
  return base64 === undefined ? undefined : JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString());
}

import type { Audit } from '../../src/audit/audit.ts';
import type { Settings } from '../../src/config.ts';
import type { LeftFiles } from '../../src/files/left-files.ts';
import type { Inbox } from '../../src/ledger/inbox/inbox.ts';
import type { Log } from '../../src/log.ts';
import type { Secret } from '../../src/people/secret.ts';
import type { ImportSource } from '../import/import-portfolio.ts';
import type { DecisionDeps } from '../operators/take-decisions.ts';
import type { DropFolder } from './drop-folder.ts';
import type { SettlingFiles } from './look.ts';
import type { TakenFolder } from './taken-folder.ts';

/** The parts of a process's context that the drop folder needs. */
export type InboxSource = ImportSource &
  DecisionDeps & {
    settings: Pick<
      Settings,
      'LIMITLINE_INBOX' | 'LIMITLINE_INBOX_MAPPING' | 'LIMITLINE_SCHEDULE' | 'LIMITLINE_DATA' | 'CONSOLE_UPLOAD_MB'
    >;
    account: string;
    processId: string;
    inbox: Inbox;
    audit: Pick<Audit, 'around' | 'note'>;
    secret: Pick<Secret, 'key'>;
    leftFiles: LeftFiles;
    enterAccount: () => Promise<void>;
    log: Log;
  };

/** What one pass over the open drop folder needs. */
export type RoundDeps = InboxSource & {
  drop: DropFolder;
  taken: TakenFolder;
  settling: SettlingFiles;
  signal: AbortSignal;
};

/** Who acts, in the audit trail, if a file's owner is unknown. */
export const INBOX_ACTOR = 'inbox';

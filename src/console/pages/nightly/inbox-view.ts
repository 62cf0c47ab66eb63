import { hasFollower, isDecided, type TakenFile } from '../../../ledger/inbox/inbox.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, notice, table } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { advice, commandLine, theirWords, timeAgo, withNumbers } from '../../parts/text.ts';

/** The drop folder, as this process sees it. */
export type InboxFacts = {
  /** The folder by the settings; undefined where none is set. */
  folder: string | undefined;
  /** The mapping that reads the files, where the settings name one. */
  mapping: string | undefined;
  /** Whether files are taken by the schedule, and not at once. */
  isOnSchedule: boolean;
  /** Why this process cannot read the folder. */
  fault: string | undefined;
  /** Why the mapping that is set cannot be used; undefined if it can, or none is set. */
  mappingFault?: string | undefined;
  /** The first files in the folder, each with why it was not taken yet; `more` counts the others. */
  lying: readonly { name: string; why: string }[];
  more: number;
  /** The latest files that were taken, the newest first. */
  lately: readonly TakenFile[];
  nowMs: number;
};

export type InboxFunctions = { look: () => Promise<InboxFacts> };

/** The drop folder: the files in it, and the latest that were taken, with their outcomes. */
export function inboxSection(given: InboxFacts): Html {
  const { folder, mapping, isOnSchedule, lying, more, lately, nowMs } = given;
  if (folder === undefined && lately.length === 0) return noFolder();
  return html`${given.fault !== undefined && notice('bad', advice(given.fault), { title: t`The drop folder cannot be read.` })}
    ${given.mappingFault !== undefined && notice('bad', advice(given.mappingFault), { title: t`The mapping cannot be used, so no file is imported.` })}
    ${facts([
      { term: t`Folder`, what: folder === undefined ? 'none' : html`<code>${folder}</code>` },
      { term: t`Imported`, what: isOnSchedule ? t`as scheduled` : t`at once, when the file is complete` },
      { term: t`Read`, what: mapping === undefined ? OWN_READING : html`with the mapping ${theirWords(mapping)}` },
    ])}
    ${
      lying.length > 0 &&
      table({
        caption: t`Files in the folder`,
        showCaption: true,
        rows: lying,
        columns: [
          { head: t`File`, names: true, cell: ({ name }) => theirWords(name) },
          { head: t`Why it is not imported yet`, cell: ({ why }) => advice(why) },
        ],
      })
    }
    ${more > 0 && html`<p class="quiet">${withNumbers(countWords(more, 'more file'))}.</p>`}
    ${table({
      caption: t`Imported files`,
      showCaption: lying.length > 0,
      rows: lately,
      empty: emptyState({
        title: t`No files yet.`,
        words: t`A file of buyers put into the drop folder is imported. Its name becomes the name of the portfolio.`,
      }),
      columns: [
        { head: t`File`, names: true, cell: ({ name }) => theirWords(name) },
        { head: t`When`, cell: ({ atMs }) => timeAgo(atMs, { nowMs }) },
        { head: t`Result`, cell: (file) => outcomeOf(file, hasFollower(file, lately)) },
      ],
    })}`;
}

const OWN_READING = t`as the last file with the same columns was read in this console`;

function noFolder(): Html {
  const words = html`An operator can set up a folder: files of buyers put into it are then imported by themselves. ${commandLine('LIMITLINE_INBOX', t`Setting:`)}`;
  return notice('info', words, { title: t`No drop folder is set up.` });
}

const WORDS: Readonly<Record<TakenFile['is'], string>> = {
  taken: t`Under way.`,
  imported: t`Imported.`,
  again: t`Imported before.`,
  rejected: t`Not taken in.`,
};

/** @param isFollowed whether a later file was imported into the same portfolio, which may have mended the lines */
function outcomeOf(file: TakenFile, isFollowed: boolean): Html {
  const { id, is, portfolio, words, found, results, errors } = file;
  const isBad = is === 'rejected' || (is === 'taken' && words !== '');
  const bad = is === 'imported' && found ? found.invalid + found.duplicate : 0;
  const ofDecisions = isDecided(file);
  const name = isBad
    ? html`<strong class="is-bad">${is === 'taken' ? t`Waits.` : WORDS[is]}</strong>`
    : ofDecisions
      ? t`Taken in.`
      : WORDS[is];
  const where =
    is === 'rejected'
      ? html`<span class="under">Why: ${theirWords(`rejected/${id}.problems.txt`)}</span>`
      : bad > 0
        ? html`<span class="under">${ofDecisions ? t`${countWords(bad, 'decision')} to check` : t`Problems of ${countWords(bad, 'line')}`}: ${theirWords(`done/${id}.problems.csv`)}</span>`
        : '';
  const left = results ? html`<span class="under">Results: ${theirWords(`done/${results}`)}</span>` : '';
  const mend = errors
    ? html`<span class="under">${isFollowed ? t`Lines to correct before the next file came` : t`Correct these lines, and drop the file again`}: ${theirWords(`done/${errors}`)}</span>`
    : '';
  const said =
    is === 'imported' && !ofDecisions
      ? html`<a href="/portfolios/${encodeURIComponent(portfolio)}">${words}</a>`
      : words;
  return html`<div>${name} ${said}${where}${left}${mend}</div>`;
}

import { readOnlyColumns } from '../../../portfolio/columns/column.ts';
import { clashingExtras, readExtraField } from '../../../portfolio/columns/extra-fields.ts';
import { KNOWN_COLUMNS } from '../../../portfolio/columns/known-columns.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview, PreviewColumn } from '../../../portfolio/preview.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { button, field, form, hidden, select, tick } from '../../parts/form.ts';
import { withNumbers } from '../../parts/text.ts';
import { typedReading } from './read-reading.ts';
import { DELIMITER_WORDS, encodingName, previewDialectWords } from './words.ts';

/** The encodings that the form offers, those of finance teams' files. Limitline detects others too, but nobody can choose them. */
export const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'iso-8859-2',
  'iso-8859-15',
  'macintosh',
  'cp850',
  'cp437',
  'utf-16le',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
] as const;

/**
 * The id of the draft page's one form. The portfolio's name and the submit buttons belong to it too, so that each submission
 * sends all fields and typed values that were not applied can be noticed.
 */
export const DRAFT_FORM = 'draft';

/**
 * The form that shows how the file is read, and in which each part can be corrected. `typed`: the fields of a refused form, shown again.
 */
export function readingForm(
  draft: PortfolioDraft,
  preview: Preview,
  { csrf, typed = {} }: { csrf: string; typed?: Typed | undefined },
): Html {
  const reading = typedReading(typed, draft, preview);
  const body = html`${hidden('of', preview.of)}${aboveWords(preview)}
    <div class="reading-facts">${dialectFields({ reading, typed }, preview)}${conventionFields({ reading }, preview)}</div>
    ${columnTable(preview, typed)}
    ${constantFields({ reading })}
    <div class="beside">${button({ words: t`Apply` })}<span class="hint">The next file with the same columns is read in the same way. Names, references and amounts given for every line are not kept.</span></div>`;
  return form({ action: `/new/${draft.id}/reading`, csrf, body, class: 'form reading', id: DRAFT_FORM });
}

type Typed = Readonly<Record<string, string>>;
type Read = Pick<PortfolioDraft, 'reading'>;

function aboveWords({ above, headerLine }: Preview): Html | false {
  if (!above) return false;
  const lines = above.from === above.to ? t`Line ${above.from}` : t`Lines ${above.from} to ${above.to}`;
  return html`<p>${lines} above the header (line ${headerLine}) ${above.from === above.to ? 'is' : 'are'} not read: ${above.texts.slice(0, 2).map((text) => html`<q>${text.slice(0, 60)}</q> `)}</p>`;
}

function dialectFields({ reading, typed }: Read & { typed: Typed }, { dialect, sheets, headerLine }: Preview): Html {
  const header = field({
    label: t`Header in line`,
    name: 'headerLine',
    inputmode: 'numeric',
    maxlength: 7,
    value: typed.headerLine ?? String(reading.headerLine ?? ''),
    placeholder: headerLine === null ? t`not found` : t`${headerLine}, as found`,
  });
  if (dialect.sheet !== undefined) {
    const options = [
      { value: '', words: t`As found: ${dialect.sheet}` },
      ...sheets.map((name) => ({ value: name, words: name })),
    ];
    const isHidden = reading.hiddenRows === true;
    return html`${select({ label: t`Sheet`, name: 'sheet', value: reading.sheet ?? '', options })}${header}
      <div class="field">${tick({ label: t`Read hidden rows too`, name: 'hiddenRows', checked: isHidden })}</div>`;
  }
  const encodings = new Set<string>([...ENCODINGS, ...(reading.encoding === undefined ? [] : [reading.encoding])]);
  return html`${select({
    label: t`Encoding`,
    name: 'encoding',
    value: reading.encoding ?? '',
    options: [
      { value: '', words: asFound(reading.encoding, encodingName(dialect.encoding)) },
      ...[...encodings].map((name) => ({ value: name, words: encodingName(name) })),
    ],
  })}
  ${select({
    label: t`Delimiter`,
    name: 'delimiter',
    value: reading.delimiter ?? '',
    options: [
      { value: '', words: asFound(reading.delimiter, DELIMITER_WORDS[dialect.delimiter]) },
      ...Object.entries(DELIMITER_WORDS).map(([value, words]) => ({ value, words })),
    ],
  })}${header}`;
}

/**
 * The label of the option that keeps what was detected. It names the detected value unless another option is chosen, since the
 * value is not known then.
 */
function asFound(said: unknown, found: string | undefined): string {
  return said === undefined && found !== undefined ? t`As found: ${found}` : t`As found`;
}

const DECIMALS = { '.': t`point: 1234.50`, ',': t`comma: 1234,50` } as const;
const DATES = { dmy: t`day first: 31/12/2026`, mdy: t`month first: 12/31/2026` } as const;

function conventionFields({ reading }: Read, { conventions }: Preview): Html {
  const { decimal, dates } = conventions;
  return html`${select({
    label: t`Decimals of amounts`,
    name: 'decimal',
    value: reading.decimal ?? '',
    options: [
      { value: '', words: asFound(reading.decimal, decimal === '.' ? 'point' : decimal === ',' ? 'comma' : undefined) },
      ...Object.entries(DECIMALS).map(([value, words]) => ({ value, words })),
    ],
  })}
  ${select({
    label: t`Dates like 05/04/2026`,
    name: 'dates',
    value: reading.dates ?? '',
    options: [
      {
        value: '',
        words: asFound(reading.dates, dates === 'dmy' ? t`day first` : dates === 'mdy' ? t`month first` : undefined),
      },
      ...Object.entries(DATES).map(([value, words]) => ({ value, words })),
    ],
  })}`;
}

const OURS = [{ value: '', words: t`not sent` }, ...KNOWN_COLUMNS.map((name) => ({ value: name, words: name }))];

/** Each column with its first cells, and a choice of what it is read as. */
function columnTable({ columns }: Preview, typed: Typed): Html {
  const named = columns.filter(({ written }) => written !== '');
  if (named.length === 0)
    return html`<p>No column was found: correct the encoding, the delimiter or the line of the header.</p>`;
  // Only MOST_COLUMNS columns are shown, those with a meaning first. A choice for each column of the widest sheet would make a
  // page of 20 MB.
  const shown = new Set(
    [...named.filter(({ known, extra }) => known !== null || extra), ...named].slice(0, MOST_COLUMNS),
  );
  const others = named.length - shown.size;
  return html`<div class="table-box" role="region" aria-label="Columns" tabindex="0"><table class="table columns">
    <caption class="unseen">Columns of the file, what stands in them, and what they are read as</caption>
    <thead><tr><th scope="col" class="cell">Column</th><th scope="col" class="cell">First cells</th><th scope="col" class="cell">Read as</th></tr></thead>
    <tbody>${named.filter((column) => shown.has(column)).map((column) => columnRow(column, typed))}</tbody>
  </table></div>${others > 0 && html`<p class="hint">${withNumbers(countWords(others, 'more column is', 'more columns are'))} not sent. To send one of them, move its column to the front of the file.</p>`}`;
}

/** The width of a path's field, in characters: enough for most paths and for the example in the field. */
const PATH_SIZE = 32;

/** The most columns whose meaning can be chosen: more than any real file of buyers has. */
const MOST_COLUMNS = 200;

function columnRow({ index, written, known, extra, by, guess, samples }: PreviewColumn, typed: Typed): Html {
  const [chosen, path] = [typed[`column-${index}`] ?? known ?? '', typed[`path-${index}`] ?? extra ?? ''];
  const why = { name: t`exact name`, map: t`as you chose`, alias: t`by its name` }[by ?? 'name'];
  return html`<tr class="${known === null && !extra && 'is-own'}">
    <th scope="row" class="cell names"><bdi>${written}</bdi></th>
    <td class="cell" data-head="First cells">${samples.length === 0 ? html`<span class="soft">empty</span>` : html`<span class="chips">${samples.map((sample) => html`<span class="sample"><bdi>${sample}</bdi></span>`)}</span>`}</td>
    <td class="cell" data-head="Read as">
      <select class="input" name="column-${index}" aria-label="${written} is read as">${OURS.map(({ value, words }) => html`<option value="${value}" selected="${value === chosen}">${extra && value === '' ? t`sent by its path` : words}</option>`)}</select>
      ${known === null && html`<input class="input" name="path-${index}" value="${path}" maxlength="600" size="${PATH_SIZE}" placeholder="or a path, such as company.tax_id" aria-label="${written} is sent as the field with this path">`}
      <span class="hint">${(known !== null || extra) && by !== null ? why : guess !== null ? t`maybe ${guess}` : 'field' in readExtraField(written) && t`To send it, write its name as the path`}</span>
    </td>
  </tr>`;
}

/** The form fields for values that hold for every line, in columns that the file lacks. */
function constantFields({ reading }: Read): Html {
  const given = Object.entries(reading.mapping?.constants ?? {});
  const rows = [...given, ['', ''] as const];
  return html`<details class="constants" id="constants" open="${given.length > 0}"><summary>Values for every line</summary>
    ${rows.map(
      ([name, value], at) =>
        html`<div class="constant">${select({
          label: t`Column`,
          hideLabel: at > 0,
          name: `constant-name-${at}`,
          value: name,
          options: [{ value: '', words: t`none` }, ...KNOWN_COLUMNS.map((one) => ({ value: one, words: one }))],
        })}${field({ label: t`Value`, hideLabel: at > 0, name: `constant-value-${at}`, value: value ?? '', maxlength: 500 })}</div>`,
    )}
  </details>`;
}

/** The columns that are sent under a path, such as `VAT as company.tax_id`; '' for none. Paths that exclude each other are left out. */
export function extrasWords({ columns }: Pick<Preview, 'columns'>): string {
  const refused = clashingExtras(columns);
  const sent = columns.flatMap(({ written, extra }) =>
    extra && !refused.has(extra) ? [t`${written} as ${extra}`] : [],
  );
  return sent.join(', ');
}

/** Sentences about how the file is read: encoding, delimiter, how many columns are sent, and which are read alone. */
export function previewReadingWords(preview: Preview): string {
  const readOnly = readOnlyColumns(preview.columns);
  const known = preview.columns.filter((column) => column.known !== null || column.extra).length - readOnly.length;
  const extras = extrasWords(preview);
  const sent = extras === '' ? '' : t` Also sent, although the service does not describe these fields: ${extras}.`;
  const named = preview.columns.filter(({ written }) => written !== '').length;
  const only = readOnly.length === 0 ? '' : t` Columns read, but not sent: ${readOnly.join(', ')}.`;
  return t`${previewDialectWords(preview)}; ${known} of ${named} columns are sent${known === named ? '' : t`; the others stay in your results`}.${sent}${only}`;
}

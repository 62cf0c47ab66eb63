import { likeness } from '../../likeness.ts';
import { isThousands } from '../values/amount-unit.ts';
import { currencyOf } from '../values/currencies.ts';
import { COLUMNS, columnsThat, isKnown, KNOWN_COLUMNS, type KnownColumn, ownNameOf } from './known-columns.ts';
import { EVERYDAY } from './names/everyday.ts';
import { FURTHER } from './names/further.ts';
import { GUESSES } from './names/guesses.ts';
import { SYSTEMS } from './names/systems.ts';

/** The meaning of a header's name by the tables of names. */
type NameMeaning = {
  /** The column that the name certainly means. */
  known: KnownColumn | null;
  /** The column that the name may mean, if it is not certain. */
  guess: KnownColumn | null;
  /** The currency in the name, as written: `EUR` of `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether the name says thousands or millions. Such a column is never used without a question. */
  thousands: boolean;
};

/**
 * Finds what a header's name means in the tables of `names/`. The name may have a unit or a word like "required" around
 * it (`Kreditlimit (EUR)*`), and a word for the buyer or contact (`Customer Name`, `Ansprechpartner Vorname`). Other
 * words in brackets, or a currency on a column that is no amount, make the meaning a guess.
 */
export function headerMeaningOf(written: string): NameMeaning {
  // A longer text is no column name. It is not looked up, since a malformed file may have a megabyte in this cell.
  if (written === '' || written.length > MAX_LENGTH) return NOTHING;
  // Limitline's own column names need no tables, so their loading is avoided.
  if (isKnown(written)) return { ...NOTHING, known: written };
  const { certain, possible } = tablesOfNames();
  const whole = certain.get(nameKey(written));
  const bare = bareName(written);
  const { currency, thousands } = bare;
  // A column `Limit %` holds how much of a limit is used, or another share.
  const isShare = written.includes('%');
  if (whole && !thousands && !isShare) return { known: whole, guess: null, currency, thousands };
  const key = nameKey(bare.name);
  const known = certain.get(key) ?? null;
  const likely = known ?? possible.get(nameKey(written)) ?? possible.get(key) ?? null;
  const isUnit = currency !== null || thousands;
  const isCertain = known !== null && !bare.said && !thousands && !isShare && (!isUnit || known === 'requested_limit');
  if (isCertain) return { known, guess: null, currency, thousands };
  return { known: null, guess: likely, currency, thousands };
}

/** The column that a header's name certainly means. */
export function aliasOf(written: string): KnownColumn | undefined {
  return headerMeaningOf(written).known ?? undefined;
}

/**
 * Whether a header's name means a column only by the names in further languages, or the currency of an amount. Beside a column with a usual
 * name of the same meaning, it is the team's own, as `CVR` beside `Registration number`.
 */
export function isLaterName(written: string): boolean {
  const { known } = headerMeaningOf(written);
  const key = nameKey(bareName(written).name);
  return (known === 'currency' && OF_AMOUNT.test(key)) || (known !== null && isFurther(key));
}

const OF_AMOUNT = /limit|kredit|credit/;

function isFurther(key: string): boolean {
  laterKeys ??= new Set(FURTHER.flatMap((names) => Object.values(names).flat()).map(nameKey)).difference(
    new Set([...EVERYDAY, ...SYSTEMS].flatMap((names) => Object.values(names).flat()).map(nameKey)),
  );
  return laterKeys.has(key);
}

let laterKeys: ReadonlySet<string> | undefined;

/** Whether a header's name means a known column. */
export function isKnownName(written: string): boolean {
  return ownNameOf(written) !== null || aliasOf(written) !== undefined;
}

const MAX_LENGTH = 120;
const NOTHING: NameMeaning = { known: null, guess: null, currency: null, thousands: false };

/** All names of a column in the tables, everyday ones and those of systems. */
export function namesOf(column: KnownColumn): string[] {
  return [...EVERYDAY, ...SYSTEMS, ...FURTHER].flatMap((names) => names[column] ?? []);
}

/**
 * Removes what describes the form of a column rather than its meaning: an asterisk, a colon, a currency after the name,
 * and brackets with a currency, "ISO" or "required".
 */
function bareName(written: string): BareName {
  const found: BareName = { name: '', currency: null, thousands: false, said: false };
  const without = written
    .replace(/[*:\u2020]+\s*$|^\s*\*+/g, ' ')
    .replace(/[([{<]([^()[\]{}<>]*)[)\]}>]/g, (_all, inside: string) => {
      note(inside, found);
      return ' ';
    })
    .replace(/[*:]+\s*$/, '')
    .trim();
  const scale = thousandsBehind(without);
  if (scale !== null) return { ...found, name: scale, thousands: true };
  const behind =
    /^(.+?)[\s,/-]+(?:in\s+|en\s+)?([A-Z]{0,2}\p{Sc}|[A-Z]{3}|T€|k€|TEUR|kEUR|MEUR|Euro|Mio\.?(?:\s*EUR|\s*€)?|Tsd\.?(?:\s*EUR|\s*€)?)$/u.exec(
      without,
    );
  if (behind && isUnit(behind[2] ?? '')) {
    note(behind[2] ?? '', found);
    return { ...found, name: behind[1] ?? '' };
  }
  return { ...found, name: without };
}

/** The name before a unit of thousands of one to three words: `Limit` of `Limit USD mn`, `limit_teur` and `Limit in Tausend Euro`. */
function thousandsBehind(written: string): string | null {
  for (const behind of BEHIND) {
    const [, name = '', unit = ''] = behind.exec(written) ?? [];
    if (unit !== '' && isThousands(unit)) return name.replace(/[\s,/_-]+(?:in|en)$/i, '');
  }
  return null;
}

const BEHIND = [2, 1, 0].map(
  (more) => new RegExp(`^(.*[^\\s,/_-])[\\s,/_-]+([^\\s,/_]+(?:\\s[^\\s,/_]+){${more}})$`, 'u'),
);

/** Words for the party that a column describes. They come before or after the name. */
const PARTIES = {
  buyer: {
    english: ['customer', 'client', 'buyer', 'debtor', 'company', 'billing', 'bill to', 'account'],
    german: ['Kunde', 'Kunden', 'Debitor', 'Debitoren', 'Firma', 'Firmen', 'Käufer', 'Abnehmer'],
    french: ['acheteur', 'entreprise'],
    spanish: ['cliente', 'comprador', 'empresa'],
  },
  contact: {
    english: ['contact', 'contact person', 'main contact', 'primary contact'],
    german: ['Ansprechpartner', 'Ansprechperson', 'Kontakt', 'Kontaktperson', 'AP'],
    french: ['interlocuteur'],
    spanish: ['contacto', 'persona de contacto'],
  },
};
const BUYER = Object.values(PARTIES.buyer).flat();
const CONTACT = Object.values(PARTIES.contact).flat();

/** Columns whose names mean the same after a word for the buyer (`Customer City`). `name` is separate: fewer words may precede it. */
const OF_BUYER = columnsThat((facts) => facts.in?.startsWith('company') || facts === COLUMNS.requested_limit).filter(
  (column) => column !== 'name',
);
const OF_CONTACT = columnsThat((facts) => facts.in === 'limit.contact');

/** Words for the amount before or behind the currency that a column holds: `Credit Limit Currency`, `Währung Kreditlimit`. */
const AMOUNTS = [
  'limit',
  'credit limit',
  'requested limit',
  'limit amount',
  'Kreditlimit',
  'Kreditlinie',
  'limite',
  'limite de crédit',
  'límite de crédito',
];

/** Before an amount, this short name of the currency means `current`: `Curr. Limit` is the limit of today. */
const CURRENT = 'curr';

const everydayNames = (column: KnownColumn): string[] => EVERYDAY.flatMap((names) => names[column] ?? []);

function* certainNames(): Generator<[string, KnownColumn]> {
  for (const column of KNOWN_COLUMNS) {
    yield [column, column];
    for (const name of namesOf(column)) yield [name, column];
  }
  for (const party of BUYER.filter((one) => !NO_NAME.has(one))) yield [`${party} name`, 'name'];
  for (const column of OF_BUYER) {
    for (const name of [column.replaceAll('_', ' '), ...everydayNames(column)])
      for (const party of BUYER) {
        const whole = `${party} ${name}`;
        if (!Object.hasOwn(GUESSES, whole)) yield [whole, column];
      }
  }
  for (const name of [...everydayNames('currency'), 'currency']) {
    for (const amount of AMOUNTS) {
      yield [`${amount} ${name}`, 'currency'];
      if (name !== CURRENT) yield [`${name} ${amount}`, 'currency'];
    }
  }
  for (const column of OF_CONTACT) {
    for (const name of everydayNames(column)) {
      for (const party of CONTACT) {
        yield [`${party} ${name}`, column];
        yield [`${name} ${party}`, column];
      }
    }
  }
}

/**
 * Words that make the meaning uncertain if they come before `name`: an account's name may be a bank's, and a billing name may be a
 * person's.
 */
const NO_NAME = new Set(['account', 'billing', 'bill to']);

/** Columns by the normalized forms of their names: certain ones and guesses. */
type Tables = { certain: ReadonlyMap<string, KnownColumn>; possible: ReadonlyMap<string, KnownColumn> };

let tables: Tables | undefined;

/** The tables, built for the first unknown name: thousands of names take some 15 ms, which most commands need not wait for. */
function tablesOfNames(): Tables {
  tables ??= {
    certain: firstOfEach(certainNames()),
    possible: new Map(Object.entries(GUESSES).map(([name, column]) => [nameKey(name), column])),
  };
  return tables;
}

/**
 * The columns by their names' normalized forms. If several names have one form, the first counts: `names` has those of the tables before
 * combinations.
 */
function firstOfEach(names: Iterable<[string, KnownColumn]>): ReadonlyMap<string, KnownColumn> {
  const found = new Map<string, KnownColumn>();
  for (const [name, column] of names) {
    const key = nameKey(name);
    if (!found.has(key)) found.set(key, column);
  }
  return found;
}

/**
 * A form in which `Kunden-Nr.`, `Kundennr` and `Kundennummer` are equal, and so are `Customer No.`, `Customer #` and
 * `customer number`: one spelling of "number", with or without a space before it.
 */
function nameKey(name: string): string {
  return likeness(name.replace(/#|№|[nN][°º]\.?/gu, ' nr '))
    .replace(/\b(?:no|num|nbr|number|numero|nummer)\b/g, 'nr')
    .replace(/nummer\b/g, 'nr')
    .replace(/(?<=\S) nr\b/g, 'nr');
}

/** A header's name without its unit and other additions. */
type BareName = {
  name: string;
  /** The currency after the name, as written: `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether the name says that amounts are in thousands or millions. */
  thousands: boolean;
  /** Whether brackets hold more than a unit: `Limit (old)` may mean something else than `Limit`. */
  said: boolean;
};

/** Words in brackets that change no meaning: a description of the cell's format, or whether it is required. */
const HARMLESS =
  /^(iso|iso[\s-]*(code|3166|4217)([\s-].*)?|code|2[\s-]*(letters?|stellig|lettres)|alpha-?2|required|mandatory|optional|pflicht(feld)?|freiwillig|obligatoire|facultatif|obligatorio|opcional|text|number|zahl|datum|date|yyyy-mm-dd|tt\.mm\.jjjj|dd[./]mm[./]yyyy|url|http.*|netto|brutto|)$/i;

const isUnit = (word: string): boolean => currencyOf(word) !== null || isThousands(word);

function note(inside: string, found: BareName): void {
  const word = inside.trim().replace(/^(in|en)\s+/i, '');
  if (isThousands(word)) found.thousands = true;
  else if (currencyOf(word) !== null) found.currency = word;
  else if (!HARMLESS.test(word)) found.said = true;
}

import { likeness } from '../../likeness.ts';
import { bareName } from './bare-name.ts';
import { COLUMNS, columnsThat, isKnown, KNOWN_COLUMNS, type KnownColumn, ownNameOf } from './known-columns.ts';
import { EVERYDAY } from './names/everyday.ts';
import { GUESSES } from './names/guesses.ts';
import { SYSTEMS } from './names/systems.ts';

/** What a header's name means by our tables of names. */
type NameMeaning = {
  /** The column that it means for certain. */
  known: KnownColumn | null;
  /** The column that it may mean, where that is not certain. */
  guess: KnownColumn | null;
  /** The currency that it names, as written: `EUR` of `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether it says that its amounts are in thousands or millions: then it is never taken, and asked for. */
  thousands: boolean;
};

/**
 * Tells what a header's name means: by the tables in `names/`, whole, without a unit and words like "required" around it
 * (`Kreditlimit (EUR)*`), or with the party before or behind it (`Customer Name`, `Ansprechpartner Vorname`). Words in
 * brackets that may change what is meant make it a guess, and so does a currency behind what is no amount.
 */
export function headerMeaningOf(written: string): NameMeaning {
  // No name of a column is longer, and text that stands where one should be may be a megabyte.
  if (written === '' || written.length > MAX_LENGTH) return NOTHING;
  // Files with our own names in their header need no tables, nor wait for them.
  if (isKnown(written)) return { ...NOTHING, known: written };
  const { certain, possible } = tablesOfNames();
  const whole = certain.get(nameKey(written));
  const bare = bareName(written);
  const { currency, thousands } = bare;
  if (whole && !thousands) return { known: whole, guess: null, currency, thousands };
  const key = nameKey(bare.name);
  const known = certain.get(key) ?? null;
  const likely = known ?? possible.get(nameKey(written)) ?? possible.get(key) ?? null;
  const isUnit = currency !== null || thousands;
  const isCertain = known !== null && !bare.said && !thousands && (!isUnit || known === 'requested_limit');
  if (isCertain) return { known, guess: null, currency, thousands };
  return { known: null, guess: likely, currency, thousands };
}

/** The column that the header's name means for certain. */
export function aliasOf(written: string): KnownColumn | undefined {
  return headerMeaningOf(written).known ?? undefined;
}

/** Whether a header's name, as written, means one of ours. */
export function isKnownName(written: string): boolean {
  return ownNameOf(written) !== null || aliasOf(written) !== undefined;
}

const MAX_LENGTH = 120;
const NOTHING: NameMeaning = { known: null, guess: null, currency: null, thousands: false };

/** All names of one column in the tables: those of people and those of systems. */
export function namesOf(column: KnownColumn): string[] {
  return [...EVERYDAY, ...SYSTEMS].flatMap((names) => names[column] ?? []);
}

/** Who a file's columns are about: it stands before the name, or behind it. */
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

/** What is said of the buyer with the party before it; of a limit it changes nothing either. Of names there are fewer parties. */
const OF_BUYER = columnsThat((facts) => facts.in?.startsWith('company') || facts === COLUMNS.requested_limit).filter(
  (column) => column !== 'name',
);
const OF_CONTACT = columnsThat((facts) => facts.in === 'limit.contact');

function everydayNames(column: KnownColumn): string[] {
  return EVERYDAY.flatMap((names) => names[column] ?? []);
}

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
  for (const column of OF_CONTACT) {
    for (const name of everydayNames(column)) {
      for (const party of CONTACT) {
        yield [`${party} ${name}`, column];
        yield [`${name} ${party}`, column];
      }
    }
  }
}

/** What an account is called may be a bank's, and the name of a bill's address is a person's at times. */
const NO_NAME = new Set(['account', 'billing', 'bill to']);

/** The columns by the keys of their names: for certain, and where one guesses. */
type Tables = { certain: ReadonlyMap<string, KnownColumn>; possible: ReadonlyMap<string, KnownColumn> };

let tables: Tables | undefined;

/** Made when a header has a name that is not ours: thousands of names take some 15 ms, which every command would wait for. */
function tablesOfNames(): Tables {
  tables ??= {
    certain: firstOfEach(certainNames()),
    possible: new Map(Object.entries(GUESSES).map(([name, column]) => [nameKey(name), column])),
  };
  return tables;
}

/** The first table that has a name is right: people's own words go before what is put together here. */
function firstOfEach(names: Iterable<[string, KnownColumn]>): ReadonlyMap<string, KnownColumn> {
  const found = new Map<string, KnownColumn>();
  for (const [name, column] of names) {
    const key = nameKey(name);
    if (!found.has(key)) found.set(key, column);
  }
  return found;
}

/**
 * The likeness in which `Kunden-Nr.`, `Kundennr` and `Kundennummer` are one, and `Customer No.`, `Customer #` and `customer
 * number`: all ways to write "number", with or without a space before it.
 */
function nameKey(name: string): string {
  return likeness(name.replace(/#|№|[nN][°º]\.?/gu, ' nr '))
    .replace(/\b(?:no|num|nbr|number|numero|nummer)\b/g, 'nr')
    .replace(/nummer\b/g, 'nr')
    .replace(/(?<=\S) nr\b/g, 'nr');
}

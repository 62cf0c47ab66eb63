import { likeness } from '../../likeness.ts';

/** The ISO 4217 codes that a name or sign may mean. `EUR`, `€` and `Euro` mean one code; `$` means many. */
export type Currency = ReadonlySet<string>;

/** The currency of a code, sign or name; null if the text is none. */
export function currencyOf(text: string): Currency | null {
  const word = text.trim();
  if (word.length > MAX_LENGTH) return null;
  const known = READ.get(word);
  if (known !== undefined) return known;
  const found = read(word);
  // The cache is bounded, because a malformed file may have thousands of different texts.
  if (READ.size < MAX_READ) READ.set(word, found);
  return found;
}

/** Whether a word in a number format names a currency: also a sign that only the formats of a country's spreadsheets have. */
export function namesCurrency(word: string): boolean {
  return currencyOf(word) !== null || SIGNS_OF_FORMATS.has(word.toLowerCase().replace(/\.$/, ''));
}

/** The codes that both may mean; null if they differ. */
export function common(one: Currency, other: Currency): Currency | null {
  const both = [...one].filter((code) => other.has(code));
  return both.length > 0 ? new Set(both) : null;
}

/** Whether two texts may name one currency, as a sign and a code may. Texts that name no currency are compared without their case. */
export function mayBeSame(one: string, other: string): boolean {
  const [first, second] = [currencyOf(one), currencyOf(other)];
  return (
    one.toUpperCase() === other.toUpperCase() || (first !== null && second !== null && common(first, second) !== null)
  );
}

/**
 * The number of decimals of a currency (ISO 4217, list one), from its code, sign or name. An ambiguous sign gets the
 * largest number; an unknown currency gets two.
 */
export function decimalsOf(currency: string | null | undefined): number {
  const codes = currency ? currencyOf(currency) : null;
  if (!codes) return USUAL_DECIMALS;
  return Math.max(...[...codes].map((code) => DECIMALS.get(code) ?? USUAL_DECIMALS));
}

/** Most characters of a text that is looked up: names of currencies are shorter, such as `United Arab Emirates Dirham`. */
const MAX_LENGTH = 40;
const MAX_READ = 1_000;
const READ = new Map<string, Currency | null>();

/** The ISO 4217 codes of the platform, including withdrawn ones, which old lists still have. */
const CODES = new Set(Intl.supportedValuesOf('currency'));

/** The ISO 4217 codes that a sign may mean: several countries use the same sign. */
const SIGNS = byName({
  '€': 'EUR',
  $: 'USD CAD AUD NZD SGD HKD MXN ARS CLP COP BRL TWD',
  us$: 'USD',
  c$: 'CAD',
  ca$: 'CAD',
  a$: 'AUD',
  au$: 'AUD',
  nz$: 'NZD',
  s$: 'SGD',
  hk$: 'HKD',
  sg$: 'SGD',
  nt$: 'TWD',
  r$: 'BRL',
  mx$: 'MXN',
  '£': 'GBP EGP',
  '¥': 'JPY CNY',
  'cn¥': 'CNY',
  rmb: 'CNY',
  '₹': 'INR',
  '₽': 'RUB',
  '₺': 'TRY',
  '₴': 'UAH',
  '₩': 'KRW',
  '₪': 'ILS',
  '₫': 'VND',
  '₱': 'PHP',
  '฿': 'THB',
  '₦': 'NGN',
  '₵': 'GHS',
  '₡': 'CRC SVC',
  '₲': 'PYG',
  '₸': 'KZT',
  '₾': 'GEL',
  '₼': 'AZN',
  '₮': 'MNT',
  '₭': 'LAK',
  '៛': 'KHR',
  '֏': 'AMD',
  '৳': 'BDT',
  '₨': 'PKR INR LKR NPR MUR SCR',
  zł: 'PLN',
  kč: 'CZK',
  ft: 'HUF',
  lei: 'RON',
  kr: 'SEK NOK DKK ISK',
  'kr.': 'DKK SEK NOK ISK',
  skr: 'SEK',
  nkr: 'NOK',
  dkr: 'DKK',
  fr: 'CHF',
  'fr.': 'CHF',
  sfr: 'CHF',
  'sfr.': 'CHF',
});

/** Signs that number formats have beside amounts, and that mean a currency only there: in a text, `R` may be anything. */
const SIGNS_OF_FORMATS: ReadonlySet<string> = new Set(
  'r rp rm rs s/ tl din km kn лв р руб грн ден дин 円 元 圆 원'.split(' '),
);

/** Names in the form of `likeness`, in English, German, French and Spanish; the euro also in the other alphabets of its countries. */
const NAMES = byName({
  euro: 'EUR',
  euros: 'EUR',
  евро: 'EUR',
  ευρω: 'EUR',
  'us dollar': 'USD',
  'us dollars': 'USD',
  dollar: 'USD CAD AUD NZD SGD HKD',
  'canadian dollar': 'CAD',
  'australian dollar': 'AUD',
  'pound sterling': 'GBP',
  'british pound': 'GBP',
  pound: 'GBP EGP',
  sterling: 'GBP',
  pfund: 'GBP EGP',
  'livre sterling': 'GBP',
  'libra esterlina': 'GBP',
  'swiss franc': 'CHF',
  'schweizer franken': 'CHF',
  franken: 'CHF',
  'franc suisse': 'CHF',
  yen: 'JPY',
  zloty: 'PLN',
  'danish krone': 'DKK',
  'norwegian krone': 'NOK',
  'swedish krona': 'SEK',
  yuan: 'CNY',
});

/** Makes the lookup by name. It is a Map, because a cell may hold `constructor`, which every object has. */
function byName(codes: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(codes));
}

function read(word: string): Currency | null {
  // Full-width letters and signs, as of `ＥＵＲ`, become the usual ones. Some signs, such as `₨`, become others, so they are looked up first.
  const usual = word.normalize('NFKC');
  const code = usual.toUpperCase();
  if (/^[A-Z]{3}$/.test(code) && CODES.has(code)) return new Set([code]);
  const meant = SIGNS.get(word.toLowerCase()) ?? SIGNS.get(usual.toLowerCase()) ?? NAMES.get(likeness(word));
  return meant === undefined ? null : new Set(meant.split(' '));
}

const USUAL_DECIMALS = 2;

/** Currencies with another number of decimals than two. */
const DECIMALS = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([decimals, codes]) => codes.split(' ').map((code): [string, number] => [code, Number(decimals)])),
);

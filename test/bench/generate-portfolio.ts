import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The columns of a generated file, under the names that the product knows them by. */
export const PORTFOLIO_COLUMNS = [
  'name',
  'country_code',
  'city',
  'street',
  'state',
  'website',
  'company_registration_number',
  'requested_limit',
  'contact_first_name',
  'contact_last_name',
  'contact_email',
  'buyer_reference',
] as const;

/**
 * Writes a CSV of buyers for benches and tests: a header and `rows` lines, all of them valid, each another buyer with
 * one request and no documents. The same number of a line leads to the same line in every file. Memory does not grow
 * with the file.
 *
 * @param from the buyer to begin with, counted from 0
 */
export async function generatePortfolio({ path, rows, from = 0 }: PortfolioSize): Promise<void> {
  await pipeline(Readable.from(pieces(from, rows)), createWriteStream(path));
}

type PortfolioSize = { path: string; rows: number; from?: number };

/** One line of the file without its line break; `index` counts buyers from 0. */
export function portfolioLine(index: number): string {
  const scattered = Math.imul(index, SCATTER) & (NAMES_IN_ALL - 1);
  const [country, city, state, street] = pick(PLACES, scattered);
  const [owner, ownerOnline] = pick(SURNAMES, scattered >> 5);
  const [partner, partnerOnline] = pick(SURNAMES, scattered >> 10);
  const series = index < NAMES_IN_ALL ? '' : ` ${1 + Math.floor(index / NAMES_IN_ALL)}`;
  const name = `${owner} & ${partner} ${pick(TRADES, scattered >> 15)} ${city}${series}${LEGAL_FORMS[country]}`;
  const number = 1 + (scattered % 240);
  const domain = `${ownerOnline}-${partnerOnline}.example`;
  return [
    cell(name),
    country,
    city,
    cell(country === 'FR' ? `${number}, ${street}` : `${street} ${number}`),
    state,
    `https://www.${domain}`,
    `${country} ${String(REGISTRATION_BASE + index)}`,
    amount(index),
    pick(FIRST_NAMES, scattered >> 3),
    owner,
    `accounts.${ownerOnline}@${domain}`,
    `B-${index + 1}`,
  ].join(',');
}

/** The number of different names. Each list of name parts has up to 32 entries, a power of two, so five bits choose each part. */
const NAMES_IN_ALL = 2 ** 20;

/** A factor that scatters names, so that neighbours look unlike. It is odd, so it only changes the order of the numbers below 2^20. */
const SCATTER = 0x9e3b5;

/** The first registration number: of eight digits, as registers have them. */
const REGISTRATION_BASE = 10_000_000;

/** Lines joined for one write: some 80 kB. */
const PIECE_LINES = 500;

/** The lowest and the highest requested amount. Small amounts are more frequent; one in twenty is above the service's 750,000. */
const LOWEST = 4_000;
const HIGHEST = 1_000_000;

function* pieces(from: number, rows: number): Generator<string> {
  yield `${PORTFOLIO_COLUMNS.join(',')}\n`;
  for (let written = 0; written < rows; written += PIECE_LINES) {
    const count = Math.min(PIECE_LINES, rows - written);
    yield Array.from({ length: count }, (_, place) => `${portfolioLine(from + written + place)}\n`).join('');
  }
}

/** The requested amount of a buyer. Half of the amounts are round, the others have cents. */
function amount(index: number): string {
  const share = (Math.imul(index, 0x27d4eb2d) >>> 0) / 2 ** 32;
  const value = LOWEST * (HIGHEST / LOWEST) ** share;
  return index % 2 === 0 ? String(Math.ceil(value / 100) * 100) : value.toFixed(2);
}

const pick = <T>(list: readonly T[], bits: number): T => list[bits & (list.length - 1)] as T;

/** RFC 4180: a cell with a comma is put in quotation marks. None of the names has a quotation mark. */
const cell = (text: string): string => (text.includes(',') ? `"${text}"` : text);

/** Where buyers are: country, city, state (empty where addresses have none), and a street without its number. */
const PLACES = [
  ['DE', 'Esslingen', '', 'Hafenstraße'],
  ['DE', 'Bremen', '', 'Überseetor'],
  ['DE', 'Chemnitz', '', 'Am Alten Werk'],
  ['DE', 'Augsburg', '', 'Gärtnerstraße'],
  ['AT', 'Linz', '', 'Voestgasse'],
  ['AT', 'Graz', '', 'Murkai'],
  ['CH', 'Winterthur', '', 'Zürcherstrasse'],
  ['CH', 'Biel', '', 'Seevorstadt'],
  ['FR', 'Marseille', '', 'quai du Port'],
  ['FR', 'Lyon', '', 'rue de la République'],
  ['FR', 'Nantes', '', 'quai de la Fosse'],
  ['IT', 'Torino', '', 'Corso Vittorio'],
  ['IT', 'Bologna', '', 'Via Emilia'],
  ['ES', 'Bilbao', '', 'Gran Vía'],
  ['ES', 'Valencia', '', 'Carrer de Colón'],
  ['PT', 'Porto', '', 'Rua das Flores'],
  ['NL', 'Eindhoven', '', 'Kanaaldijk'],
  ['NL', 'Utrecht', '', 'Oudegracht'],
  ['DK', 'Århus', '', 'Søndergade'],
  ['SE', 'Göteborg', '', 'Järntorget'],
  ['NO', 'Tromsø', '', 'Strandgata'],
  ['PL', 'Łódź', '', 'ul. Piotrkowska'],
  ['PL', 'Gdańsk', '', 'ul. Długa'],
  ['CZ', 'Plzeň', '', 'Americká'],
  ['GB', 'Leeds', '', 'Wellington Street'],
  ['GB', 'Cardiff', '', 'Bute Street'],
  ['US', 'Portland', 'OR', 'NW Front Ave'],
  ['US', 'Austin', 'TX', 'Congress Ave'],
  ['US', 'Savannah', 'GA', 'Bay Street'],
  ['CA', 'Halifax', 'NS', 'Lower Water Street'],
  ['AU', 'Mildura', 'VIC', 'River Terrace'],
  ['NZ', 'Nelson', '', 'Wakefield Quay'],
] as const;

/** How companies of a country end their names; the comma of "…, Inc." is why cells are quoted. */
const LEGAL_FORMS: Record<(typeof PLACES)[number][0], string> = {
  DE: ' GmbH',
  AT: ' GmbH & Co. KG',
  CH: ' AG',
  FR: ' SAS',
  IT: ' S.r.l.',
  ES: ', S.L.',
  PT: ', Lda.',
  NL: ' B.V.',
  DK: ' ApS',
  SE: ' AB',
  NO: ' AS',
  PL: ' Sp. z o.o.',
  CZ: ' s.r.o.',
  GB: ' Ltd',
  US: ', Inc.',
  CA: ' Ltd.',
  AU: ' Pty Ltd',
  NZ: ' Limited',
};

/** Surnames, as written and in the form of web addresses. */
const SURNAMES = [
  ['Müller', 'mueller'],
  ['Søndergaard', 'soendergaard'],
  ['Núñez', 'nunez'],
  ['Ångström', 'angstroem'],
  ['Dvořák', 'dvorak'],
  ['Lefèvre', 'lefevre'],
  ['Keller', 'keller'],
  ['Novak', 'novak'],
  ['Garnier', 'garnier'],
  ['Whitfield', 'whitfield'],
  ['Holm', 'holm'],
  ['Costa', 'costa'],
  ['Tanaka', 'tanaka'],
  ['Hartnett', 'hartnett'],
  ['Solberg', 'solberg'],
  ['Brandt', 'brandt'],
  ['Visser', 'visser'],
  ['Rossi', 'rossi'],
  ['Moreau', 'moreau'],
  ['Lindqvist', 'lindqvist'],
  ['Okafor', 'okafor'],
  ['Pereira', 'pereira'],
  ['Walsh', 'walsh'],
  ['Bianchi', 'bianchi'],
  ['Fischer', 'fischer'],
  ['Meyer', 'meyer'],
  ['Janssen', 'janssen'],
  ['Kowalski', 'kowalski'],
  ['Murray', 'murray'],
  ['Hughes', 'hughes'],
  ['Petrov', 'petrov'],
  ['Larsen', 'larsen'],
] as const;

const FIRST_NAMES = ['Anna', 'Jürgen', 'Hélène', 'Dana', 'Paweł', 'Øyvind', 'Liam', 'Mei'] as const;

const TRADES = (
  'Maschinenbau Tools Textiles Foods Timber Ceramics Logistics Packaging Optics Marine Chemicals Paper Steel Electronics Bicycles Vineyards ' +
  'Furniture Glass Medical Seeds Fisheries Printing Plastics Bearings Lighting Instruments Coatings Leather Dairy Turbines Pumps Cables'
).split(' ');

/** Where buyers are: country, city, state (empty where addresses have none), and a street without its number. */
export const PLACES = [
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
export const LEGAL_FORMS: Record<(typeof PLACES)[number][0], string> = {
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

/** Surnames, as they are written and as they stand in an address on the web. */
export const SURNAMES = [
  ...[['Müller', 'mueller'] as const, ['Søndergaard', 'soendergaard'] as const, ['Núñez', 'nunez'] as const],
  ...[['Ångström', 'angstroem'] as const, ['Dvořák', 'dvorak'] as const, ['Lefèvre', 'lefevre'] as const],
  ...plain('Keller Novak Garnier Whitfield Holm Costa Tanaka Hartnett Solberg Brandt Visser Rossi Moreau'),
  ...plain('Lindqvist Okafor Pereira Walsh Bianchi Fischer Meyer Janssen Kowalski Murray'),
  ...plain('Hughes Petrov Larsen'),
] as const;

export const FIRST_NAMES = ['Anna', 'Jürgen', 'Hélène', 'Dana', 'Paweł', 'Øyvind', 'Liam', 'Mei'] as const;

export const TRADES = [
  ...['Maschinenbau', 'Tools', 'Textiles', 'Foods', 'Timber', 'Ceramics', 'Logistics', 'Packaging'],
  ...['Optics', 'Marine', 'Chemicals', 'Paper', 'Steel', 'Electronics', 'Bicycles', 'Vineyards'],
  ...['Furniture', 'Glass', 'Medical', 'Seeds', 'Fisheries', 'Printing', 'Plastics', 'Bearings'],
  ...['Lighting', 'Instruments', 'Coatings', 'Leather', 'Dairy', 'Turbines', 'Pumps', 'Cables'],
] as const;

function plain(names: string): (readonly [string, string])[] {
  return names.split(' ').map((name) => [name, name.toLowerCase()] as const);
}

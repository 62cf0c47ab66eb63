import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { read } from '../../support/workbooks.ts';

/** Names as in lists of one country. */
const NAMES = {
  German: 'Müller,Köln,Bäcker GmbH,Straße,Österreich,Größe,Jürgen Weiß,Schröder,Böhm & Söhne,MÜLLER STAHL,Übersee AG',
  French: 'Société Générale,Crèche,Hôtel,Première,Père Noël,Évian,François,Lumière,Naïve,Forêt,Bâtiment,Fenêtre,Août',
  Spanish: 'Muñoz,España,Núñez,Málaga,Construcción,García Hnos,Peña,Logroño,Compañía',
  Portuguese: 'João,São Paulo,Construções,Guimarães,Açúcar,Conceição,Três',
  Italian: 'Niccolò,Forlì,Città,Società,Caffè,Più,Noè Srl,Perché',
  Danish: 'Sørensen,Århus,Kjær,Ærø,Bækgaard,Møller,Søe,Østergaard,Nygård,Bøe',
  Swedish: 'Björk,Åström,Sjögren,Malmö,Göteborg,Håkansson,Länsförsäkringar',
  Dutch: 'Reünie,België,Coöperatie,Geïnteresseerd',
  Czech: 'Dvořák,Novotný,Kučera,Řezníček,Přibyl,Růžička,Němec,Šťastný,Zdeněk,Plzeň,Tomáš,Kovář,Čapek',
  Slovak: 'Kováč,Ďurica,Žilina,Košice,Súčasť',
  Polish: 'Łódź,Wałbrzych,Święty,Dębski,Poznań,Kość,Zakład,Spółka,Gdańsk,Żabka,Wójcik,Jabłoński',
  Hungarian: 'Szűcs,Kőszegi,Győr,Fűtő,Tímea Bácsi,Erdős,Ügyvéd',
  Croatian: 'Petrović,Čović,Đorđević,Šimić,Žarko',
  Romanian: 'Băsescu,Brăila,Călin,Ştefan,Ţiriac,Timişoara',
  Turkish: 'Yıldız,Şirket,Işık,Çağlar,Doğan,İstanbul',
};
type Language = keyof typeof NAMES;

const WEST: Language[] = ['German', 'French', 'Spanish', 'Portuguese', 'Italian', 'Danish', 'Swedish', 'Dutch'];
const CENTRAL: Language[] = ['Czech', 'Slovak', 'Polish', 'Hungarian'];

/** The names read from a list in this encoding, or "asked" if the encoding must be given. */
async function readNames(names: readonly string[], encoding: string): Promise<string[] | 'asked'> {
  const lines = ['name,requested_limit', ...names.map((name, n) => `${name},${n + 1}`), ''];
  const { problems, lines: found } = await read(iconv.encode(lines.join('\r\n'), encoding));
  if (problems.length > 0) {
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining('--encoding') })]);
    return 'asked';
  }
  return found.map((line) => (line.kind === 'row' ? line.row.name : line.kind));
}

describe('the encoding of a list', () => {
  // Promise: encoding-by-its-letters
  test.each<[string, Language[]]>([
    ['windows-1252', WEST],
    ['windows-1250', [...CENTRAL, 'German', 'Croatian', 'Romanian']],
    ['iso-8859-2', ['Czech', 'Polish']],
    ['macintosh', WEST],
    ['cp850', WEST.filter((language) => language !== 'Dutch')],
    ['cp437', ['German', 'Spanish', 'Swedish']],
    ['cp852', ['German', ...CENTRAL]],
  ])('%s is recognised by its letters', async (encoding, languages) => {
    for (const language of languages) {
      const names = NAMES[language].split(',');
      expect([language, await readNames(names, encoding)]).toEqual([language, names]);
    }
  });

  // Promise: uncertain-encoding-asked
  test.each([
    ['windows-1254', NAMES.Turkish],
    ['windows-1251', 'Газпром,Москва'],
    ['windows-1253', 'Αθήνα,Ελλάς'],
    ['cp850', 'Kl\u00e8re'],
    ['windows-1250', 'Szűcs'],
  ])('must be given if the letters do not show it: %s', async (encoding, names) => {
    expect(await readNames(names.split(','), encoding)).toBe('asked');
  });

  // A single letter is little evidence: the encoding may be asked for, but no name may come out wrong.
  // Promise: uncertain-encoding-asked
  test.each(['windows-1252', 'windows-1250', 'macintosh', 'cp850', 'cp852'])(
    'is never mistaken for another because of a single name in %s',
    async (encoding) => {
      const names = Object.values(NAMES).flatMap((list) => list.split(','));
      const written = names.filter((name) => iconv.decode(iconv.encode(name, encoding), encoding) === name);
      const found = await Promise.all(written.map((name) => readNames([name], encoding)));
      const wrong = found.flatMap((read, place) =>
        read === 'asked' || read[0] === written[place] ? [] : [written[place], read],
      );
      expect(wrong).toEqual([]);
    },
  );

  // Promise: uncertain-encoding-asked
  test.each<[string, string]>([
    ['windows-1252', 'Ó Briain,Ó Briain,Ó Briain'],
    ['windows-1252', 'È Bio srl,È Bio srl,Perù,Così'],
    ['windows-1252', 'Võru,Põlva,Tõrva,Jõhvi,Pärnu,Õlu'],
    ['windows-1252', 'Công ty,Hòa Bình,Hà Noi,Hòa Bình'],
    ['windows-1252', 'Þór,Reykjavík,Garðabær,Ísafjörður,Húsavík,Sauðárkrókur,Hafnarfjörður'],
    ['windows-1252', 'Leões,Padrões,Irmãos,Fundição,Câmara'],
    ['windows-1254', 'Çağlar,Doğan,Ağaoğlu,Beşiktaş,Şişli,Muğla'],
    ['windows-1257', 'Maizes ceptuve Lāči,Rēzekne,Lāči,Jūrmala'],
    ['windows-1251', 'ООО Romashka,ОАО Beta,ИП Ivanov'],
    ['windows-1251', 'ИП Ivanov,ИП Petrov'],
    ['windows-1250', 'GYŐR,GYŐR'],
  ])('is never mistaken for another because of few letters in %s: %s', async (encoding, names) => {
    const found = await readNames(names.split(','), encoding);
    if (found !== 'asked') expect(found).toEqual(names.split(','));
  });

  test('is Windows-1252 if a single capital is a word', async () => {
    for (const names of [['Ó Briain'], ['È Bio srl'], ['À la carte', 'Ó Briain', 'Dún Laoghaire', 'Éire']])
      expect(await readNames(names, 'windows-1252')).toEqual(names);
  });

  test('is found for a single name in Western European Windows-1252', async () => {
    for (const name of [
      'Müller',
      'Österreich',
      'Straße',
      'Société',
      'François',
      'Sørensen',
      'Muñoz',
      'João',
      'Malmö',
      '€ 5 – L’Oréal',
    ])
      expect(await readNames([name], 'windows-1252')).toEqual([name]);
  });
});

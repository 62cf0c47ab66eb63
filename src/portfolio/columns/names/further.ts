import type { KnownColumn } from '../known-columns.ts';

type Names = Partial<Record<KnownColumn, readonly string[]>>;

/**
 * The names of a wanted limit. All names of a limit that a language has need them: beside a name that is unknown, the limit of today would be
 * requested without a question.
 */
function wanted(words: readonly string[], limits: readonly string[]): string[] {
  return words.flatMap((word) => limits.flatMap((limit) => [`${word} ${limit}`, `${limit} ${word}`]));
}

/** The Swiss limit is a `Limite`. */
const SWISS_GERMAN: Names = {
  requested_limit: wanted(
    ['neue', 'neu', 'beantragte', 'beantragt', 'gewünschte', 'gewünscht', 'benötigte', 'angefragte'],
    ['Limite', 'Kreditlimite'],
  ),
};

const ITALIAN: Names = {
  name: ['Ragione sociale', 'Denominazione sociale', 'Denominazione', 'Azienda', 'Società'],
  country_code: ['Paese', 'Nazione', 'Codice paese', 'Codice nazione'],
  city: ['Città', 'Comune', 'Località'],
  street: ['Indirizzo'],
  company_registration_number: ['Numero REA', 'REA'],
  requested_limit: [
    ...['Fido', 'Limite di fido', 'Limite di credito'],
    ...wanted(
      ['nuovo', 'richiesto', 'proposto', 'da richiedere'],
      ['fido', 'limite', 'limite di fido', 'limite di credito'],
    ),
  ],
  contact_last_name: ['Cognome'],
  supporting_documents: ['Documenti', 'Allegati'],
  buyer_reference: ['Codice cliente', 'Numero cliente'],
  currency: ['Codice valuta'],
};

const PORTUGUESE: Names = {
  name: ['Razão social', 'Nome da empresa'],
  city: ['Cidade'],
  street: ['Endereço', 'Morada'],
  company_registration_number: ['CNPJ', 'NIPC'],
  requested_limit: wanted(['novo', 'solicitado', 'pretendido', 'proposto'], ['limite', 'limite de crédito']),
  buyer_reference: ['Código do cliente', 'Número do cliente'],
  currency: ['Moeda'],
};

const DUTCH: Names = {
  name: ['Onderneming', 'Afnemer', 'Klantnaam', 'Naam debiteur'],
  city: ['Woonplaats', 'Vestigingsplaats'],
  street: ['Adres', 'Straat'],
  requested_limit: [
    'Limiet',
    ...wanted(
      ['nieuwe', 'nieuw', 'gewenste', 'gewenst', 'gevraagde', 'gevraagd', 'aangevraagde', 'aangevraagd'],
      ['limiet', 'kredietlimiet'],
    ),
  ],
  contact_first_name: ['Voornaam'],
  contact_last_name: ['Achternaam'],
  buyer_reference: ['Klantnummer'],
};

const NORDIC: Names = {
  name: ['Namn', 'Företagsnamn', 'Företag', 'Kundnamn', 'Navn', 'Firmanavn', 'Virksomhedsnavn'],
  city: ['Postort', 'Poststed'],
  street: ['Adress', 'Gatuadress', 'Gateadresse'],
  company_registration_number: ['Organisationsnummer', 'Organisasjonsnummer', 'CVR', 'CVR-nummer', 'Y-tunnus'],
  requested_limit: [
    ...['Kreditgräns', 'Kreditgrænse', 'Kredittgrense', 'Kredittlimit', 'Kreditmaksimum', 'Luottoraja'],
    ...wanted(
      ['ny', 'nytt', 'nyt', 'önskad', 'sökt', 'begärd', 'ønsket', 'ansøgt', 'søkt'],
      ['limit', 'kreditlimit', 'kreditgräns', 'kreditgrænse', 'kredittgrense', 'kredittlimit', 'kreditmaksimum'],
    ),
    ...wanted(['uusi', 'haettava', 'toivottu'], ['luottoraja']),
  ],
  buyer_reference: ['Kundnummer', 'Kundenr'],
};

const POLISH: Names = {
  name: ['Nazwa', 'Nazwa firmy', 'Nazwa kontrahenta', 'Nazwa klienta', 'Nazwa odbiorcy', 'Kontrahent'],
  country_code: ['Kod kraju'],
  city: ['Miasto', 'Miejscowość'],
  street: ['Ulica'],
  company_registration_number: ['KRS', 'Numer KRS', 'REGON'],
  requested_limit: [
    ...['Limit kredytowy', 'Limit kupiecki'],
    ...wanted(['nowy', 'wnioskowany', 'żądany'], ['limit', 'limit kredytowy', 'limit kupiecki']),
  ],
  contact_first_name: ['Imię'],
  contact_last_name: ['Nazwisko'],
  buyer_reference: ['Kod kontrahenta', 'Kod klienta', 'Numer klienta'],
  currency: ['Waluta'],
};

const CZECH_AND_SLOVAK: Names = {
  name: ['Název', 'Název firmy', 'Názov', 'Názov firmy', 'Obchodní jméno', 'Obchodné meno'],
  country_code: ['Země', 'Krajina', 'Kód země'],
  city: ['Město', 'Mesto', 'Obec'],
  street: ['Ulice'],
  company_registration_number: ['IČO'],
  requested_limit: [
    ...['Kreditní limit', 'Úvěrový limit', 'Úverový limit', 'Kreditný limit'],
    ...wanted(
      ['nový', 'požadovaný', 'navrhovaný', 'žádaný', 'žiadaný'],
      ['limit', 'kreditní limit', 'úvěrový limit', 'úverový limit', 'kreditný limit'],
    ),
  ],
  currency: ['Měna'],
};

const HUNGARIAN: Names = {
  name: ['Cégnév', 'Vevő neve', 'Partner neve'],
  country_code: ['Ország', 'Országkód'],
  city: ['Város'],
  street: ['Utca'],
  company_registration_number: ['Cégjegyzékszám'],
  requested_limit: [
    ...['Hitelkeret', 'Hitellimit'],
    ...wanted(['új', 'igényelt', 'kért'], ['limit', 'hitelkeret', 'hitellimit']),
  ],
  buyer_reference: ['Vevőkód', 'Partnerkód'],
  currency: ['Pénznem', 'Devizanem'],
};

const TURKISH: Names = {
  name: ['Cari unvanı', 'Cari ünvanı', 'Firma unvanı', 'Firma ünvanı'],
  country_code: ['Ülke', 'Ülke kodu'],
  city: ['Şehir'],
  requested_limit: ['Kredi limiti', ...wanted(['yeni', 'talep edilen', 'istenen'], ['limit', 'kredi limiti'])],
  buyer_reference: ['Cari kodu', 'Müşteri kodu', 'Müşteri numarası'],
  currency: ['Döviz', 'Döviz cinsi', 'Para birimi'],
};

/** The clearest names in languages of which no finance team was asked. The rule of `everyday.ts` holds: one possible meaning, in any language. */
export const FURTHER: readonly Names[] = [
  SWISS_GERMAN,
  ITALIAN,
  PORTUGUESE,
  DUTCH,
  NORDIC,
  POLISH,
  CZECH_AND_SLOVAK,
  HUNGARIAN,
  TURKISH,
];

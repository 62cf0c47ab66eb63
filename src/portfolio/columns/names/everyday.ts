import type { KnownColumn } from '../known-columns.ts';

type Names = Partial<Record<KnownColumn, readonly string[]>>;

const ENGLISH: Names = {
  name: ['company', 'company name', 'buyer', 'buyer name', 'legal name', 'debtor', 'debtor name', 'business name'],
  country_code: ['country', 'country iso', 'iso country', 'iso country code'],
  city: ['town'],
  street: ['street address', 'address line 1', 'address'],
  state: ['province', 'county'],
  website: ['web site', 'homepage', 'url', 'web'],
  business_information_source: ['information source', 'credit agency'],
  business_information_id: ['information id', 'credit agency id'],
  company_registration_number: [
    'registration number',
    'registration no',
    'company number',
    'company registration no',
    'register number',
    'company registration',
    'companies house number',
    'crn',
  ],
  requested_limit: [
    'limit',
    'credit limit',
    'requested credit limit',
    'limit amount',
    'requested amount',
    'limit requested',
    'credit limit requested',
    'credit line',
  ],
  contact_first_name: ['first name', 'given name'],
  contact_last_name: ['last name', 'surname', 'family name'],
  contact_email: ['email', 'e-mail', 'email address', 'contact mail', 'mail'],
  supporting_documents: ['documents', 'document', 'files', 'attachments', 'supporting documents', 'supporting files'],
  document_purpose: ['purpose of documents'],
  statements_dated: ['statement date', 'date of statements', 'balance sheet date', 'accounts date'],
  buyer_reference: [
    'buyer id',
    'buyer number',
    'customer number',
    'customer no',
    'customer id',
    'debtor number',
    'debtor id',
  ],
  request_reference: ['request id', 'request number'],
  currency: ['currency code', 'currency iso', 'iso currency', 'ccy', 'curr'],
};

const GERMAN: Names = {
  name: ['Firma', 'Firmenname', 'Unternehmen', 'Unternehmensname', 'Käufer', 'Abnehmer', 'Debitor', 'Kundenname'],
  country_code: ['Land', 'Länderkennzeichen', 'Ländercode', 'Landeskennzeichen', 'Länderschlüssel'],
  city: ['Ort', 'Stadt'],
  street: ['Straße', 'Anschrift', 'Straße und Hausnummer', 'Straße Hausnummer'],
  state: ['Bundesland', 'Bundesstaat', 'Kanton'],
  website: ['Webseite', 'Internetseite'],
  business_information_source: ['Auskunftei'],
  business_information_id: ['Auskunftei-Nummer', 'Crefonummer'],
  company_registration_number: [
    'Handelsregisternummer',
    'HRB-Nummer',
    'Registernummer',
    'Firmenbuchnummer',
    'HRB',
    'HRA',
    'HR-Nummer',
    'HRB/HRA',
  ],
  requested_limit: [
    'Kreditlinie',
    'Kreditrahmen',
    'Limit beantragt',
    'Kreditlimit',
    'beantragtes Limit',
    'Wunschlimit',
    'Limitbetrag',
    'Limithöhe',
  ],
  contact_first_name: ['Vorname'],
  contact_last_name: ['Nachname', 'Familienname'],
  contact_email: ['E-Mail-Adresse', 'Mailadresse'],
  supporting_documents: ['Dokumente', 'Unterlagen', 'Anlagen', 'Belege', 'Nachweise'],
  statements_dated: ['Bilanzstichtag', 'Bilanzdatum', 'Stichtag'],
  buyer_reference: ['Kundennummer', 'Kunden-Nr', 'Debitorennummer', 'Debitor-Nr'],
  request_reference: ['Antragsnummer', 'Vorgangsnummer'],
  same_buyer: ['gleicher Käufer', 'derselbe Käufer'],
  currency: ['Währung', 'Währungscode', 'Währungskürzel', 'Währungsschlüssel', 'Währungskennzeichen', 'Whg', 'WKZ'],
};

const FRENCH: Names = {
  name: ['société', 'entreprise', 'raison sociale', 'nom de la société', 'acheteur', 'débiteur', 'nom du client'],
  country_code: ['pays', 'code pays'],
  city: ['ville', 'localité'],
  street: ['rue', 'adresse postale'],
  state: ['département'],
  website: ['site web', 'site internet'],
  business_information_source: ['source d’information'],
  company_registration_number: ['siren', 'numéro siren', 'numéro rcs', 'numéro d’immatriculation'],
  requested_limit: [
    'limite',
    'limite demandée',
    'limite de crédit',
    'plafond demandé',
    'encours demandé',
    'montant demandé',
  ],
  contact_first_name: ['prénom'],
  contact_last_name: ['nom de famille'],
  contact_email: ['courriel', 'adresse e-mail', 'adresse électronique'],
  supporting_documents: ['pièces jointes', 'justificatifs'],
  statements_dated: ['date du bilan', 'date de clôture'],
  buyer_reference: ['numéro client', 'code client', 'référence client'],
  request_reference: ['numéro de demande'],
  same_buyer: ['même acheteur'],
  currency: ['devise', 'code devise'],
};

const SPANISH: Names = {
  name: ['empresa', 'razón social', 'nombre de la empresa', 'comprador', 'deudor', 'nombre del cliente'],
  country_code: ['país', 'código de país', 'código país'],
  city: ['ciudad', 'localidad', 'población'],
  street: ['calle', 'dirección', 'domicilio'],
  state: ['provincia', 'comunidad autónoma'],
  website: ['sitio web', 'página web'],
  business_information_source: ['fuente de información'],
  company_registration_number: ['número de registro', 'registro mercantil'],
  requested_limit: ['límite solicitado', 'límite de crédito', 'importe solicitado'],
  contact_first_name: ['nombre de pila'],
  contact_last_name: ['apellido', 'apellidos'],
  contact_email: ['correo', 'correo electrónico'],
  supporting_documents: ['documentos', 'adjuntos'],
  statements_dated: ['fecha del balance', 'fecha de cierre'],
  buyer_reference: ['número de cliente', 'código de cliente'],
  request_reference: ['número de solicitud'],
  same_buyer: ['mismo comprador'],
  currency: ['moneda', 'divisa', 'código de moneda', 'código de divisa'],
};

/**
 * What finance teams call the columns, in four languages. To support another name, add it here. Case, accents, spaces,
 * hyphens, dots, underscores, spellings of "number", a unit after the name and a party before it (`Customer Name`) need
 * no entry of their own; see `aliases.ts`. Each name may occur once in all tables.
 *
 * Only names with one possible meaning belong here; others belong in `guesses.ts`.
 */
export const EVERYDAY: readonly Names[] = [ENGLISH, GERMAN, FRENCH, SPANISH];

import type { KnownColumn } from '../known-columns.ts';

/**
 * What finance teams call our columns, in English, German, French and Spanish. To teach another name, add it here: case,
 * accents, spaces, hyphens, dots and underscores make no difference, nor do the ways to write "number", a unit behind the
 * name, or the party before it (`Customer Name`); see `aliases.ts`. A name may stand once in all tables.
 *
 * Only names that can mean one thing belong here; what can mean two stands in `guesses.ts`.
 */
export const EVERYDAY: Record<KnownColumn, readonly string[]> = {
  name: [
    ...['company', 'company name', 'buyer', 'buyer name', 'legal name', 'debtor', 'debtor name', 'business name'],
    ...['Firma', 'Firmenname', 'Unternehmen', 'Unternehmensname', 'Käufer', 'Abnehmer', 'Debitor', 'Kundenname'],
    ...['société', 'entreprise', 'raison sociale', 'nom de la société', 'acheteur', 'débiteur', 'nom du client'],
    ...['empresa', 'razón social', 'nombre de la empresa', 'comprador', 'deudor', 'nombre del cliente'],
  ],
  country_code: [
    ...['country', 'country iso', 'iso country', 'iso country code'],
    ...['Land', 'Länderkennzeichen', 'Ländercode', 'Landeskennzeichen', 'Länderschlüssel'],
    ...['pays', 'code pays', 'país', 'código de país', 'código país'],
  ],
  city: ['town', 'Ort', 'Stadt', 'ville', 'localité', 'ciudad', 'localidad', 'población'],
  street: [
    ...['street address', 'address line 1', 'address'],
    ...['Straße', 'Anschrift', 'Straße und Hausnummer', 'Straße Hausnummer'],
    ...['rue', 'adresse postale', 'calle', 'dirección', 'domicilio'],
  ],
  state: [
    'province',
    'county',
    'Bundesland',
    'Bundesstaat',
    'Kanton',
    'département',
    'provincia',
    'comunidad autónoma',
  ],
  website: [
    'web site',
    'homepage',
    'url',
    'web',
    'Webseite',
    'Internetseite',
    'site web',
    'site internet',
    'sitio web',
    'página web',
  ],
  business_information_source: [
    'information source',
    'credit agency',
    'Auskunftei',
    'source d’information',
    'fuente de información',
  ],
  business_information_id: ['information id', 'credit agency id', 'Auskunftei-Nummer', 'Crefonummer'],
  company_registration_number: [
    ...['registration number', 'registration no', 'company number', 'company registration no', 'register number'],
    ...['Handelsregisternummer', 'HRB-Nummer', 'Registernummer', 'Firmenbuchnummer'],
    ...['company registration', 'companies house number', 'crn', 'HRB', 'HRA', 'HR-Nummer', 'HRB/HRA'],
    ...['siren', 'numéro siren', 'numéro rcs', 'numéro d’immatriculation', 'número de registro', 'registro mercantil'],
  ],
  requested_limit: [
    ...['limit', 'credit limit', 'requested credit limit', 'limit amount', 'requested amount'],
    ...['limit requested', 'credit limit requested', 'credit line', 'Kreditlinie', 'Kreditrahmen'],
    ...['Limit beantragt', 'Kreditlimit', 'beantragtes Limit', 'Wunschlimit', 'Limitbetrag', 'Limithöhe'],
    ...['limite', 'limite demandée', 'limite de crédit', 'plafond demandé', 'encours demandé', 'montant demandé'],
    ...['límite solicitado', 'límite de crédito', 'importe solicitado'],
  ],
  contact_first_name: ['first name', 'given name', 'Vorname', 'prénom', 'nombre de pila'],
  contact_last_name: [
    'last name',
    'surname',
    'family name',
    'Nachname',
    'Familienname',
    'nom de famille',
    'apellido',
    'apellidos',
  ],
  contact_email: [
    ...['email', 'e-mail', 'email address', 'contact mail', 'mail'],
    ...['E-Mail-Adresse', 'Mailadresse', 'courriel', 'adresse e-mail', 'adresse électronique'],
    ...['correo', 'correo electrónico'],
  ],
  supporting_documents: [
    ...['documents', 'document', 'files', 'attachments', 'Dokumente', 'Unterlagen', 'Anlagen'],
    ...['Belege', 'Nachweise', 'supporting documents', 'supporting files'],
    ...['pièces jointes', 'justificatifs', 'documentos', 'adjuntos'],
  ],
  statements_dated: [
    ...['statement date', 'date of statements', 'balance sheet date', 'accounts date'],
    ...[
      'Bilanzstichtag',
      'Bilanzdatum',
      'Stichtag',
      'date du bilan',
      'date de clôture',
      'fecha del balance',
      'fecha de cierre',
    ],
  ],
  buyer_reference: [
    ...['buyer id', 'buyer number', 'customer number', 'customer no', 'customer id', 'debtor number', 'debtor id'],
    ...['Kundennummer', 'Kunden-Nr', 'Debitorennummer', 'Debitor-Nr'],
    ...['numéro client', 'code client', 'référence client', 'número de cliente', 'código de cliente'],
  ],
  request_reference: [
    'request id',
    'request number',
    'Antragsnummer',
    'Vorgangsnummer',
    'numéro de demande',
    'número de solicitud',
  ],
  company_id: [],
  same_buyer: ['gleicher Käufer', 'derselbe Käufer', 'même acheteur', 'mismo comprador'],
  currency: [
    ...['currency code', 'currency iso', 'iso currency', 'ccy', 'curr', 'Währung', 'Währungscode', 'Währungskürzel'],
    ...['Währungsschlüssel', 'Währungskennzeichen', 'Whg', 'WKZ', 'devise', 'code devise', 'moneda', 'divisa'],
    ...['código de moneda', 'código de divisa'],
  ],
};

import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type CallKind, KINDS } from '../call-kind.ts';
import type { CompanyResource, LimitResource } from '../service/schemas.ts';
import { companyBodySchema, documentBodySchema, limitBodySchema } from '../service/schemas.ts';
import { HOUR_MS } from '../time-units.ts';
import type { ReceivedDocument } from './document-body.ts';
import type { MadeRecord } from './record.ts';

export type ResourceEndpoints = ReturnType<typeof makeResourceEndpoints>;

/**
 * The three resource endpoints. They check a body by all that docs/service.md says, and return the resource as shown
 * there. Fields that were not sent are missing in the answer; undocumented ones are ignored.
 *
 * Each made object is recorded before its answer is sent, identified by its content: a company by name and country, a
 * document by file name and digest, a limit by the buyer's identity in the request and the amount.
 */
export function makeResourceEndpoints({ ids, record }: { ids: Ids; record: MadeRecord }) {
  const make = (kind: CallKind, what: string, sent: unknown, resource: { id: string }) => {
    record.made(kind, { id: resource.id, what, body: sent });
    return { status: MADE_STATUS, body: resource };
  };
  return {
    company(json: unknown): Checked {
      const { data, error } = companyRequestSchema.safeParse(json);
      if (error) return refuseFields(error);
      const what = `${data.name} / ${data.address?.country_code ?? 'no country'}`;
      return { make: () => make('company', what, json, companyResource(ids.make('company'), data)) };
    },

    limit(json: unknown): Checked {
      const { data, error } = limitRequestSchema.safeParse(json);
      if (error) return refuseFields(error);
      if (!ids.knows('company', data.company)) return refuse('company', `${data.company} is not known`);
      const stranger = data.supporting_documents?.find((id) => !ids.knows('document', id));
      if (stranger !== undefined) return refuse('supporting_documents', `${stranger} is not known`);
      const what = `${buyerOf(data)} / ${data.requested_limit}`;
      return { make: () => make('limit', what, json, limitResource(ids.make('limit'), data)) };
    },

    /**
     * An invented session, since the service does not show how one is made: any JSON object with the id of a known buyer company makes a link
     * that ends in an hour.
     */
    session(json: unknown): Checked {
      const { data, error } = sessionRequestSchema.safeParse(json);
      if (error) return refuseFields(error);
      if (!ids.knows('company', data.buyer_company))
        return refuse('buyer_company', `${data.buyer_company} is not known`);
      const make = () => {
        record.madeSession(json);
        const link = `https://hosted.example/s/${randomBytes(RANDOM_BYTES).toString('hex')}`;
        const ends = new Date(Date.now() + HOUR_MS).toISOString();
        return { status: MADE_STATUS, body: { object: 'hosted_session', url: link, expires_at: ends } };
      };
      return { make };
    },

    /** Checks a document and makes it. @param received the body from `document-body.ts`; `undefined` if it was not JSON, or too long */
    document(received: ReceivedDocument | undefined): Checked {
      if (!received) return refuse('the body', 'is not JSON, or is too long apart from the content of the file');
      const { json, content } = received;
      const { data, error } = documentBodySchema.safeParse(json);
      if (error) return refuseFields(error);
      if (!content.valid) return refuse('file', 'its content is not base64');
      const [, mediaType, fileName] = DATA_URI_HEAD.exec(data.file) ?? [];
      if (!mediaType || !fileName) return refuse('file', 'nothing may follow its content');
      const { sizeBytes, sha256 } = content;
      const sent = { ...data, sizeBytes, sha256 };
      // The resource's fields are not documented: all but the id are the stand-in's own choice.
      const resource = () => ({
        id: ids.make('document'),
        object: 'document',
        purpose: data.purpose,
        file_name: fileName,
        media_type: mediaType,
        size_bytes: sizeBytes,
        created: new Date().toISOString(),
      });
      return { make: () => make('document', `${fileName} / ${sha256}`, sent, resource()) };
    },
  };
}

/** Where the stand-in makes hosted sessions: its own choice (examples/session.json). */
export const STAND_IN_SESSION_PATH = '/invoice-financing/v1/hosted-sessions';

/** The prefix of a kind's ids. That of documents is not documented; `doc_` is the stand-in's own choice. */
const prefixOf = (kind: CallKind): string => KINDS[kind].prefix || 'doc_';

/** Random bytes of an id: 80 bits, so that ids are unique, even among independent stand-ins. */
const RANDOM_BYTES = 10;

/** Hex digits of an id's checksum: 48 bits, so that a mistyped or invented id is never accepted by chance. */
const CHECKSUM_HEX = 12;

/**
 * Ids that can be verified without storage: random hex, then a checksum keyed with `secret`. All stand-ins with the
 * same secret accept each other's ids, also those made before a restart.
 */
export function makeIds({ secret }: { secret: string }) {
  const checksum = (text: string) => createHmac('sha256', secret).update(text).digest('hex').slice(0, CHECKSUM_HEX);
  return {
    make(kind: CallKind): string {
      const body = prefixOf(kind) + randomBytes(RANDOM_BYTES).toString('hex');
      return body + checksum(body);
    },
    knows(kind: CallKind, id: string): boolean {
      const body = id.slice(0, -CHECKSUM_HEX);
      return body.startsWith(prefixOf(kind)) && id.slice(-CHECKSUM_HEX) === checksum(body);
    },
  };
}

type Ids = ReturnType<typeof makeIds>;

/** The status of success, which is not documented: 201 is HTTP's for a created resource (RFC 9110, section 15.3.2). */
const MADE_STATUS = 201;

/** The head of a document's data URI, which remains after its content was taken out. */
const DATA_URI_HEAD = /^data:([^;,]+);name=([^;,]+);base64,$/;

// Required fields are not documented. The stand-in requires those that name a company, and those that say whose limit
// is granted and how much. Undocumented fields are stripped.
const { address: addressSchema } = companyBodySchema.shape;
const { contact: contactSchema } = limitBodySchema.shape;
const companyRequestSchema = companyBodySchema
  .strip()
  .extend({ address: addressSchema.unwrap().strip().optional() })
  .required({ name: true });
const limitRequestSchema = limitBodySchema
  .strip()
  .extend({ contact: contactSchema.unwrap().strip().optional() })
  .required({ company: true, requested_limit: true });

const sessionRequestSchema = z.looseObject({ buyer_company: z.string() });

function companyResource(id: string, sent: z.output<typeof companyRequestSchema>): CompanyResource {
  return {
    id,
    object: 'company',
    ...sent,
    address: sent.address && { ...sent.address, state: sent.address.state ?? null },
    buyer_limit: null,
    contacts: { object: 'list', data: [] },
    created: new Date().toISOString(),
  };
}

function limitResource(id: string, data: z.output<typeof limitRequestSchema>): LimitResource {
  const { contact, supporting_documents, ...sent } = data;
  return {
    id,
    object: 'buyer_limit',
    ...sent,
    total_limit: sent.requested_limit,
    available_limit: sent.requested_limit,
    status: 'approved',
    // Whether phone can be sent is not documented; the answer has null.
    contact: contact && { ...contact, phone: null },
    // The form of list items is not documented: objects with the sent ids are the stand-in's own choice.
    supporting_documents: {
      object: 'list',
      data: (supporting_documents ?? []).map((documentId) => ({ object: 'document', id: documentId })),
    },
    created: new Date().toISOString(),
  };
}

/** The buyer of a limit request. It is the same for two requests even if the company was made twice. */
function buyerOf(sent: z.output<typeof limitRequestSchema>): string {
  const { business_information_source: source, business_information_id: businessId } = sent;
  return sent.company_registration_number ?? (businessId ? `${source ?? ''}:${businessId}` : sent.company);
}

function refuseFields(error: z.ZodError): Checked {
  return {
    refusal: errorAnswer(
      422,
      'invalid_fields',
      error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; '),
    ),
  };
}

function refuse(field: string, why: string): Checked {
  return { refusal: errorAnswer(422, 'invalid_fields', `${field}: ${why}`) };
}

/** An answer of the stand-in, not yet sent. */
export type StandInAnswer = { status: number; headers?: Record<string, string>; body: unknown };

/** The result of checking a request: a refusal, or a function that makes the requested object. */
export type Checked = { refusal: StandInAnswer } | { make: () => StandInAnswer };

/**
 * An error answer. The service documents neither error statuses nor error bodies: both are the stand-in's own choice, in this whole folder.
 */
export function errorAnswer(status: number, code: string, message: string): StandInAnswer {
  return { status, body: { object: 'error', code, message } };
}

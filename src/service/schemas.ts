import { z } from 'zod';
import { KINDS } from '../call-kind.ts';

export type CompanyResource = z.output<typeof companyResourceSchema>;
export type LimitResource = z.output<typeof limitResourceSchema>;

const idSchema = (prefix: string) =>
  z
    .string()
    .refine((id) => id.startsWith(prefix) && id.length > prefix.length, `must be an id that starts with ${prefix}`);

/** A company's id, in answers and in limit requests. */
export const companyIdSchema = idSchema(KINDS.company.prefix);

/** A buyer limit request's id. */
export const limitIdSchema = idSchema(KINDS.limit.prefix);

// All objects are loose: undocumented fields pass through, and none is invented. Required fields of a company or a
// limit request are not documented, so all fields of a body are optional here.

/** Body of POST companies (docs/service.md, "Company"). */
export const companyBodySchema = z.looseObject({
  name: z.string().optional(),
  address: z
    .looseObject({
      country_code: z
        .string()
        .regex(/^[A-Z]{2}$/, 'must be two uppercase letters')
        .optional(),
      city: z.string().optional(),
      street: z.string().optional(),
      state: z.string().nullable().optional(),
    })
    .optional(),
  website: z.url('must be a URL').optional(),
});

/** Body of POST buyer-limits (docs/service.md, "Buyer limit request"). */
export const limitBodySchema = z.looseObject({
  company: companyIdSchema.optional(),
  /** "A short lowercase code". The valid codes are not documented, so any text is accepted. */
  business_information_source: z.string().optional(),
  business_information_id: z.string().optional(),
  company_registration_number: z.string().optional(),
  requested_limit: z.number().optional(),
  contact: z
    .looseObject({
      first_name: z.string().optional(),
      last_name: z.string().optional(),
      // The widest of zod's patterns, because the service's own rule for addresses is not documented.
      email: z.email({ pattern: z.regexes.unicodeEmail, error: 'must be an e-mail address' }).optional(),
    })
    .optional(),
  supporting_documents: z.array(z.string()).optional(),
});

/** Body of POST documents (docs/service.md, "Document"). Only the data URI's head is checked. */
export const documentBodySchema = z.looseObject({
  purpose: z.string(),
  file: z
    .string()
    .regex(
      /^data:[\w.+-]+\/[\w.+-]+;name=[^;,]+;base64,/,
      'must be a data URI: data:<media_type>;name=<file_name>;base64,<base64_content>',
    ),
});

/** Body of POST token, as form fields (docs/service.md, "Token"). */
export const tokenFormSchema = z.looseObject({
  grant_type: z.literal('client_credentials'),
  client_id: z.string(),
  client_secret: z.string(),
});

const listSchema = z.looseObject({ object: z.literal('list'), data: z.array(z.unknown()) });

/** ISO 8601 in UTC, with or without fractions of a second. */
const createdSchema = z.iso.datetime('must be an ISO 8601 UTC timestamp');

/** A company in an answer: the request's fields, and those that the service adds. */
export const companyResourceSchema = z.looseObject({
  ...companyBodySchema.shape,
  id: companyIdSchema,
  object: z.literal('company'),
  buyer_limit: z.looseObject({}).nullable(),
  contacts: listSchema,
  created: createdSchema,
});

/** A buyer limit request in an answer. `status` is any text: only `approved` is documented. */
export const limitResourceSchema = z.looseObject({
  ...limitBodySchema.shape,
  id: limitIdSchema,
  object: z.literal('buyer_limit'),
  total_limit: z.number(),
  available_limit: z.number(),
  status: z.string(),
  contact: limitBodySchema.shape.contact.unwrap().extend({ phone: z.string().nullable() }).optional(),
  supporting_documents: listSchema,
  created: createdSchema,
});

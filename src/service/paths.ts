/**
 * Where each call goes, below the base address (docs/service.md, "Calls"). All four are POST. Not beside the schemas, which
 * who only calls does not need.
 */
export const SERVICE_PATHS = {
  token: '/v1/auth/token',
  company: '/invoice-financing/v1/companies',
  document: '/invoice-financing/v1/documents',
  limit: '/invoice-financing/v1/buyer-limits',
} as const;

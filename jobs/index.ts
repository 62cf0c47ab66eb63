/** The jobs there are. One that is not in this list does not exist. */
export { cancelRows } from './cancel-rows.ts';
export { createCompany } from './create-company.ts';
export { createSupplier } from './create-supplier.ts';
export { exportResults } from './export-results.ts';
export { importPortfolio } from './import-portfolio.ts';
export { reconcile } from './reconcile.ts';
export { recoverResults } from './recover-results.ts';
export { resolveCalls } from './resolve-calls.ts';
export { retryRows } from './retry-rows.ts';
export { submitBuyerLimit } from './submit-buyer-limit.ts';
export { uploadDocuments } from './upload-documents.ts';

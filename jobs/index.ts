/** The jobs there are. One that is not in this list does not exist. */

export { createCompany } from './steps/create-company.ts';
export { createSupplier } from './steps/create-supplier.ts';
export { submitBuyerLimit } from './steps/submit-buyer-limit.ts';
export { uploadDocuments } from './steps/upload-documents.ts';

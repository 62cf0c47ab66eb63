import { createCompany } from './steps/create-company.ts';
import { createSupplier } from './steps/create-supplier.ts';
import { submitBuyerLimit } from './steps/submit-buyer-limit.ts';
import { uploadDocuments } from './steps/upload-documents.ts';

/** The jobs of the queues, in the order in which a row meets them. One that is not in this list is run by nobody. */
export const JOBS = [createSupplier, createCompany, uploadDocuments, submitBuyerLimit] as const;

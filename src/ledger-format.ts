/** The format version of the data in Redis. It is raised with every change that an older or newer Limitline would misread. */
export const FORMAT = '5';

/** The account of the stand-in, which is started if no service is configured. */
export const STAND_IN_ACCOUNT = 'stand-in';

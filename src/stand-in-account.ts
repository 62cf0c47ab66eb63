/** The account of the stand-in that is started where no service is named. */
export const STAND_IN_ACCOUNT = 'stand-in';

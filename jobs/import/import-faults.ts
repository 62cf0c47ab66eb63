import { LimitlineError } from '../../src/errors.ts';

export function replaceByPart(path: string): LimitlineError {
  const message = `${path} is an errors file, which has only the lines to be corrected: --replace would give up all others that were not sent. Import it without --replace: a corrected line replaces its row by itself.`;
  return new LimitlineError('USAGE', message);
}

export function setBack(fileName: string): LimitlineError {
  const message = `Redis was set back to an older copy while ${fileName} was imported, or another server took its place that lacks the last writes. So lines of the file may be missing: import it again. What was requested is not requested again by that.`;
  return new LimitlineError('OLDER', message);
}

export function otherUnderWay(portfolio: string): LimitlineError {
  const message = `Another file is being imported into portfolio ${portfolio} right now, and --replace would give up its rows. Wait until it has ended, or leave out --replace.`;
  return new LimitlineError('USAGE', message);
}

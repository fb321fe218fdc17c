import { isAbsent, copyObject, type AddProblem } from '../problems.ts';
import { IDENTIFIERS, type UserDetails } from './request.ts';

/**
 * Reads the shopper, who must be named by exactly one identifier. Empty identifiers are dropped, unknown fields are kept,
 * and `email_hash` is lower-cased.
 */
export function readUser(json: unknown, addProblem: AddProblem): UserDetails | undefined {
  const user = copyObject(json, 'user_details', addProblem);
  if (!user) {
    if (isAbsent(json)) addProblem('user_details', 'is required');
    return undefined;
  }
  const details: UserDetails = user;
  const given: string[] = [];
  for (const name of IDENTIFIERS) {
    const value: unknown = user[name];
    delete user[name];
    if (isAbsent(value) || (typeof value === 'string' && value.trim() === '')) continue;
    given.push(name);
    if (typeof value !== 'string') addProblem(`user_details.${name}`, 'must be a string');
    else details[name] = name === 'email_hash' ? value.trim().toLowerCase() : value.trim();
  }
  if (given.length !== 1) {
    const held = given.length > 0 ? `; it has ${given.join(' and ')}` : '';
    addProblem('user_details', `must have exactly one of ${IDENTIFIERS.join(', ')}${held}`);
  }
  if (details.email_hash !== undefined && !/^[0-9a-f]{64}$/.test(details.email_hash)) {
    addProblem(
      'user_details.email_hash',
      'must be the SHA-256 of the trimmed, lower-cased email, as 64 hex characters',
    );
  }
  return details;
}

/** Why a value does not fit its schema, for a person. The schema library's own messages are English and for the model. */

import type * as z from 'zod';
import { isWords, verbatim, type Words, words } from '../words.ts';

const TYPES: Readonly<Record<string, Words>> = {
  boolean: words('true or false'),
  number: words('a number'),
  int: words('a whole number'),
  string: words('a text'),
  array: words('a list'),
  record: words('an object'),
  object: words('an object'),
};

export function describeIssue(issue: z.core.$ZodIssue | undefined): Words {
  switch (issue?.code) {
    case 'invalid_type':
      return words('It must be {0}.', TYPES[issue.expected] ?? verbatim(issue.expected));
    case 'invalid_value':
      return words('It must be one of these: {0}.', issue.values.map(String).join(', '));
    case 'too_small':
      return words('It must be at least {0}.', String(issue.minimum));
    case 'too_big':
      return issue.origin === 'string'
        ? words('It must have at most {0} characters.', String(issue.maximum))
        : words('It must be at most {0}.', String(issue.maximum));
    case 'unrecognized_keys':
      return words('{0} is not known there.', issue.keys.join(', '));
    case 'invalid_union':
      return describeIssue(nearest(issue.errors)[0]);
    case 'custom':
      // A check of our own brings its reason.
      return isWords(issue.params?.reason) ? issue.params.reason : words('It does not have the right form.');
    default:
      return words('It does not have the right form.');
  }
}

/** Of several forms, the faults of the one that was meant: whose kind of value it is. */
function nearest(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const isMeant = ([first]: readonly z.core.$ZodIssue[]) =>
    first && !(first.code === 'invalid_type' && !first.path.length);
  return forms.find(isMeant) ?? forms[0] ?? [];
}

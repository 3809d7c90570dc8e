/**
 * A question of an MCP server to the person during a call (elicitation), as one question card for each of its fields. All of
 * it is foreign text, bounded and cleaned; a field that asks for a secret is marked. The answers go to the server alone.
 */

import { isAbort } from '../errors.ts';
import { asRecord, asText, listOf, objectOf } from '../json.ts';
import type { Questioner } from '../tools/question.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { words } from '../words.ts';
import { asksForSecret } from './secretFields.ts';
import type { AskForServer } from './serverQuestions.ts';

type Value = string | number | boolean | readonly string[];

export type Elicited =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, Value>> }
  | { readonly action: 'decline' | 'cancel' };

interface Field {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  /** The values to choose from, with their labels; empty for a text. */
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  /** Null for an answer that does not fit. */
  readonly read: (text: string) => Value | null;
  /** It asks for a password, a key or the like. */
  readonly secret: boolean;
}

const MOST_FIELDS = 20;
const MOST_CHOICES = 9;
const LONGEST_SAID = 1_000;
const LONGEST_LABEL = 200;
/** How often one field is asked for when the answers do not fit. */
const MOST_TRIES = 3;

const line = (given: unknown, longest = LONGEST_LABEL) => showInOneLine(asText(given).slice(0, longest));

/** `asked` are the parameters of the server's request. */
export async function elicit(
  server: string,
  asked: unknown,
  askPerson: AskForServer,
  signal: AbortSignal,
): Promise<Elicited> {
  const { message, requestedSchema } = objectOf(asked);
  const question = line(message, LONGEST_SAID);
  const fields = readFields(requestedSchema);
  if (!fields) return { action: 'decline' };
  return askPerson<Elicited>(server, {
    ask: (questions) => askForm(server, question, markSecrets(fields, question), questions, signal),
    isRefusal: ({ action }) => action === 'decline',
    unasked: { action: 'decline' },
  });
}

/** Asks for one field after the other. */
async function askForm(
  server: string,
  message: string,
  fields: readonly Field[],
  questions: Questioner,
  signal: AbortSignal,
): Promise<Elicited> {
  const content: Record<string, Value> = {};
  try {
    for (const field of fields.length > 0 ? fields : [CONFIRM]) {
      const value = await askFor(field, server, message, questions, signal);
      if (value === null && field.required) return { action: signal.aborted ? 'cancel' : 'decline' };
      if (value !== null && field !== CONFIRM) content[field.name] = value;
    }
  } catch (thrown) {
    if (isAbort(thrown)) return { action: 'cancel' };
    throw thrown;
  }
  // A form that is left empty was agreed to by nobody.
  const isEmpty = fields.length > 0 && Object.keys(content).length === 0;
  if (isEmpty) return { action: signal.aborted ? 'cancel' : 'decline' };
  return { action: 'accept', content };
}

/** Where no field says that it asks for a secret, the message may say it of any that takes a text. */
function markSecrets(fields: readonly Field[], message: string): readonly Field[] {
  if (fields.some(({ secret }) => secret) || !asksForSecret(message)) return fields;
  return fields.map((field) => ({ ...field, secret: field.choices.length === 0 }));
}

async function askFor(
  { about, choices, read, secret }: Field,
  server: string,
  message: string,
  questions: Questioner,
  signal: AbortSignal,
): Promise<Value | null> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const text = [
      ...words('The MCP server {0} asks: {1}', showInOneLine(server), [message, about].filter(Boolean).join(' — ')),
      ...(tries > 0 ? words('The last answer did not fit.') : []),
      ...words('Your answer goes to the server, not to the model.'),
      ...(secret
        ? words(
            'It seems to ask for a password, a key or another secret. Give it only what this server may keep and use.',
          )
        : []),
    ];
    const shown = choices.map(({ label }) => ({ label, description: '' }));
    const answer = await questions.ask({ kind: 'choice', text, choices: shown, ...(secret ? { secret } : {}) }, signal);
    if (answer.kind !== 'answer') return null;
    const chosen = choices.find(({ label }) => label === answer.text.trim());
    const value = chosen ? chosen.value : read(answer.text.trim());
    if (value !== null) return value;
  }
  return null;
}

/** For a question without fields: only whether to go on. */
const CONFIRM: Field = {
  name: '',
  about: '',
  required: true,
  choices: [{ value: true, label: 'OK' }],
  read: () => null,
  secret: false,
};

/** Null for a form that cannot be asked in cards. */
function readFields(schema: unknown): readonly Field[] | null {
  const { properties, required } = objectOf(schema);
  const entries = Object.entries(objectOf(properties));
  if (entries.length > MOST_FIELDS) return null;
  const fields = entries.map(([name, property]) =>
    readField(name, objectOf(property), listOf(required).includes(name)),
  );
  return fields.every((field) => field !== null) ? fields : null;
}

function readField(name: string, property: Readonly<Record<string, unknown>>, required: boolean): Field | null {
  const { type, title, description, items } = property;
  const about = [line(title) || line(name), line(description, LONGEST_SAID)].filter(Boolean).join(': ');
  const secret = asksForSecret(name, asText(title), asText(description));
  const field = { name, about, required, choices: [], secret };
  switch (type) {
    case 'boolean':
      return {
        ...field,
        choices: [
          { value: true, label: 'Yes' },
          { value: false, label: 'No' },
        ],
        read: () => null,
      };
    case 'integer':
    case 'number':
      return { ...field, read: (text) => readNumber(text, property) };
    case 'array': {
      const allowed = readChoices(objectOf(items));
      const list = allowed.map(({ label }) => label).join(', ');
      return { ...field, about: `${about} (${list})`, read: (text) => readSeveral(text, allowed) };
    }
    case 'string': {
      const choices = readChoices(property);
      if (choices.length === 0) return { ...field, read: (text) => readText(text, property) };
      const list = choices.map(({ label }) => label).join(', ');
      const isLong = choices.length > MOST_CHOICES;
      const read = (text: string) =>
        choices.find(({ label, value }) => text === label || text === value)?.value ?? null;
      return { ...field, about: isLong ? `${about} (${list})` : about, choices: isLong ? [] : choices, read };
    }
    default:
      return null;
  }
}

function readChoices({ enum: values, enumNames, oneOf, anyOf }: Readonly<Record<string, unknown>>) {
  const names = listOf(enumNames);
  const titled = [...listOf(oneOf), ...listOf(anyOf)].flatMap((each) => {
    const { const: value, title } = asRecord(each) ?? {};
    return typeof value === 'string' ? [{ value, label: line(title) || line(value) }] : [];
  });
  const plain = listOf(values).flatMap((value, at) =>
    typeof value === 'string' ? [{ value, label: line(names[at]) || line(value) }] : [],
  );
  return [...plain, ...titled].slice(0, 100);
}

function readNumber(text: string, { type, minimum, maximum }: Readonly<Record<string, unknown>>): number | null {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) return null;
  if ((typeof minimum === 'number' && value < minimum) || (typeof maximum === 'number' && value > maximum)) return null;
  return value;
}

function readText(text: string, { minLength, maxLength }: Readonly<Record<string, unknown>>): string | null {
  const tooShort = typeof minLength === 'number' && text.length < minLength;
  return tooShort || (typeof maxLength === 'number' && text.length > maxLength) ? null : text;
}

function readSeveral(text: string, allowed: readonly { readonly value: string; readonly label: string }[]) {
  const parts = text.split(',').map((part) => part.trim());
  const values = parts.map((part) => allowed.find(({ value, label }) => part === value || part === label)?.value);
  return values.every((value) => value !== undefined) ? values : null;
}

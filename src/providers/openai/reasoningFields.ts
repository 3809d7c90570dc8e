/** The names under which providers send what a model thought: where it came from, and so where it goes back. */

/** Text of chat completions, in an answer and in a request alike. */
export const TEXT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/** Items of chat completions. As the name of a text: it was only in the items. */
export const DETAILS = 'reasoning_details';

/** Text and items of the responses form. */
export const SUMMARY = 'summary';

/** Whether the text may go back in chat completions as a field of its own. */
export function isReplayedField(field: string): boolean {
  return TEXT_FIELDS.some((name) => name === field);
}

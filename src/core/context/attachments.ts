/** What a model is told of attachments: this version sends only text, and says what it left out. */

import type { Attachment } from './message.ts';

export function describeAttachment({ mime, name }: Attachment): string {
  const named = name === undefined ? '' : ` ${JSON.stringify(name)}`;
  return `[An attachment of the type ${mime}${named} stood here. It was not sent: only text is.]`;
}

/** Which messages a person wrote, and which are summaries of earlier compactions. */

import type { ContextMessage } from '../../../api/index.ts';

export const isPerson = (message: ContextMessage): boolean => message.role === 'user' && message.kind === 'user';

export const isSummary = (message: ContextMessage): boolean => message.role === 'user' && message.kind === 'summary';

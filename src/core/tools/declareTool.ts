/** A tool as the model is told of it. The output for one tool never changes between calls: prompt caches live on it. */

import * as z from 'zod';
import type { ToolDeclaration } from '../journal/entry.ts';
import type { Tool } from './tool.ts';

export function declareTool(tool: Tool): ToolDeclaration {
  // The schema's own address says nothing to a model, and some endpoints refuse keys they do not know.
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'throw' });
  return { name: tool.name, description: tool.description, parameters };
}

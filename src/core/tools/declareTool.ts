/** A tool as it is declared to the model. A tool's declaration never changes, because prompt caches depend on it. */

import * as z from 'zod';
import type { ToolDeclaration } from '../journal/entry.ts';
import type { Tool } from './tool.ts';

export function declareTool(tool: Tool): ToolDeclaration {
  if (tool.parameters) return { name: tool.name, description: tool.description, parameters: tool.parameters };
  // The schema's own address says nothing to a model, and some endpoints refuse keys they do not know.
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'throw' });
  return { name: tool.name, description: tool.description, parameters };
}

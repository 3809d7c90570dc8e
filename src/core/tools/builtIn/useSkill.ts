/** `use_skill`: adds the instructions of a skill to the conversation, in a separate message after the results. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { defineTool } from '../tool.ts';

export const USE_SKILL = 'use_skill';

export const useSkill = defineTool({
  name: USE_SKILL,
  alsoCalled: ['skill', 'slashcommand', 'activate_skill'],
  toolClass: 'read',
  description: 'Read the instructions of a skill before you begin a task that fits it. They follow in a message.',
  input: z.strictObject({
    name: z.string().max(64).optional().describe('Name of the skill; left out, all names are listed'),
  }),
  offered: (settings) => settings.skills ?? false,
  async prepare({ name }, { session }) {
    const { usable } = session.skills;
    const names = usable.map((skill) => skill.name).join(', ') || 'none';
    if (name === undefined) {
      return { title: '', approval: null, changes: [], run: async () => ({ text: `Skills: ${names}.` }) };
    }
    const skill = usable.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!skill) throw new ToolError(`There is no such skill. Skills: ${names}.`);
    return {
      title: skill.name,
      approval: null,
      changes: [],
      run: async () => {
        const message = skill.use();
        if (!message) return { text: `The skill ${skill.name} is in use already; its instructions are above.` };
        return { text: `The skill ${skill.name} is in use; its instructions follow.`, follows: [message] };
      },
    };
  },
});

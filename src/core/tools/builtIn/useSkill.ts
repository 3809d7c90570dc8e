/** `use_skill`: brings the instructions of a skill into the conversation, in a message of their own after the results. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { USE_SKILL } from '../../skills/sessionSkills.ts';
import type { Tool } from '../tool.ts';

const input = z.strictObject({
  name: z.string().max(64).optional().describe('Name of the skill; left out, all names are listed'),
});
type Input = z.infer<typeof input>;

export const useSkill: Tool<Input> = {
  name: USE_SKILL,
  toolClass: 'read',
  description: 'Read the instructions of a skill before you begin a task that fits it. They follow in a message.',
  input,
  offered: (settings) => settings.skills ?? false,
  async prepare({ name }, { session }) {
    const usable = session.skills.list.filter(({ forModel }) => forModel);
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
        const message = session.skills.use(skill);
        if (!message) return { text: `The skill ${skill.name} is in use already; its instructions are above.` };
        return { text: `The skill ${skill.name} is in use; its instructions follow.`, follows: [message] };
      },
    };
  },
};

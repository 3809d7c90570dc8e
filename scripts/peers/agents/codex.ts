/** The driver of Codex. */

import type { Agent } from './agent.ts';

export const codex: Agent = {
  id: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  program: 'codex',
  prepare({ program, home, workspace, url, model, window }) {
    const config = `model = "${model}"
model_provider = "loopback"
model_context_window = ${window}
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.loopback]
name = "loopback"
base_url = "${url}"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
request_max_retries = 1

[projects."${workspace}"]
trust_level = "trusted"
`;
    return {
      files: { '.codex/config.toml': config },
      env: { CODEX_HOME: `${home}/.codex`, LOOPBACK_KEY: 'none' },
      command: (prompt, part) => [
        program,
        'exec',
        ...(part > 0 ? ['resume', '--last'] : []),
        '--skip-git-repo-check',
        prompt,
      ],
    };
  },
};

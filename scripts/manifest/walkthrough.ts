/** The walkthrough of the Welcome page: five steps, each ticked off by what it leads to. */

import type { RegisteredCommand } from '../../src/protocol/commands.ts';
import { PANEL_VIEW } from '../../src/protocol/commands.ts';
import type { ManifestWords } from './manifestWords.ts';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Buttons under the text. */
  readonly buttons: readonly { readonly label: string; readonly command: RegisteredCommand | 'focusPanel' }[];
  /** Each of them is enough. */
  readonly completedBy: readonly string[];
  /** `media/walkthrough/<picture>.svg`, and what it shows. */
  readonly picture: string;
  readonly shows: string;
}

const ran = (command: RegisteredCommand) => `onCommand:palimpsest.${command}`;

const STEPS: readonly Step[] = [
  {
    id: 'demo',
    title: 'Look first, without a key',
    text: 'The demo model follows a script. It runs the real tools on the open folder and fills a small context, so that you see an approval, a compaction and its undo within two minutes.',
    buttons: [
      { label: 'Use the Demo Model', command: 'useDemo' },
      { label: 'Open the Panel', command: 'focusPanel' },
    ],
    completedBy: [ran('useDemo'), 'onSettingChanged:palimpsest.model'],
    picture: 'demo',
    shows: 'The panel with a conversation; the meter above it is nearly full.',
  },
  {
    id: 'model',
    title: 'Connect a model',
    text: 'Any OpenAI-compatible address with its own key, a server on this machine, or a model that another extension offers. Nothing is contacted before you choose it, and keys stay in the secret storage.',
    buttons: [
      { label: 'Set Up Model Endpoint…', command: 'setUpEndpoint' },
      { label: 'Find Model Servers on This Machine…', command: 'findLocalServers' },
      { label: 'Models of Other Extensions…', command: 'chooseExtensionModel' },
      { label: 'Test Connection', command: 'testConnection' },
    ],
    completedBy: ['onSettingChanged:palimpsest.endpoints', ran('chooseExtensionModel'), ran('findLocalServers')],
    picture: 'model',
    shows: 'The panel beside three kinds of models, one of them with a key.',
  },
  {
    id: 'review',
    title: 'Ask, and decide what is written',
    text: 'The agent reads by itself. An edit opens in the diff editor, where you change it or take back single pieces; what you allow is what is written. What it asks never takes what you type: `Alt+J` (`⌥⌘J` on macOS) leads to it, and there `y` allows, `a` allows for the session, `n` declines.',
    buttons: [
      { label: 'Open the Panel', command: 'focusPanel' },
      { label: 'Approvals…', command: 'showApprovals' },
    ],
    completedBy: [ran('acceptEdit'), ran('showApprovals'), ran('focusMessage')],
    picture: 'review',
    shows: 'A diff editor with the old lines in red and the new ones in green.',
  },
  {
    id: 'compaction',
    title: 'Choose how the context is compacted',
    text: 'When the window fills up, a strategy decides what stays. Compare them on your own conversation before anything is done; each compaction is a row in the conversation that can be undone.',
    buttons: [
      { label: 'Choose Compaction Strategy…', command: 'chooseStrategy' },
      { label: 'Preview Compaction…', command: 'previewCompaction' },
      { label: 'Open Strategy Lab', command: 'openStrategyLab' },
    ],
    completedBy: [
      'onSettingChanged:palimpsest.compaction.strategy',
      ran('chooseStrategy'),
      ran('previewCompaction'),
      ran('openStrategyLab'),
    ],
    picture: 'compaction',
    shows: 'A long conversation becomes a short one; the meter falls.',
  },
  {
    id: 'history',
    title: 'Go back whenever you like',
    text: 'There is a checkpoint before each turn. Restoring one gives back the conversation, the files, or both, after a preview; what you leave stays as a branch.',
    buttons: [
      { label: 'Restore Checkpoint…', command: 'restoreCheckpoint' },
      { label: 'Show History', command: 'showHistory' },
      { label: 'What the Model Sees…', command: 'showModelView' },
    ],
    completedBy: [ran('restoreCheckpoint'), ran('showHistory'), ran('showModelView'), ran('undoCompaction')],
    picture: 'history',
    shows: 'A line of turns with a branch; an arrow leads back to an earlier turn.',
  },
];

export function contributeWalkthrough({ say }: ManifestWords): unknown {
  return [
    {
      id: 'start',
      title: say('walkthrough.title', 'Get Started with Palimpsest'),
      description: say('walkthrough.description', 'A coding agent whose context you can see, choose and undo'),
      steps: STEPS.map(({ id, title, text, buttons, completedBy, picture, shows }) => {
        const key = `walkthrough.${id}`;
        return {
          id,
          title: say(`${key}.title`, title),
          description: say(`${key}.description`, [text, ...buttons.map(linkOf)].join('\n')),
          completionEvents: completedBy,
          media: { svg: `media/walkthrough/${picture}.svg`, altText: say(`${key}.shows`, shows) },
        };
      }),
    },
  ];
}

/** A line that holds nothing but a link is shown as a button. */
function linkOf({ label, command }: Step['buttons'][number]): string {
  return `[${label}](command:${command === 'focusPanel' ? `${PANEL_VIEW}.focus` : `palimpsest.${command}`})`;
}

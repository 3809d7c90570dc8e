/** What the composer does with what is typed: sends it, runs it as a command, or says why not and keeps the text. */

import { t } from '@vscode/l10n';
import { PANEL_COMMANDS } from '../../src/protocol/commands.ts';
import type { Choice, Doubt, PanelState } from '../../src/protocol/messages.ts';
import { type Completion, completeCommand, nameCompletions, readCommand, type Slash } from './commands.ts';
import { tell } from './format.ts';
import type { Panel } from './panel.ts';

/** Characters that a message may have. */
export const MAX_MESSAGE = 1_000_000;

export interface Completions {
  /** What they are, for those who hear the list. */
  readonly name: string;
  readonly list: readonly Completion[];
}

/** What is offered for the draft as it is now. */
export function listCompletions(panel: Panel, state: PanelState): Completions {
  const { draft, mentions } = panel;
  if (panel.popover !== 'none') return { name: '', list: [] };
  if (mentions.at === null) return { name: nameCompletions(draft), list: completeCommand(draft, state) };
  const { from, to } = mentions.at;
  const [before, after] = [draft.slice(0, from), draft.slice(to)];
  return {
    name: t('Context to mention'),
    list: mentions.choices.map(({ insert, label, detail, icon, more }) => {
      const text = more || /^\s/.test(after) ? insert : `${insert} `;
      const cursor = before.length + text.length + (text === insert && !more ? 1 : 0);
      return { draft: before + text + after, label, detail, icon, cursor };
    }),
  };
}

export function chooseCompletion(panel: Panel, { draft, cursor = draft.length }: Completion): void {
  panel.mentions.end();
  panel.setDraft(draft, cursor);
}

export function submitDraft(panel: Panel, state: PanelState): void {
  const text = panel.draft.trim();
  if (panel.attaching) {
    // What was pasted right before goes with it.
    void panel.attaching.then(() => submitDraft(panel, panel.state ?? state));
    return;
  }
  if ((text === '' && panel.images.length === 0) || state.readOnly) return;
  const typed = readCommand(text, state.skills);
  switch (typed.kind) {
    case 'unknown':
      refuse(panel, t('There is no command {0}. /help lists them.', typed.name));
      break;
    case 'command': {
      const why = whyNot(state, typed.slash);
      if (why) refuse(panel, why);
      else runCommand(panel, state, typed.slash, typed.rest);
      break;
    }
    case 'text':
      // Where a turn runs the message waits; an earlier one is not replaced meanwhile.
      if (state.status !== 'idle' && panel.editing !== null)
        refuse(panel, t('The agent is still working. Your text is kept; stop it first, or wait.'));
      else if (text.length > MAX_MESSAGE)
        refuse(
          panel,
          t(
            'A message can have at most {0} characters. The rest of what you pasted was left out.',
            MAX_MESSAGE.toLocaleString('en'),
          ),
        );
      else if (panel.mentions.needsCheck(text)) {
        panel.mentions.check(text);
        panel.post({ type: 'checkMentions', text });
      } else sendText(panel, text);
  }
}

/** The host's word on a message that waits for it: it is sent, or what is doubtful is told first. */
export function takeChecked(panel: Panel, state: PanelState, text: string, doubts: readonly Doubt[]): void {
  if (!panel.mentions.checked(text, doubts) || panel.draft.trim() !== text) return;
  if (doubts.length === 0) {
    if (state.status === 'idle' || panel.editing === null) sendText(panel, text);
    else refuse(panel, t('The agent is still working. Your text is kept; stop it first, or wait.'));
    return;
  }
  // Every file that may be secret is named; of what is missing a few are enough.
  const secret = doubts.filter(({ kind }) => kind === 'secret');
  const missing = doubts.filter(({ kind }) => kind === 'missing');
  const said = [...secret, ...missing.slice(0, MOST_MISSING)].map(
    ({ mention, reason }) => `${mention}: ${tell(reason)}`,
  );
  const more = missing.length > MOST_MISSING ? [t('{0} more.', missing.length - MOST_MISSING)] : [];
  refuse(panel, [...said, ...more, t('Send again to send the message as it is.')].join('\n'));
}

const MOST_MISSING = 5;

/** What changes the context waits until nothing runs, and needs a context. Empty when it can be done. */
function whyNot({ status, sessionId }: PanelState, { changesContext }: Slash): string {
  if (!changesContext) return '';
  if (sessionId === '') return t('This session is still empty: send a message first.');
  return status === 'idle' ? '' : t('The agent is still working. Your text is kept; stop it first, or wait.');
}

function sendText(panel: Panel, text: string): void {
  if (panel.state && panel.state.status !== 'idle')
    panel.announce(t('Your message is waiting for the current answer.'));
  panel.post({
    ...{ type: 'send', text },
    ...(panel.editing === null ? {} : { replaces: panel.editing.rowId }),
    ...(panel.images.length > 0 ? { images: [...panel.images] } : {}),
    ...(panel.mentions.wasTold(text) ? { confirmed: true } : {}),
  });
  panel.sending(text);
  panel.mentions.end();
  panel.recalled = 0;
  panel.endEdit();
  panel.reader.follow();
  panel.save();
}

export function onComposerInput(panel: Panel, text: string, cursor: number): void {
  // What was written to disk since then is offered too.
  if (text === '/' && panel.draft === '') panel.post({ type: 'listNames' });
  panel.recalled = 0;
  panel.setDraft(text);
  followCursor(panel, cursor);
  if (text.length >= MAX_MESSAGE)
    refuse(
      panel,
      t(
        'A message can have at most {0} characters. The rest of what you pasted was left out.',
        MAX_MESSAGE.toLocaleString('en'),
      ),
    );
}

/** The cursor may have come into a mention, or left one. */
export function followCursor(panel: Panel, cursor: number): void {
  const { mentions } = panel;
  const before = mentions.at;
  const typed = mentions.follow(panel.draft, cursor);
  if (typed !== null) panel.post({ type: 'completeMention', typed });
  if (mentions.at !== before) panel.invalidate();
}

/** A key means what the draft says now: it may follow a letter before the page is drawn again. */
export function onComposerKey(panel: Panel, event: KeyboardEvent): void {
  const { state } = panel;
  if (event.isComposing || !state) return;
  const { list: completions } = listCompletions(panel, state);
  const completion = completions[panel.completion];
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp': {
      // These lead to the rows.
      if (event.ctrlKey || event.metaKey) return;
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (completions.length > 0) {
        panel.completion = (panel.completion + step + completions.length) % completions.length;
        const { completion: at } = panel;
        panel.afterRender(() => document.getElementById(`completion-${at}`)?.scrollIntoView({ block: 'nearest' }));
      } else if (!recallMessage(panel, step)) return;
      break;
    }
    case 'Tab':
      if (event.shiftKey) switchMode(panel, state);
      else if (completion) chooseCompletion(panel, completion);
      else return;
      break;
    case 'Enter':
      if (event.shiftKey) return;
      // A name that is typed whole is run; one that is half typed is completed first.
      if (completion && completion.draft.trim() !== panel.draft.trim()) chooseCompletion(panel, completion);
      else submitDraft(panel, state);
      break;
    case 'Escape':
      if (completions.length === 0 && panel.editing === null) return;
      if (panel.mentions.at) {
        panel.mentions.leave();
        panel.invalidate();
      } else panel.endEdit();
      break;
    default:
      return;
  }
  event.preventDefault();
}

/** On to the next of ask, plan and act. */
function switchMode(panel: Panel, { mode, modes, readOnly }: PanelState): void {
  const next = modes[(modes.findIndex(({ id }) => id === mode) + 1) % modes.length];
  if (next && !readOnly) panel.post({ type: 'chooseMode', mode: next.id });
}

/** ↑ in an empty composer walks back through what was sent, ↓ forth. False when the key means something else. */
function recallMessage(panel: Panel, step: 1 | -1): boolean {
  if (panel.recalled === 0 && (step === 1 || panel.draft !== '')) return false;
  const sent = panel.rows.all.flatMap((row) => (row.type === 'user' ? [row.text] : []));
  const recalled = panel.recalled - step;
  if (recalled > sent.length) return true;
  const text = sent[sent.length - recalled] ?? '';
  panel.setDraft(text);
  panel.recalled = Math.max(recalled, 0);
  return true;
}

function runCommand(panel: Panel, state: PanelState, { name, opens, argument }: Slash, rest: string): void {
  panel.setDraft('');
  if (opens && (rest === '' || !argument)) {
    panel.showPopover(opens);
    return;
  }
  switch (argument) {
    case 'instructions':
      panel.post({ type: name === 'handOff' ? name : 'compact', instructions: rest.slice(0, 10_000) });
      break;
    case 'strategy':
      choose(panel, argument, state.strategies, rest, (strategy) => panel.post({ type: 'chooseStrategy', strategy }));
      break;
    case 'model':
      choose(panel, argument, state.models, rest, (model) => panel.post({ type: 'chooseModel', model }));
      break;
    case 'agent':
      panel.post({ type: 'chooseAgent', ...(rest === '' ? {} : { agent: rest.slice(0, 256) }) });
      break;
    case 'mode':
      choose(panel, argument, state.modes, rest, (mode) => panel.post({ type: 'chooseMode', mode }));
      break;
    case undefined: {
      const type = PANEL_COMMANDS.find((command) => command === name);
      if (type) panel.post({ type });
    }
  }
}

/** Chooses what is named, and gives the text back when nothing fits. */
function choose(
  panel: Panel,
  name: 'strategy' | 'model' | 'mode',
  choices: PanelState['models'],
  typed: string,
  post: (id: string) => void,
): void {
  const chosen = matchOne(choices, typed);
  if (chosen !== null) post(chosen);
  else {
    panel.setDraft(`/${name} ${typed}`);
    refuse(panel, noMatch(name, typed));
  }
}

function noMatch(name: 'strategy' | 'model' | 'mode', typed: string): string {
  switch (name) {
    case 'model':
      return t('No model matches “{0}”.', typed);
    case 'strategy':
      return t('No compaction strategy matches “{0}”.', typed);
    case 'mode':
      return t('No mode matches “{0}”.', typed);
  }
}

/** An exact id first, else the only match. */
function matchOne(choices: PanelState['models'], typed: string): string | null {
  const exact = choices.find(({ id, label }) => id === typed || label === typed);
  const found = matchChoices(choices, typed);
  return exact?.id ?? (found.length === 1 ? (found[0]?.id ?? null) : null);
}

function refuse(panel: Panel, reason: string): void {
  panel.refuse(reason);
}

/** Strategies and models that match what was typed: every word occurs in the id, the label or the heading. */
export function matchChoices(choices: readonly Choice[], typed: string): readonly Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ id, label, group = '' }: Choice) => `${id} ${label} ${group}`.toLowerCase();
  return choices.filter((choice) => words.every((word) => textOf(choice).includes(word)));
}

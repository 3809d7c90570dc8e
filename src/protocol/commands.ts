/**
 * Every command, once: its name, where it is offered, and the slash word that runs it. The manifest, the palette, the
 * panel's completions and help, and the panel's possible requests are derived from this table.
 */

/** The view that shows the panel. */
export const PANEL_VIEW = 'palimpsest.panel';

/** Arguments that the panel may send with a command. A handler asks the person for missing ones. */
export interface CommandArguments {
  /** Instructions for a summary, such as the purpose of a new session. Empty means: nothing in particular. */
  readonly instructions?: string | undefined;
  /** Empty for the one that the setting names. */
  readonly strategy?: string | undefined;
  /** The strategy goes into the setting, for all sessions, and not into the session on screen. */
  readonly forAll?: true | undefined;
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly checkpoint?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly title?: string | undefined;
  readonly mode?: string | undefined;
  /** An MCP server to add: its command, its address, or the JSON that it has for another program. */
  readonly server?: string | undefined;
  /** Entry of the journal after which something counts. */
  readonly since?: number | undefined;
}

export interface SlashWord {
  readonly word: string;
  /** One line in the completions and in the help, in English, which is the key of its translations. */
  readonly help: string;
  /** The meaning of the rest of the line. */
  readonly argument?: 'instructions' | 'strategy' | 'model' | 'agent' | 'mode' | 'server';
  /** Opened by the panel itself, without the host, when nothing follows the word. */
  readonly opens?: 'strategy' | 'model' | 'mode' | 'history' | 'help';
  /** It waits until nothing is running, and needs a conversation. */
  readonly changesContext?: true;
}

export interface CommandFacts {
  /** In English, the key of its translations. Without a title it is not registered with the editor. */
  readonly title?: string;
  /** Hidden from the palette: a key, a button, a menu or another command runs it. */
  readonly palette?: false;
  /** Name of a codicon. */
  readonly icon?: string;
  /** When-clause for palette and menus. */
  readonly enablement?: string;
  /** Editor menus that offer it, by id. */
  readonly menus?: Readonly<Record<string, { readonly when: string; readonly group: string }>>;
  /** Default keys; `mac` where they differ. */
  readonly keys?: readonly { readonly key: string; readonly mac?: string; readonly when: string }[];
  /** Group and position in the menu of the panel's title; `navigation` is the row of icons. */
  readonly menu?: `${string}@${number}`;
  /** The panel may request it. */
  readonly panel?: true;
  readonly slash?: SlashWord;
}

/** Actions of the panel's page, which alone knows what it shows and where the reader is. */
export const PAGE_ACTS = ['find', 'focusMessage', 'focusConversation'] as const;
export type PageAct = (typeof PAGE_ACTS)[number];

/** The panel has the focus, in the side bar or in an editor tab, and no field of the editor has it. */
const IN_PANEL = 'palimpsest.focused && !inputFocus';
const MOVABLE = 'palimpsest.writable && !palimpsest.busy';

/** A pending edit in the diff editor. */
const REVIEW = 'resourceScheme == palimpsest-edit';

/** The list of changes under review. */
const IN_REVIEW = 'scmProvider == palimpsest';
/** A file of it in the diff editor. */
const COMPARED = 'palimpsest.reviewing';

/** Lines of a file are selected. */
const SELECTED = 'resourceScheme == file && editorHasSelection';

/** Where an action on changes is offered: on lines beside an editor, on a file in the diff editor or list, on all of them. */
function reviewMenus(place: number): NonNullable<CommandFacts['menus']> {
  const when = IN_REVIEW;
  return {
    'editor/title': { when: COMPARED, group: `navigation@${place}` },
    'scm/change/title': { when: 'originalResourceScheme == palimpsest-base', group: `navigation@${place}` },
    'scm/resourceState/context': { when, group: `inline@${place}` },
    'scm/resourceGroup/context': { when, group: `inline@${place}` },
  };
}

/** By the id without `palimpsest.`. Slash words are offered in this order. */
export const COMMANDS = {
  compact: {
    title: 'Compact Context…',
    enablement: MOVABLE,
    menu: '1_context@1',
    panel: true,
    slash: {
      word: 'compact',
      help: 'Compact now; anything you add here is taken into account',
      argument: 'instructions',
      changesContext: true,
    },
  },
  undoCompaction: {
    title: 'Undo Compaction',
    enablement: 'palimpsest.canUndo && !palimpsest.busy',
    menu: '1_context@2',
    panel: true,
    slash: { word: 'undo', help: 'Undo the newest compaction', changesContext: true },
  },
  redoCompaction: {
    title: 'Redo Compaction',
    enablement: 'palimpsest.canRedo && !palimpsest.busy',
    menu: '1_context@3',
    panel: true,
    slash: { word: 'redo', help: 'Redo the last compaction that was undone', changesContext: true },
  },
  setCheckpoint: {
    title: 'Set Checkpoint…',
    enablement: MOVABLE,
    menu: '4_time@4',
    panel: true,
    slash: { word: 'checkpoint', help: 'Set a checkpoint here', changesContext: true },
  },
  restoreCheckpoint: {
    title: 'Restore Checkpoint…',
    enablement: MOVABLE,
    menu: '4_time@1',
    panel: true,
    slash: { word: 'restore', help: 'Go back to a checkpoint', changesContext: true },
  },
  showBranches: {
    title: 'Show Branches…',
    enablement: MOVABLE,
    menu: '4_time@3',
    panel: true,
    slash: { word: 'branches', help: 'Return to a branch that was left', changesContext: true },
  },
  clearConversation: {
    title: 'Clear Conversation',
    enablement: MOVABLE,
    menu: '4_time@5',
    panel: true,
    slash: {
      word: 'clear',
      help: 'Empty the context; what was said is kept as a branch',
      changesContext: true,
    },
  },
  newSession: {
    title: 'New Session',
    icon: 'add',
    // A running turn would be stopped.
    keys: [{ key: 'ctrl+n', mac: 'cmd+n', when: `${IN_PANEL} && !palimpsest.busy` }],
    menu: 'navigation@1',
    panel: true,
    slash: { word: 'new', help: 'Start a new session' },
  },
  showHistory: {
    title: 'Show History',
    icon: 'history',
    menu: 'navigation@2',
    slash: { word: 'history', help: 'Earlier sessions', opens: 'history' },
  },
  exportSession: {
    title: 'Export Session…',
    menu: '3_session@3',
    panel: true,
    slash: { word: 'export', help: 'Export this session' },
  },
  chooseStrategy: {
    title: 'Choose Compaction Strategy…',
    panel: true,
    slash: {
      word: 'strategy',
      help: 'Choose the compaction strategy of this session',
      argument: 'strategy',
      opens: 'strategy',
    },
  },
  newStrategy: { title: 'New Strategy…' },
  tryStrategy: { title: 'Try on This Session', enablement: 'palimpsest.session && !palimpsest.busy' },
  chooseModel: {
    title: 'Choose Model…',
    panel: true,
    slash: { word: 'model', help: 'Choose the model', argument: 'model', opens: 'model' },
  },
  chooseAgent: {
    title: 'Choose Agent…',
    menu: '2_model@8',
    panel: true,
    slash: { word: 'agent', help: 'Choose the agent that answers, by its name or from a list', argument: 'agent' },
  },
  nextMode: {
    title: 'Next Mode: Ask, Plan, Act',
    palette: false,
    keys: [{ key: 'ctrl+.', mac: 'cmd+.', when: IN_PANEL }],
  },
  chooseMode: {
    title: 'Choose Mode…',
    menu: '1_context@9',
    panel: true,
    slash: { word: 'mode', help: 'Choose what the agent may do: ask, plan or act', argument: 'mode', opens: 'mode' },
  },
  handOff: {
    title: 'Hand Off to New Session…',
    enablement: MOVABLE,
    menu: '3_session@6',
    panel: true,
    slash: {
      word: 'handoff',
      help: 'Continue in a new session that begins with a summary of this one; say what it is for',
      argument: 'instructions',
      changesContext: true,
    },
  },
  leaveMessage: {
    title: 'Leave Message for Another Session…',
    enablement: MOVABLE,
    menu: '3_session@5',
  },
  showMemory: {
    title: 'Show Memory…',
    menu: '1_context@8',
    panel: true,
    slash: {
      word: 'memory',
      help: 'Memory files, skills and standing orders that the model gets in addition to your messages',
    },
  },
  addContext: { title: 'Add Context…', panel: true },
  addFileToChat: {
    title: 'Add to Palimpsest Chat',
    keys: [{ key: 'ctrl+k ctrl+a', mac: 'cmd+k cmd+a', when: 'editorTextFocus && resourceScheme == file' }],
    menus: {
      'explorer/context': { when: 'resourceScheme == file', group: '5_palimpsest@1' },
      'editor/context': { when: 'resourceScheme == file', group: '5_palimpsest@1' },
      'editor/title/context': { when: 'resourceScheme == file', group: '5_palimpsest@1' },
      'scm/resourceState/context': { when: 'scmProvider == git', group: '5_palimpsest@1' },
    },
  },
  askAboutCode: {
    title: 'Ask Palimpsest…',
    keys: [{ key: 'ctrl+k ctrl+e', mac: 'cmd+k cmd+e', when: `editorTextFocus && ${SELECTED}` }],
    menus: { 'editor/context': { when: SELECTED, group: '5_palimpsest@2' } },
  },
  explainCode: {
    title: 'Explain with Palimpsest',
    palette: false,
    menus: { 'editor/context': { when: SELECTED, group: '5_palimpsest@3' } },
  },
  fixCode: {
    title: 'Fix with Palimpsest',
    palette: false,
    menus: { 'editor/context': { when: SELECTED, group: '5_palimpsest@4' } },
  },
  addTerminalSelectionToChat: {
    title: 'Add Terminal Selection to Palimpsest Chat',
    palette: false,
    menus: { 'terminal/context': { when: 'terminalTextSelected', group: '5_palimpsest@1' } },
  },
  addTerminalOutputToChat: {
    title: 'Add Last Command to Palimpsest Chat',
    palette: false,
    menus: { 'terminal/context': { when: '!terminalTextSelected', group: '5_palimpsest@1' } },
  },
  addChangesToChat: {
    title: 'Add Changes to Palimpsest Chat',
    palette: false,
    menus: { 'scm/title': { when: 'scmProvider == git', group: '5_palimpsest@1' } },
  },
  backgroundCommands: { title: 'Background Commands…', menu: '5_tools@1' },
  showApprovals: {
    title: 'Approvals…',
    menu: '5_tools@2',
    panel: true,
    slash: { word: 'approvals', help: 'See and revoke what you allowed beyond a single answer' },
  },
  showMcpServers: {
    title: 'MCP Servers…',
    menu: '5_tools@3',
    panel: true,
    slash: {
      word: 'mcp',
      help: 'MCP servers and tools of other extensions. With a command or an address after it: add that server',
      argument: 'server',
    },
  },
  attachImage: {
    title: 'Attach Image…',
    panel: true,
    slash: { word: 'image', help: 'Attach an image to your message' },
  },
  showContext: {
    title: 'Show Context',
    menu: '1_context@5',
    panel: true,
    slash: { word: 'context', help: 'What the model sees, the timeline, a preview and totals' },
  },
  showContextTimeline: {
    panel: true,
    slash: { word: 'timeline', help: 'How large the context was, with each compaction' },
  },
  showHelp: {
    slash: { word: 'help', help: 'Commands and keys', opens: 'help' },
  },
  openWalkthrough: { title: 'Get Started', menu: '6_help@1', panel: true },
  openKeyboardShortcuts: { panel: true },
  openSettings: { title: 'Open Settings', palette: false, icon: 'gear', menu: 'navigation@3', panel: true },
  openProxySettings: { panel: true },
  stop: {
    title: 'Stop',
    icon: 'debug-stop',
    enablement: 'palimpsest.busy',
    panel: true,
  },
  focusMessage: {
    title: 'Focus Message',
    palette: false,
    keys: [{ key: 'ctrl+down', mac: 'cmd+down', when: IN_PANEL }],
  },
  focusConversation: {
    title: 'Focus Conversation',
    palette: false,
    keys: [{ key: 'ctrl+up', mac: 'cmd+up', when: IN_PANEL }],
  },
  findInConversation: {
    title: 'Find in Conversation',
    palette: false,
    keys: [{ key: 'ctrl+f', mac: 'cmd+f', when: IN_PANEL }],
  },
  retry: { panel: true },
  previewCompaction: { title: 'Preview Compaction…', palette: false, menu: '1_context@4', panel: true },
  showModelView: { title: 'What the Model Sees…', palette: false, panel: true },
  careOfSessions: { title: 'Care of Sessions…', menu: '3_session@4' },
  showStorage: { panel: true },
  openStrategyLab: { title: 'Open Strategy Lab', menu: '1_context@11' },
  openAutopsy: { title: 'Open Autopsy…', menu: '1_context@12', panel: true },
  chooseSummaryModel: { title: 'Choose Model for Summaries…', menu: '2_model@7' },
  setUpEndpoint: { title: 'Set Up Model Endpoint…', menu: '2_model@1', panel: true },
  findLocalServers: { title: 'Find Model Servers on This Machine…', palette: false, panel: true },
  chooseExtensionModel: { title: 'Models of Other Extensions…', palette: false, menu: '2_model@6', panel: true },
  manageEndpoints: { title: 'Manage Endpoints…', menu: '2_model@2', panel: true },
  setApiKey: { panel: true },
  testConnection: { title: 'Test Connection', palette: false, panel: true },
  useDemo: { title: 'Use the Demo Model', panel: true },
  openFolder: { panel: true },
  manageTrust: { panel: true },
  importSession: { title: 'Import Session…', menu: '3_session@1', panel: true },
  renameSession: {
    title: 'Rename Session…',
    enablement: 'palimpsest.writable',
    menu: '3_session@2',
    panel: true,
  },
  acceptEdit: {
    title: 'Apply Edit',
    palette: false,
    icon: 'check',
    enablement: REVIEW,
    menus: { 'editor/title': { when: REVIEW, group: 'navigation@1' } },
    keys: [{ key: 'ctrl+enter', mac: 'cmd+enter', when: REVIEW }],
  },
  discardEdit: {
    title: 'Discard Edit',
    palette: false,
    icon: 'discard',
    enablement: REVIEW,
    menus: { 'editor/title': { when: REVIEW, group: 'navigation@2' } },
    keys: [{ key: 'ctrl+shift+backspace', mac: 'cmd+shift+backspace', when: REVIEW }],
  },
  reviewChanges: {
    title: 'Review Changes…',
    enablement: 'palimpsest.session',
    menu: '4_time@6',
    panel: true,
    slash: { word: 'review', help: 'Review file changes, piece by piece' },
  },
  takeBackChanges: {
    title: 'Take Back',
    palette: false,
    icon: 'discard',
    menus: reviewMenus(1),
    keys: [{ key: 'ctrl+shift+backspace', mac: 'cmd+shift+backspace', when: COMPARED }],
  },
  markReviewed: {
    title: 'Mark as Reviewed',
    palette: false,
    icon: 'check',
    menus: reviewMenus(2),
    keys: [{ key: 'ctrl+enter', mac: 'cmd+enter', when: COMPARED }],
  },
  previousChangedFile: {
    title: 'Previous Changed File',
    palette: false,
    icon: 'chevron-left',
    menus: { 'editor/title': { when: COMPARED, group: 'navigation@3' } },
    keys: [{ key: 'shift+alt+f7', when: COMPARED }],
  },
  nextChangedFile: {
    title: 'Next Changed File',
    palette: false,
    icon: 'chevron-right',
    menus: { 'editor/title': { when: COMPARED, group: 'navigation@4' } },
    keys: [{ key: 'alt+f7', when: COMPARED }],
  },
  showAllChanges: {
    title: 'Show All Changes in One Editor',
    palette: false,
    icon: 'diff-multiple',
    menus: {
      'scm/resourceGroup/context': { when: IN_REVIEW, group: 'inline@3' },
      'editor/title': { when: COMPARED, group: '1_review@1' },
    },
  },
  endReview: {
    title: 'End the Review',
    palette: false,
    icon: 'close',
    menus: {
      'scm/resourceGroup/context': { when: IN_REVIEW, group: 'inline@4' },
      'editor/title': { when: COMPARED, group: '1_review@2' },
    },
  },
  showInEditor: { title: 'Open Panel in an Editor Tab', menu: '3_session@0' },
  exportDiagnostics: { title: 'Export Diagnostics', menu: '5_tools@9' },
  takeOverSession: { panel: true },
  continueHere: { panel: true },
  undoChanges: { panel: true },
  undoRestore: { title: 'Undo Restore…', enablement: MOVABLE, menu: '4_time@2', panel: true },
} as const satisfies Readonly<Record<string, CommandFacts>>;

type Table = typeof COMMANDS;
export type CommandName = keyof Table;
type NamesWith<Field extends keyof CommandFacts> = {
  [N in CommandName]: Table[N] extends { readonly [F in Field]: unknown } ? N : never;
}[CommandName];

/** Registered with the editor. */
export type RegisteredCommand = NamesWith<'title'>;
export type PanelCommand = NamesWith<'panel'>;
export type SlashCommand = NamesWith<'slash'>;
/** Commands carried out by the host. */
export type HostCommand = RegisteredCommand | PanelCommand;

/** The same table, for code that reads the same facts of every command. */
export function factsOf(name: CommandName): CommandFacts {
  return COMMANDS[name];
}

export const REGISTERED_COMMANDS: readonly RegisteredCommand[] = namesWith('title');
export const PANEL_COMMANDS: readonly PanelCommand[] = namesWith('panel');
export const SLASH_COMMANDS: readonly SlashCommand[] = namesWith('slash');

/** The words that a person types after the slash. */
export const COMMAND_WORDS: ReadonlySet<string> = new Set(
  SLASH_COMMANDS.map((name) => factsOf(name).slash?.word ?? ''),
);

function namesWith<Field extends keyof CommandFacts>(field: Field): NamesWith<Field>[] {
  return (Object.keys(COMMANDS) as CommandName[]).filter(
    (name): name is NamesWith<Field> => factsOf(name)[field] !== undefined,
  );
}

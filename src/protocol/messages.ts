/**
 * All messages between host and panel, as schemas that both sides validate. Ids are opaque to the panel; every text is
 * data, never markup.
 */

import * as z from 'zod';
import { type CommandArguments, PAGE_ACTS, PANEL_COMMANDS } from './commands.ts';
import { type Decoded, decodeAs } from './decode.ts';
import { blobName, id, imageData, imageName, imagesToSend, keptSchema, MOST_IMAGES, MOST_ROWS } from './kept.ts';
import { PART_IDS } from './parts.ts';
import { readRow } from './readRow.ts';
import { costsSchema, fateCountSchema, IMAGE_MIMES, MAX_TEXT, MOST_GROUPS, moneySchema, wordsSchema } from './rows.ts';

const text = z.string().max(MAX_TEXT);
/** A title, a name, a line about the current activity, instructions. */
const line = z.string().max(10_000);

/** Characters of an MCP server to add, which may be pasted JSON. */
const LONGEST_SERVER = 100_000;

const commandSchema = z.object({
  type: z.enum(PANEL_COMMANDS),
  instructions: line.optional(),
  strategy: id.optional(),
  forAll: z.literal(true).optional(),
  model: id.optional(),
  agent: id.optional(),
  server: z.string().max(LONGEST_SERVER).optional(),
  mode: id.optional(),
  checkpoint: z.number().int().min(0).optional(),
  sessionId: id.optional(),
  title: z.string().min(1).max(500).optional(),
  since: z.number().int().min(0).optional(),
}) satisfies z.ZodType<CommandArguments>;
export type CommandRequest = z.infer<typeof commandSchema>;

const toHostSchema = z.discriminatedUnion('type', [
  /** A command of the table, with its known arguments. */
  commandSchema,
  /**
   * Sent once when the panel's script starts; answered by `show` with as many of the newest rows as the panel had
   * before.
   */
  z.object({ type: z.literal('ready'), count: z.number().int().min(1).max(MOST_ROWS) }),
  /** The page's script ends: the editor removed it, or it was killed. */
  z.object({ type: z.literal('gone') }),
  /** State to restore after a reload. Omitted images are unchanged. */
  z.object({
    type: z.literal('keep'),
    sessionId: id,
    kept: keptSchema.omit({ images: true, editingImages: true }),
    images: imagesToSend.optional(),
    editingImages: imagesToSend.optional(),
  }),
  /** A text was put into a message field from elsewhere: it is not the person's own words. */
  z.object({ type: z.literal('pasted'), text }),
  /** With `replaces`, the user row of that id and everything after it become an abandoned branch. */
  z.object({
    type: z.literal('send'),
    text,
    replaces: id.optional(),
    /** The files shown by `editPreview` become as they were before the replaced message. */
    putBack: z.boolean().optional(),
    /** The person has seen the warnings about its mentions. */
    confirmed: z.boolean().optional(),
    images: imagesToSend.optional(),
    /** A running turn is stopped for it. */
    interrupts: z.boolean().optional(),
  }),
  /** Requests the files that editing this message can put back; answered by `editPreview`. */
  z.object({ type: z.literal('previewEdit'), rowId: id }),
  /** Requests warnings about the message's mentions before it is sent; answered by `mentionsChecked`. */
  z.object({ type: z.literal('checkMentions'), text }),
  /** Requests completions after `@`; answered by `mentionChoices`. */
  z.object({ type: z.literal('completeMention'), typed: z.string().max(500) }),
  /** Whether the editor's selection goes along with this message and the next ones. */
  z.object({ type: z.literal('keepSelection'), on: z.boolean() }),
  /** Opens the target of a mention. */
  z.object({ type: z.literal('openMention'), rowId: id, mention: line }),
  /** Requests an image of this session by the name of its blob. */
  z.object({ type: z.literal('loadImage'), blob: blobName }),
  /** Files dropped on the panel. */
  z.object({ type: z.literal('attachFiles'), uris: z.array(z.string().max(4_000)).min(1).max(MOST_IMAGES) }),
  z.object({
    type: z.literal('answer'),
    approvalId: id,
    hash: id,
    answer: z.enum(['allow', 'allowSession', 'allowAlways', 'allowReading', 'deny']),
    reason: z.string().max(10_000).optional(),
  }),
  /** The answer to a consent card. */
  z.object({
    type: z.literal('consent'),
    consentId: id,
    answer: z.enum(['compact', 'dropOldest', 'newSession', 'notNow']),
  }),
  /** Previews the compaction of the open question. It may ask a model. */
  z.object({ type: z.literal('previewConsent'), consentId: id }),
  /** The answer to the model's question. */
  z.object({
    type: z.literal('answerQuestion'),
    questionId: id,
    answer: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('approve'),
        changed: z.string().max(100_000).nullable(),
        always: z.literal(true).optional(),
      }),
      z.object({ kind: z.literal('answer'), text: z.string().min(1).max(10_000) }),
      z.object({ kind: z.literal('refuse'), reason: z.string().max(10_000) }),
    ]),
  }),
  /** Whether the page has the focus, so that the keys of commands apply to the panel. */
  z.object({ type: z.literal('focused'), focused: z.boolean() }),
  z.object({ type: z.literal('pin'), itemId: id, pinned: z.boolean() }),
  /** `also`: further items, in one step. */
  z.object({ type: z.literal('expand'), itemId: id, also: z.array(id).max(10).optional(), expanded: z.boolean() }),
  /** With `hit`, scrolls to the search hit. */
  z.object({
    type: z.literal('openSession'),
    sessionId: id,
    hit: z.object({ entry: z.number().int().min(0), text: z.string().max(1_000) }).optional(),
  }),
  z.object({ type: z.literal('listSessions'), query: z.string().max(1_000), scope: z.enum(['workspace', 'all']) }),
  /** Looks for sessions that other programs recorded in this folder; answered by `sessionsHere`. */
  z.object({ type: z.literal('findSessionsHere') }),
  /**
   * Goes on with one of them, by the id that the newest answer gave it: with the session that did so before, unless `anew`.
   */
  z.object({ type: z.literal('continueFound'), foundId: id, anew: z.boolean().optional() }),
  /** An action on a queued message: send it now, return it to the composer, or remove it. */
  z.object({ type: z.literal('queued'), id, act: z.enum(['send', 'edit', 'remove']) }),
  /** The answer to `room`: what a compaction took comes back, or is not offered again. */
  z.object({
    type: z.literal('roomAgain'),
    compaction: z.number().int().min(0),
    act: z.enum(['bringBack', 'dismiss']),
  }),
  /** Requests slash words other than commands, which are then part of the state. */
  z.object({ type: z.literal('listNames') }),
  z.object({ type: z.literal('favourite'), sessionId: id, favourite: z.boolean() }),
  z.object({ type: z.literal('deleteSession'), sessionId: id }),
  /** Requests the rows before `beforeId`, when the reader scrolls up. */
  z.object({ type: z.literal('loadRows'), beforeId: id, count: z.number().int().min(1).max(MOST_ROWS) }),
  z.object({ type: z.literal('copy'), text }),
  z.object({ type: z.literal('insert'), text }),
  /** Opens a tool's full arguments and result, or an edit's diff, in an editor. */
  z.object({ type: z.literal('openRow'), rowId: id }),
  /** A background command, by its id. */
  z.object({ type: z.literal('stopBackground'), id }),
  z.object({ type: z.literal('showBackground'), id }),
  /** The model in use takes images, says the person: from now on, or in this window. */
  z.object({ type: z.literal('takesImages'), lasting: z.boolean() }),
  z.object({ type: z.literal('openLink'), href: z.string().max(4_000) }),
  /** Searches the whole conversation for a text; answered by `found`. */
  z.object({ type: z.literal('find'), query: z.string().min(1).max(1_000) }),
  /** A file as named in an answer or on a card; `line` counts from 1. */
  z.object({
    type: z.literal('openFile'),
    path: z.string().min(1).max(4_000),
    line: z.number().int().min(1).optional(),
  }),
  /** An untitled file. */
  z.object({ type: z.literal('newFile'), text, language: z.string().max(100) }),
  /** A code block to apply as an edit: files that it names itself, and those named in the preceding text. */
  z.object({
    type: z.literal('applyCode'),
    text,
    language: z.string().max(100),
    named: z.array(z.string().max(400)).max(3),
    near: z.array(z.string().max(400)).max(5),
  }),
]);
export type ToHost = z.infer<typeof toHostSchema>;

export const decodeToHost = (value: unknown): Decoded<ToHost> => decodeAs(toHostSchema, value);

const meterSchema = z.object({
  tokens: z.number(),
  /** 0 when unknown. */
  window: z.number(),
  /** Its source. `learnt`: a provider refused or cut a longer request. */
  windowFrom: z.enum(['settings', 'server', 'table', 'learnt', 'default', 'client']),
  /** False when automatic compaction is off. */
  auto: z.boolean(),
  /**
   * The number of tokens that triggers a compaction; null when automatic compaction is off, or none does before the
   * provider refuses.
   */
  trigger: z.number().nullable(),
  /** The compared value where the strategy has its own count, and its limit; null when `tokens` is compared. */
  counted: z.object({ tokens: z.number(), limit: z.number() }).nullable(),
  /** Null when their number does not trigger. `together`: only combined with the tokens. */
  messages: z.object({ now: z.number(), limit: z.number(), together: z.boolean() }).nullable(),
  /** Tokens of the window that requests keep free for the answer. */
  reserve: z.number(),
  /** The name or pattern whose thresholds apply to the model; empty without one. */
  rule: line,
  /** They add up to `tokens`. */
  parts: z.array(
    z.object({
      name: z.enum(PART_IDS),
      tokens: z.number(),
    }),
  ),
  /** Share of the last request's input read from the provider's cache, 0–1; null when never reported. */
  cacheHit: z.number().nullable(),
  /** The clock of the prompt cache, as `CacheClock`; null without a session. */
  cache: z
    .object({
      says: z.enum(['reported', 'none', 'unknown']),
      usedAt: z.number().nullable(),
      livesMs: z.number().nullable(),
      held: z.number(),
      warm: moneySchema.nullable(),
      cold: moneySchema.nullable(),
      loss: moneySchema.nullable(),
    })
    .nullable(),
  /** The provider has reported nothing for this context, so `tokens` is an estimate. */
  estimated: z.boolean(),
  /** The part that fills the window and no compaction removes, with a way out; empty while compactions have something to do. */
  fixed: line,
});
export type Meter = z.infer<typeof meterSchema>;

const choiceSchema = z.object({
  id: line,
  label: line,
  description: line,
  /** The group heading above it. */
  group: line.optional(),
  /** Listed only under *More*. */
  more: z.boolean().optional(),
});
export type Choice = z.infer<typeof choiceSchema>;

/** Tokens of the whole request, and numbers of messages. */
const expectedSchema = z.object({ tokens: z.number(), fates: z.array(fateCountSchema).max(MOST_GROUPS) });

/** Names of codicons. */
export const MENTION_ICONS = [
  'file',
  'folder',
  'git-compare',
  'history',
  'plug',
  'symbol-array',
  'symbol-class',
  'symbol-constant',
  'symbol-constructor',
  'symbol-enum',
  'symbol-event',
  'symbol-field',
  'symbol-file',
  'symbol-function',
  'symbol-interface',
  'symbol-key',
  'symbol-method',
  'symbol-misc',
  'symbol-module',
  'symbol-namespace',
  'symbol-object',
  'symbol-operator',
  'symbol-property',
  'symbol-string',
  'symbol-struct',
  'symbol-structure',
  'symbol-variable',
  'terminal',
  'warning',
] as const;

const mentionChoiceSchema = z.object({
  /** Inserted into the message, `@` included. */
  insert: line,
  label: line,
  detail: line,
  icon: z.enum(MENTION_ICONS),
  /** It only begins a mention: more has to be typed. */
  more: z.boolean(),
});
export type MentionChoice = z.infer<typeof mentionChoiceSchema>;

const doubtSchema = z.object({ mention: line, kind: z.enum(['missing', 'secret']), reason: wordsSchema });
export type Doubt = z.infer<typeof doubtSchema>;

const consentSchema = z.object({
  id: line,
  strategyLabel: line,
  /** Label of the chosen strategy, which the person did not allow; empty where it is the one that would run. */
  insteadOf: line,
  tokens: z.number(),
  window: z.number(),
  /** Counted by the strategy's own estimator, so the meter shows another figure. */
  ownCount: z.boolean(),
  /** The person asked for it themselves, and has sent no message. */
  byHand: z.boolean(),
  /** Its summary, where that is a reason to ask: requests, tokens read in all, and their cost if known; else null. */
  summary: z.object({ requests: z.number(), tokens: z.number(), cost: moneySchema.nullable() }).nullable(),
  /** Number of messages, where it is a reason; else null. */
  messages: z.number().nullable(),
  /** The expected results of compacting and of dropping; null where unknown in advance, or there is nothing to do. */
  compact: expectedSchema.nullable(),
  dropOldest: expectedSchema.nullable(),
});

/** A question of the model, or of the agent itself, that only the person can answer. */
const questionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plan'), id: line, text }),
  z.object({
    kind: z.literal('permit'),
    id: line,
    text,
    yes: line,
    always: line.optional(),
    detail: text.optional(),
  }),
  z.object({
    kind: z.literal('choice'),
    id: line,
    text,
    choices: z.array(z.object({ label: line, description: line })).max(9),
    secret: z.boolean().optional(),
  }),
]);

/** Everything in the panel except the rows. */
const panelStateSchema = z.object({
  sessionId: line,
  title: line,
  status: z.enum(['idle', 'running', 'compacting', 'waiting']),
  /** One line about the current activity, such as a summary's progress; empty when idle. */
  activity: line,
  meter: meterSchema,
  /** The cost of the session's requests, abandoned branches included. */
  costs: costsSchema,
  /** The agent file that answers; empty for the built-in agent. */
  agent: line,
  /** Names of the available agent files. */
  agents: z.array(choiceSchema).max(1_000),
  strategy: line,
  strategyChoice: z.object({
    /** Says whose choice is in force, and what another one changes. */
    note: line,
    /** Labels of the actions that make it the setting's, and that go back to the setting's; empty where there is nothing to do. */
    forAll: line,
    back: line,
  }),
  strategies: z.array(choiceSchema).max(1_000),
  model: line,
  models: z.array(choiceSchema).max(10_000),
  /** Skills and prompt files that the person may use, as `/name`. `from`, its folder, and `hint` are a prompt file's. */
  skills: z.array(z.object({ name: line, description: line, from: line.optional(), hint: line.optional() })).max(1_000),
  /** Prompts of MCP servers, as `/server:prompt`. */
  prompts: z.array(z.object({ name: line, description: line })).max(1_000),
  /** False while no endpoint is set up, so that there is nothing to manage. */
  endpoints: z.boolean(),
  /** True for the scripted demo, whose texts are labelled. */
  demo: z.boolean(),
  /** Why nothing can be changed here; empty when it can. */
  readOnly: line,
  /** True when another window has the session: the panel then offers to take it over. */
  canTakeOver: z.boolean(),
  /** It was started in an earlier folder, and can continue in this one. */
  canContinueHere: z.boolean(),
  /** Sessions of this window that work while another is shown, or ended since the person last looked at them. */
  others: z.array(z.object({ id: line, state: z.enum(['working', 'waiting', 'finished', 'stopped']) })).max(10_000),
  /** Ids of the session's background commands. */
  background: z.array(id).max(1_000),
  /** Bytes of earlier file contents stored for checkpoints in this workspace, and the limit. */
  checkpoints: z.object({ bytes: z.number(), limit: z.number() }),
  /** A sent message waiting for its preparations, such as a compaction; null without one. */
  sending: text.nullable(),
  /** Queued messages, in order; `now`: waits only until open calls have results. */
  queue: z
    .array(
      z.object({
        id,
        text,
        now: z.boolean(),
        /** It was queued when the window was closed, and is sent only when the person says so. */
        kept: z.boolean().optional(),
      }),
    )
    .max(100),
  consent: consentSchema.nullable(),
  question: questionSchema.nullable(),
  /** The mode of the agent. */
  mode: line,
  modes: z.array(choiceSchema).max(10),
  /** The agent's todo list, in order; empty without one. */
  todo: z.array(z.object({ text: line, state: z.enum(['open', 'doing', 'done']) })).max(1_000),
  /** The editor's selection as a mention; null without one. `isNew`: the person has not been told that it goes along. */
  selection: z
    .object({ mention: line, name: line, tokens: z.number(), on: z.boolean(), isNew: z.boolean() })
    .nullable(),
  /**
   * Offers back what a compaction took, where the model has room for it: tokens of the context before and after, and the price of
   * the next message's input then, null where none is known. Null without an offer.
   */
  room: z
    .object({
      compaction: z.number(),
      model: line,
      before: z.number(),
      after: z.number(),
      price: moneySchema.nullable(),
    })
    .nullable(),
  /** The model accepts images; to others, they are only named. */
  images: z.enum(['yes', 'no', 'unknown']),
  /** The effect of *Try again*: nothing, ask the model again, or end the wait before the next attempt. */
  retry: z.enum(['none', 'possible', 'waiting']),
  /** False until a model is available: the panel then offers ways to get one. */
  modelReady: z.boolean(),
  folderOpen: z.boolean(),
  trusted: z.boolean(),
});
export type PanelState = z.infer<typeof panelStateSchema>;

const sessionInfoSchema = z.object({
  id: line,
  title: line,
  /** Milliseconds since the epoch of the last entry. */
  time: z.number(),
  messages: z.number(),
  /** A compaction is in it. */
  compacted: z.boolean(),
  current: z.boolean(),
  favourite: z.boolean(),
  /** The folder the session belongs to; empty for this window's. */
  workspace: line,
  /** Text around the search hit; empty when the title matched. */
  passage: line,
  /** The entry that the passage is from; null without one. */
  hit: z.number().nullable(),
  /** Why it cannot be read; empty when it can. */
  problem: wordsSchema.nullable(),
});
export type SessionInfo = z.infer<typeof sessionInfoSchema>;

const foundSessionSchema = z.object({
  id,
  program: line,
  /** The first question; empty where it is not known. */
  title: line,
  /** Milliseconds since the epoch of its last change. */
  time: z.number(),
  /** Which of several folders of the window it worked in; empty for one. */
  folder: line,
  /** A session here goes on with it: with all of it, or with less than it has now. */
  here: z.enum(['no', 'whole', 'older']),
});
export type SessionFound = z.infer<typeof foundSessionSchema>;

/** `stays`: somebody else has changed it since. `lost`: what it held is not known any more. */
const fileEffectSchema = z.enum(['restored', 'created', 'removed', 'stays', 'lost']);
export type FileEffect = z.infer<typeof fileEffectSchema>;

/** More than a panel ever holds. */
const MAX_ROWS = 100_000;
/** Each row is parsed separately: an invalid one does not affect the others. */
const rowsSchema = z
  .array(z.unknown())
  .max(MAX_ROWS)
  .transform((rows) => rows.map(readRow));

/** Images that the session stores. */
const storedImages = z
  .array(z.object({ name: imageName, blob: blobName }))
  .max(MOST_IMAGES)
  .optional();

const toPanelMessageSchema = z.discriminatedUnion('type', [
  /** A complete new view: after `ready`, and when another session is shown. */
  z.object({
    type: z.literal('show'),
    state: panelStateSchema,
    rows: rowsSchema,
    more: z.boolean(),
    /** The page's own state of this session; omitted without one. */
    kept: keptSchema.optional(),
  }),
  z.object({ type: z.literal('state'), state: panelStateSchema }),
  /** New or changed rows by id, in transcript order. Other rows stay as they are. */
  z.object({ type: z.literal('rows'), rows: rowsSchema }),
  /** Removed rows: a live row became a message, or the head moved to another branch. */
  z.object({ type: z.literal('removeRows'), ids: z.array(line).max(MAX_ROWS) }),
  /** Text to append to a live row; at most one such message a frame. */
  z.object({ type: z.literal('delta'), rowId: line, text, reasoning: text }),
  /** The answer to `loadRows`: older rows, which precede the others. */
  z.object({ type: z.literal('olderRows'), beforeId: id, rows: rowsSchema, more: z.boolean() }),
  /** The sessions that match `query`. */
  z.object({
    type: z.literal('sessions'),
    query: z.string().max(1_000),
    sessions: z.array(sessionInfoSchema).max(100_000),
  }),
  /** Sessions of other programs, newest first. `problems`: what could not be read. `more`: there may be older ones. */
  z.object({
    type: z.literal('sessionsHere'),
    sessions: z.array(foundSessionSchema).max(1_000),
    problems: z.array(line).max(100),
    more: z.boolean(),
  }),
  /** The rows that contain a text, oldest first, with the number of matches in each. */
  z.object({
    type: z.literal('found'),
    query: z.string(),
    hits: z.array(z.object({ rowId: id, count: z.number() })).max(10_000),
  }),
  /** A command that the page carries out. */
  z.object({ type: z.literal('act'), act: z.enum(PAGE_ACTS) }),
  /** Opens the list of sessions; the panel then asks for them. */
  z.object({ type: z.literal('history') }),
  /** Scrolls to a row, even an older one not loaded yet, and marks the text in it. */
  z.object({ type: z.literal('reveal'), rowId: id, text: line }),
  /** Leads to a row that the person's own act made: in view, and with the focus unless they are writing. */
  z.object({ type: z.literal('lead'), rowId: id }),
  /** The answer to `loadImage`; `data` is empty when it can no longer be read. */
  z.object({ type: z.literal('image'), blob: blobName, mime: z.enum(IMAGE_MIMES), data: imageData }),
  /** Images that the person chose for the message being written. */
  z.object({
    type: z.literal('attach'),
    images: z.array(z.object({ name: imageName, data: imageData })).max(MOST_IMAGES),
  }),
  /** Puts text into the composer, with images stored in the session, or only focuses it. */
  z.object({
    type: z.literal('compose'),
    text,
    images: storedImages,
  }),
  /** A message that `compose` put into the composer is in the conversation again. */
  z.object({ type: z.literal('saidAgain'), text, images: storedImages }),
  /** Inserts text into the draft, at the cursor. With `send`, an otherwise empty message is sent at once. */
  z.object({ type: z.literal('insertText'), text: line, send: z.boolean().optional() }),
  /** The files that sending an edited message can put back. */
  z.object({
    type: z.literal('editPreview'),
    rowId: id,
    files: z.array(z.object({ path: line, effect: fileEffectSchema })).max(200),
    /** How many are put back. */
    back: z.number().int().min(0),
    /** Files that are not listed. */
    more: z.number().int().min(0),
    /** A command may have changed files that are not known. */
    incomplete: z.boolean(),
  }),
  z.object({ type: z.literal('mentionChoices'), typed: line, choices: z.array(mentionChoiceSchema).max(100) }),
  z.object({ type: z.literal('mentionsChecked'), text, doubts: z.array(doubtSchema).max(100) }),
]);
export type ToPanel = z.infer<typeof toPanelMessageSchema>;

/** A posted frame: all of its messages, in order. */
const toPanelSchema = z.array(toPanelMessageSchema).max(1_000);

export const decodeToPanel = (value: unknown): Decoded<readonly ToPanel[]> => decodeAs(toPanelSchema, value);

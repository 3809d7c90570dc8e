/**
 * Takes an example through the product's own agent: its history lies in a journal, and what is done goes through the turn
 * loop, the compactor and time travel of the product. Only the models and the person are scripted.
 */

import type { Agent } from '../../../src/core/agent/agent.ts';
import { ensureHeader } from '../../../src/core/agent/parts/header.ts';
import type { Timers } from '../../../src/core/clock.ts';
import type { CompactionSignal } from '../../../src/core/compaction/signals/compactionSignal.ts';
import type { ConsentAnswer, ConsentFigures } from '../../../src/core/compaction/signals/consent.ts';
import { ModelError } from '../../../src/core/errors.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { clearConversation, revertToCheckpoint } from '../../../src/core/journal/timeTravel.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { declareTool } from '../../../src/core/tools/tool.ts';
import { testCrypto } from '../ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from '../ports/scriptedModel.ts';
import { testClock } from '../ports/testClock.ts';
import { type TestAgent, testAgent } from '../testAgent.ts';
import { headerOf } from '../windowFor.ts';
import type { Example, ExampleAnswer, ExampleStep } from './example.ts';
import { historyEntries, writeOut } from './exampleHistory.ts';

/** The effect of a step, and the resulting session. */
export interface Happened {
  readonly agent: Agent;
  readonly entries: readonly Entry[];
  readonly events: readonly CompactionSignal[];
  readonly logs: readonly string[];
  readonly asked: readonly ConsentFigures[];
  readonly model: ScriptedModel;
  readonly summaryModel: ScriptedModel;
  readonly outcome: string;
}

/** The figures of the examples are of whole requests: this many tokens of each are its header. */
const HEADER = 1_900;

const going = new AbortController().signal;
/** Waiting is over at once; a deadline of minutes never comes. */
const timers: Timers = {
  after: (ms, fire) => {
    if (ms > 60_000) return () => undefined;
    const timer = setImmediate(fire);
    return () => clearImmediate(timer);
  },
};

/** `look` is called after each step. */
export async function runExample(
  example: Example,
  look: (step: ExampleStep, happened: Happened) => void,
): Promise<void> {
  const [events, logs, asked] = [[] as CompactionSignal[], [] as string[], [] as ConsentFigures[]];
  const consent: ConsentAnswer[] = [];
  let models = { turn: new ScriptedModel([]), summary: new ScriptedModel([]) };
  let settings = example.settings;
  const header = await headerOf(HEADER, { settings: example.agent });
  const choice = (client: ScriptedModel) => ({ client, model: 'scripted', window: example.window });
  const open = (lines?: readonly string[]): Promise<TestAgent> =>
    testAgent(models.turn.choice(), {
      ...(lines ? { lines } : {}),
      files: Object.fromEntries(Object.entries(example.files).map(([path, text]) => [path, writeOut(text)])),
      settings: example.agent,
      ...header,
      compaction: () => settings,
      models: { initial: () => 'scripted', resolve: (_, purpose) => choice(models[purpose]) },
      person: {
        approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
        consent: async (figures) => {
          asked.push(figures);
          const answer = consent.shift();
          if (!answer) throw new Error('The example has no answer to this question');
          return answer;
        },
      },
      system: { clock: testClock(), timers, crypto: testCrypto(), log: (level, text) => logs.push(`${level} ${text}`) },
      events: { onTurn: () => undefined, onProgress: () => undefined, onCompaction: (event) => events.push(event) },
    });
  let session = await open();
  await beginSession(session.agent, choice(models.turn));
  for (const entry of historyEntries(example.history)) await session.agent.journal.append(entry);
  for (const step of example.do) {
    settings = { ...settings, ...step.set };
    const times = 'send' in step ? step.times : 1;
    const answers = Array.from({ length: times }, () => step.answers.map(toStep)).flat();
    models = { turn: new ScriptedModel(answers), summary: new ScriptedModel(step.summaries.map(toStep)) };
    consent.push(...step.consent);
    for (const entry of historyEntries(step.add ?? [])) await session.agent.journal.append(entry);
    for (const list of [events, logs, asked]) list.length = 0;
    const before = session.agent.journal.nextSeq;
    if ('resume' in step) {
      session.agent.compactor.dispose();
      session = await open(session.store.lines);
    }
    const { agent } = session;
    let outcome = '';
    for (let time = 1; time <= times; time++) outcome = await take(step, agent, time);
    const entries = agent.journal.entries.filter(({ seq }) => seq >= before);
    look(step, { agent, entries, events, logs, asked, model: models.turn, summaryModel: models.summary, outcome });
    models.turn.assertDone();
    if (consent.length) throw new Error(`${consent.length} answers were not asked for`);
  }
  session.agent.compactor.dispose();
}

/** The beginning of a session that had a turn: a history without the header would be a thousand tokens shorter. */
async function beginSession(agent: Agent, model: ModelChoice): Promise<void> {
  await agent.configure(model.model);
  const ports = agent.turnWith(model);
  await ensureHeader(agent.journal, await ports.header(new AbortController().signal), ports.tools().map(declareTool));
}

async function take(step: ExampleStep, agent: Agent, time: number): Promise<string> {
  if ('send' in step) return (await agent.send(writeOut(step.send.replaceAll('#', `${time}`)), going)).kind;
  if ('compact' in step) {
    const instructions = step.compact ? { instructions: step.compact } : {};
    return (await agent.compactor.compact({ trigger: 'manual', ...instructions }, going)).kind;
  }
  if ('undo' in step) return String(await agent.compactor.undo());
  if ('clear' in step) return (await clearConversation(agent.journal)).kind;
  if ('revertTo' in step) return (await revertToCheckpoint(agent.journal, step.revertTo)).kind;
  return 'resumed';
}

function toStep(answer: ExampleAnswer): Step {
  // Nothing is reported unless the example says so: what the meter then reads is its estimate.
  if (typeof answer === 'string') return { text: writeOut(answer), usage: null };
  const { text, reasoning, calls, usage, fails } = answer;
  return {
    text: writeOut(text),
    calls,
    usage: usage ?? null,
    ...(reasoning ? { reasoning } : {}),
    ...(fails ? { error: new ModelError(fails, `The model failed: ${fails}.`) } : {}),
  };
}

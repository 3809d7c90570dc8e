/**
 * The package `palimpsest-core`: the agent for other programs, its stores in memory and on disk, importers of recorded
 * sessions, and the replay of the lab. No VS Code.
 */

export * as z from 'zod';
export { Agent } from '../core/agent/agent.ts';
export { type AgentOptions, type CompactionChoice, createAgent, type OwnStrategy } from '../core/agent/createAgent.ts';
export { StrategyRegistry } from '../core/compaction/hosting/registry.ts';
export type { Message } from '../core/context/message.ts';
export { JournalError, ModelError } from '../core/errors.ts';
export type { BlobStore } from '../core/journal/blobStore.ts';
export type { Entry } from '../core/journal/entry.ts';
export { Journal } from '../core/journal/journal.ts';
export type { JournalStore } from '../core/journal/journalStore.ts';
export type { ModelChoice } from '../core/model/modelChoice.ts';
export type { ModelClient } from '../core/model/modelClient.ts';
export { exportJson, exportMarkdown, exportNormalForm } from '../core/sessions/exportSession.ts';
export { FORMAT_LABELS, recognise } from '../core/sessions/recognise.ts';
export { type ImportReport, newImportReport } from '../core/sessions/recorded.ts';
export type { Tool } from '../core/tools/tool.ts';
export type { Autopsy, CompactionAutopsy } from '../lab/autopsy.ts';
export { type LabReport, makeReport, renderMarkdown } from '../lab/makeReport.ts';
export { prepareSession } from '../lab/prepareSession.ts';
export { type LabScore, runSession } from '../lab/replay.ts';
export { type RecordedSession, readSession } from '../lab/session.ts';
export { runAutopsy } from '../node/lab/runAutopsy.ts';
export { readStored } from '../node/lab/storedSession.ts';
export type { Cleaner } from '../node/secrets/cleaner.ts';
export { openCleaner } from '../node/secrets/openCleaner.ts';
export { importFile } from '../node/storage/sessions/importFile.ts';
export { listParts, type RecordedPart } from '../node/storage/sessions/recordedParts.ts';
export { type OpenSession, SessionStore } from '../node/storage/sessions/sessionStore.ts';
export { openStrategy } from '../node/strategyFiles/openStrategy.ts';
export { type Answer, ask } from './ask.ts';
export { createEndpointClient } from './endpointClient.ts';
export { compactInPi, type PiOptions } from './pi.ts';
export { memoryStorage, nodeSystem, openStorage, type Storage } from './storage.ts';

/** Where the core reports what a developer may want to read. It is never part of a conversation. */

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type Log = (level: LogLevel, text: string) => void;

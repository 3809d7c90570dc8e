// The few globals that every JavaScript host has, for layers that see neither the DOM nor Node. Anything else is I/O
// and goes through a port. The whole-project tsconfig.json excludes this file: the DOM and Node declare the same names.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare var AbortSignal: {
  abort(reason?: unknown): AbortSignal;
  any(signals: AbortSignal[]): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: { new (): AbortController };

interface TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare var TextEncoder: { new (): TextEncoder };
interface TextDecoder {
  decode(bytes?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare var TextDecoder: { new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder };

/** Each character of the result is a byte. Throws for text that is no base64. */
declare function atob(base64: string): string;

interface URL {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
  readonly username: string;
  readonly password: string;
  hash: string;
}
declare var URL: { new (url: string, base?: string): URL };

declare function structuredClone<T>(value: T): T;
declare function queueMicrotask(callback: () => void): void;

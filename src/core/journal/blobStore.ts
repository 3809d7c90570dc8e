/** Where the bodies of a session are kept, by their content. */

/** Content-addressed bodies of a session. Names are lower-case SHA-256. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
  /** Null when it has expired or was never there. */
  get(name: string): Promise<Uint8Array | null>;
}

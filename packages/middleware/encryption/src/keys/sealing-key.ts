/** A root key that seals, and how an envelope names it. */
export interface SealingKey {
  readonly keyringId: string
  readonly id: string
  /** 32 bytes. They may be overwritten later, so they are used at once and never kept. */
  readonly root: Buffer
  /** The section of wrapped data keys, if the root is a data key. */
  readonly wrapped?: Buffer | undefined
}

/** How an envelope names the key that it was sealed with. */
export interface KeyName {
  readonly keyringId: string
  readonly keyId: string
  /** The section of wrapped data keys, if there is one. Its length is checked, its content not yet. */
  readonly wrapped: Buffer | undefined
}

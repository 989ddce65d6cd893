import type { Awaitable, Bytes, CallOptions } from '@unikv/core'
import { readHeader } from './envelope.ts'
import type { Keyring } from './keyring.ts'
import { type Open, Opener } from './opener.ts'
import { type Seal, Sealer, type SealerOptions } from './sealer.ts'

/** What one call is about to seal. */
export interface BatchSize {
  readonly messages: number
  readonly bytes: number
}

/** Opens and seals the records of one layer, with keys that are at hand or asked for. */
export interface Vault {
  readonly sealer: Sealer
  /** A function for the records of one answer, given their envelopes. It throws for those that cannot be opened. */
  opening(envelopes: readonly Bytes[], call: CallOptions): Awaitable<Open>
  /** A function for the records of one write. */
  sealing(size: BatchSize, call: CallOptions): Awaitable<Seal>
  /**
   * Whether an envelope is sealed as this vault would seal it now: by the same key, cipher and flags.
   *
   * @throws {StoreError} `CORRUPT` for what is no envelope
   */
  isCurrent(envelope: Bytes): boolean
}

/** A vault with a keyring: everything is at hand. */
export function keyringVault(options: SealerOptions & { readonly keys: Keyring }): Vault {
  const sealer = new Sealer(options)
  const opener = new Opener(options)
  return {
    sealer,
    opening: () => opener.batch(),
    sealing: () => sealer.batch(),
    isCurrent: (envelope) => sealer.isCurrent(readHeader(envelope)),
  }
}

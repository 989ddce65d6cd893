import type { Awaitable, Bytes, CallOptions } from '@unikv/core'
import type { CipherInput } from '../envelope/cipher.ts'
import { type Header, readHeader } from '../envelope/envelope.ts'
import { type Open, type OpenEither, Opener, type OpenNamed } from '../envelope/opener.ts'
import { type Seal, type SealedStream, Sealer, type SealerOptions } from '../envelope/sealer.ts'
import { type Keyring, sealingKey } from '../keys/keyring.ts'
import type { BatchSize } from '../kms/data-keys.ts'

/** A stream before its first chunk, of unknown length. */
export interface CountedStream extends SealedStream {
  /** Count bytes of the value as they come. */
  readonly spend: (bytes: number) => void
}

/** Opens and seals the records of one layer, with keys that are at hand or asked for. */
export interface Vault {
  readonly sealer: Sealer
  /** Whether every key is at hand, so that a store below that answers at once still does. */
  readonly sync: boolean
  /**
   * Work on the records of one answer. `envelopes` tells which they are, if anything has to be asked for them; what
   * cannot be opened throws when it is opened.
   */
  opened<T>(envelopes: () => readonly Bytes[], call: CallOptions, work: (open: Open) => T): Awaitable<T>
  /** As `opened`, for records that tell their true key, and no others. */
  openedNamed<T>(
    envelopes: () => readonly Bytes[],
    call: CallOptions,
    work: (open: OpenNamed) => T,
  ): Awaitable<T>
  /** As `opened`, for who seals records again as they were: also those that tell their true key. */
  openedEither<T>(
    envelopes: () => readonly Bytes[],
    call: CallOptions,
    work: (open: OpenEither) => T,
  ): Awaitable<T>
  /** Work on the records of one write. Rejects if there is no key to seal them with. */
  sealed<T>(size: () => BatchSize, call: CallOptions, work: (seal: Seal) => T): Awaitable<T>
  /** Seals a stream under a canonical key. */
  sealedStream(key: string, call: CallOptions): Awaitable<CountedStream>
  /** Opens the chunks behind a header. */
  openedStream(key: string, header: Header, call: CallOptions): Awaitable<CipherInput>
  /**
   * Whether an envelope is sealed as this vault would seal it now: with the same key, cipher and flags.
   *
   * @throws {StoreError} `CORRUPT` if this is not an envelope
   */
  isCurrent(envelope: Bytes): boolean
}

/** A vault with a keyring: everything is at hand. */
export function keyringVault(options: SealerOptions & { readonly keys: Keyring }): Vault {
  const sealer = new Sealer(options)
  const opener = new Opener(options)
  return {
    sealer,
    sync: true,
    opened: (_envelopes, _call, work) => work(opener.batch()),
    openedNamed: (_envelopes, _call, work) => work(opener.namedBatch()),
    openedEither: (_envelopes, _call, work) => work(opener.eitherBatch()),
    sealed: (_size, _call, work) => work(sealer.batch()),
    sealedStream: (key) => ({ ...sealer.stream(key), spend: uncounted }),
    openedStream: (key, header) => opener.stream(key, header),
    isCurrent: (envelope) => sealer.isLike(readHeader(envelope), sealingKey(options.keys)),
  }
}

function uncounted(): void {
  // A key of a keyring serves until it is replaced.
}

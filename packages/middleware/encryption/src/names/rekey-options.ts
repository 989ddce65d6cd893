import type { SharedContext } from '../envelope/associated-data.ts'
import type { RecordKind } from '../envelope/kinds.ts'
import type { SealingOptions } from '../envelope/sealing-options.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { KmsKeys } from '../kms/kms-keys.ts'
import type { NameKey } from './name-key.ts'

/** Options of a rekey: the settings of the stack, and both name keys. */
export interface RekeyOptions extends SharedContext, SealingOptions {
  readonly keys: Keyring | KmsKeys
  readonly kind?: RecordKind | undefined
  /** The name key that the dataset has. */
  readonly from: NameKey
  /** The new name key. */
  readonly to: NameKey
  /**
   * `false` copies, beside stacks that read and write under the former key as ever; as often as you like. `true`
   * closes the dataset for writers, copies what has changed since, and hands it over. @default false
   */
  readonly finish?: boolean | undefined
  /** The treatment of records that do not open: `refuse` to finish, or `leave` them under their old names. @default 'refuse' */
  readonly unreadable?: 'refuse' | 'leave' | undefined
  /**
   * How long it takes, once the dataset is closed, until the last writer has noticed and its last write has ended:
   * ten seconds and the longest deadline. @default 15,000
   */
  readonly settleMs?: number | undefined
  /** Records at a time. @default 100 */
  readonly pageSize?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Told after each page. */
  readonly onProgress?: ((progress: RekeyProgress) => void) | undefined
}

/** How far a rekey is. Numbers of this run. */
export interface RekeyProgress {
  readonly step: 'copy' | 'close' | 'remove'
  /** Walks through the dataset, this one too. */
  readonly passes: number
  /** Records seen in this walk. */
  readonly seen: number
  /** Copies written, removed again, or taken back because their record changed. */
  readonly changes: number
  /** Records removed under their old names, after the dataset was handed over. */
  readonly removed: number
}

/** The result of a rekey. */
export interface RekeyReport extends Omit<RekeyProgress, 'step' | 'seen'> {
  /** Whether the dataset has the new name key. */
  readonly finished: boolean
  /** Records of the last walk that do not open. */
  readonly unreadable: number
  /** Records that somebody wrote under an old name after the dataset was handed over. They are left where they are. */
  readonly stragglers: number
}

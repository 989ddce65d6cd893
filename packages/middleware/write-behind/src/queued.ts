import type { Bytes, DeleteMutation, SetMutation, StoreError } from '@unikv/core'
import { keyBytes } from '@unikv/core/adapter'

/** A write that waits: its value is ours, and its expiry is absolute. */
export type Change =
  | (Omit<SetMutation<Bytes>, 'expiresAt' | 'ifVersion'> & { readonly expiresAt: number | undefined })
  | Omit<DeleteMutation, 'ifVersion'>

/** Told what became of a write, or of the one that replaced it: an error, or nothing. */
export type Told = (error: StoreError | undefined) => void

/** A change on its way to the store. */
export interface Queued {
  readonly change: Change
  readonly bytes: number
  /** Its writer was told that it is done. */
  readonly isAcknowledged: boolean
  /** It goes to the store without others, as one of them may be why it was refused. */
  isAlone: boolean
  /** It failed while others did not, so it goes alone and lets others go first. */
  isSlow: boolean
  /** How many writes the store had when it last failed alone. */
  failedAt: number | undefined
  /** The change that it replaced, which is written after all if the store refuses it. */
  before: Queued | undefined
  readonly told: Set<Told>
  /** The change that replaced it for good, and has the callers that waited for it. */
  follower: Queued | undefined
}

/** This one waits no more. */
export function leave(queued: Queued, tell: Told): void {
  for (let one: Queued | undefined = queued; one !== undefined; one = one.follower) one.told.delete(tell)
}

/** Bytes that an entry of the queue takes besides its key and value, roughly. */
const overheadBytes = 256

/** Bytes that a change takes in the queue. */
export function bytesOf(change: Change): number {
  return overheadBytes + keyBytes(change.key) + (change.type === 'set' ? change.value.length : 0)
}

/** A change, and what it replaced: newest first. */
export function chainOf(queued: Queued | undefined): readonly Queued[] {
  const chain: Queued[] = []
  for (let one = queued; one !== undefined; one = one.before) chain.push(one)
  return chain
}

import type { Bytes, SetMutation } from '@unikv/core'
import type { Known } from './chain/chain.ts'
import type { NewPart } from './chain/extend.ts'

/** How a `set` is carried out: a part first, if there is one, then the head. */
export interface Plan {
  readonly how: 'deltas' | 'sent' | 'bases' | 'wholes'
  readonly head: SetMutation<Bytes>
  readonly part: NewPart | undefined
  /** State that is known when the head has been written; `undefined`: nothing certain. */
  readonly next: Known | undefined
  /** Keys of parts that no head names any more then. */
  readonly obsolete: readonly string[]
}

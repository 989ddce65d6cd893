import { type Store, StoreError } from '@unikv/core'

/** A failure of one verb, while the others work: nothing is changed by what fails. */
export interface HalfFailure {
  readonly verb: 'read' | 'write' | 'scan'
  /** How many calls of the verb work before. */
  readonly after: number
}

/** A store of which one verb fails while the others work. */
export interface FailingStore<V> {
  readonly store: Store<V>
  /** From now on it fails so; `undefined`: no more. */
  readonly fail: (failure: HalfFailure | undefined) => void
}

/** The failures that each call is tried with. */
export const halfFailureList: readonly HalfFailure[] = (['read', 'write', 'scan'] as const).flatMap((verb) =>
  [0, 1, 2].map((after) => ({ verb, after })),
)

/** A store that behaves as the one below it until it is told to fail. */
export function failingStore<V>(inner: Store<V>): FailingStore<V> {
  let failure: HalfFailure | undefined
  let calls = 0
  const isAway = (verb: HalfFailure['verb']): boolean => failure?.verb === verb && calls++ >= failure.after
  return {
    store: {
      ...inner,
      // As a server that is away: the answer comes later.
      read: (reads, call) => (isAway('read') ? Promise.reject(away()) : inner.read(reads, call)),
      write: (mutations, call) => (isAway('write') ? Promise.reject(away()) : inner.write(mutations, call)),
      scan: (range, call) => {
        if (isAway('scan')) throw away()
        return inner.scan(range, call)
      },
      close: () => inner.close(),
    },
    fail: (next) => {
      failure = next
      calls = 0
    },
  }
}

function away(): StoreError {
  return new StoreError('UNAVAILABLE', 'This half of the store is away; nothing was changed.')
}

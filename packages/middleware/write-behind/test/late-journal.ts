import { type Bytes, type Mutation, type Store, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { MemoryStore } from '@unikv/core/memory'

/** A write that was sent, and neither arrived nor ended. */
export interface Sent {
  readonly mutation: Mutation<Bytes>
  /** Let it take effect. */
  land(): void
  /** Let it be lost. */
  drop(): void
}

export type Fate = 'done' | 'refused' | 'hangs'

/** A journal whose writes hang when they are told to, and arrive or are lost when the test says so. */
export interface LateJournal {
  readonly store: Store<Bytes>
  readonly sent: Sent[]
  fate: (mutation: Mutation<Bytes>) => Fate
  /** Its process was killed: nothing that it does has an effect, besides what it has sent. */
  die(): void
}

export function lateJournal(records: MemoryStore): LateJournal {
  let isDead = false
  const hang = (mutation: Mutation<Bytes>): Promise<void> =>
    new Promise((resolve) => {
      const drop = (): void => {
        made.sent.splice(made.sent.indexOf(one), 1)
        resolve()
      }
      const land = (): void => {
        void records.write([mutation], callOptions())
        drop()
      }
      const one: Sent = { mutation, land, drop }
      made.sent.push(one)
    })
  const made: LateJournal = {
    sent: [],
    fate: () => 'done',
    die: () => {
      isDead = true
    },
    store: {
      ...(records as unknown as Store<Bytes>),
      capabilities: {
        ...records.capabilities,
        sync: 'none',
        batch: { ...records.capabilities.batch, atomicity: 'none' },
      },
      write: async (mutations, call) => {
        if (isDead) return new Promise(() => {})
        const fates = mutations.map(made.fate)
        if (fates.includes('refused')) throw new StoreError('UNAVAILABLE', 'Nothing was changed.')
        call.sent = true
        const hung = mutations.filter((_, i) => fates[i] === 'hangs')
        const results = records.write(
          mutations.filter((one) => !hung.includes(one)),
          call,
        )
        if (hung.length === 0) return results
        await Promise.all(hung.map(hang))
        throw new StoreError('OUTCOME_UNKNOWN', 'No answer came.')
      },
    },
  }
  return made
}

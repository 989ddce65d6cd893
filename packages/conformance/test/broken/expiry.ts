import type { TestClock } from '@unikv/conformance'
import type { Bytes, Entry, Mutation } from '@unikv/core'
import { type BrokenStore, itemwise, type Sound, tick } from './broken-store.ts'

const topic = 'expiry'

/** Stores whose records live too long, too short, or take others with them. */
export const brokenExpiry: readonly BrokenStore[] = [
  {
    fault: 'declares expiry and ignores it',
    topic,
    found: 'a record that lives on is read with its expiry',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          inner.write(mutation.type === 'set' ? { ...mutation, expiresAt: undefined } : mutation),
      }),
  },
  {
    fault: 'reads expired records',
    topic,
    found: 'an expired record is absent for reads of every kind',
    breaks: (inner, clock) => withOwnExpiry(inner, clock, { hides: false, removes: 'never' }),
  },
  {
    fault: 'reads expired records in batches alone',
    topic,
    found: 'an expired record is absent for reads of every kind',
    breaks: (inner, clock) => {
      const [careful, careless] = [true, false].map((hides) =>
        withOwnExpiry(inner, clock, { hides, removes: 'never' }),
      )
      return {
        ...careful,
        read: (reads, call) => (reads.length > 1 ? careless : careful)?.read?.(reads, call) ?? [],
      }
    },
  },
  {
    fault: 'lists expired records',
    topic,
    found: 'an expired record is not listed, nor counted',
    breaks: (inner, clock) => withOwnExpiry(inner, clock, { hides: true, removes: 'never' }),
  },
  {
    fault: 'lets an expired record stand in the way of a new one',
    topic,
    found: 'an expired record counts as absent for conditions',
    breaks: (inner, clock) => withOwnExpiry(inner, clock, { hides: true, removes: 'never' }),
  },
  {
    fault: 'deletes an expired record after a while, whatever has become of it',
    topic,
    found: 'readers that meet an expired record do not destroy a fresh write',
    breaks: (inner, clock) => withOwnExpiry(inner, clock, { hides: true, removes: 'whatever is there' }),
  },
  {
    fault: 'keeps the expiry when a set gives none',
    topic,
    found: 'a set without expiry removes the one that was there',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          inner.write(
            mutation.type === 'set' && mutation.expiresAt === undefined
              ? { ...mutation, expiresAt: 'keep' }
              : mutation,
          ),
      }),
  },
  {
    fault: 'drops the expiry that a set keeps',
    topic,
    found: 'a set that keeps the expiry replaces value and version alone',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          inner.write(
            mutation.type === 'set' && mutation.expiresAt === 'keep'
              ? { ...mutation, expiresAt: undefined }
              : mutation,
          ),
      }),
  },
  {
    fault: 'keeps the expiry of a record that has expired',
    topic,
    found: 'a set that keeps the expiry gives none to a record without one, absent or expired',
    breaks: (inner) => {
      const given = new Map<string, number>()
      return itemwise(inner, {
        write: (mutation) => {
          if (mutation.type !== 'set') return inner.write(mutation)
          const expiresAt = mutation.expiresAt === 'keep' ? given.get(mutation.key) : mutation.expiresAt
          if (typeof expiresAt === 'number') given.set(mutation.key, expiresAt)
          return inner.write({ ...mutation, expiresAt })
        },
      })
    },
  },
  {
    fault: 'takes milliseconds for seconds',
    topic: 'time to live',
    found: 'a record lives until its time has come, and not longer',
    breaks: (inner, clock) => {
      const later = (at: number) => clock() + (at - clock()) * 1_000
      const longer = (mutation: Mutation<Bytes>): Mutation<Bytes> =>
        mutation.type === 'set' && typeof mutation.expiresAt === 'number'
          ? { ...mutation, expiresAt: later(mutation.expiresAt) }
          : mutation
      return itemwise(inner, { write: (mutation) => inner.write(longer(mutation)) })
    },
  },
]

/** Expiry kept beside the sound store, which itself forgets nothing. */
function withOwnExpiry(
  inner: Sound,
  clock: TestClock,
  { hides, removes }: { hides: boolean; removes: 'never' | 'whatever is there' },
): ReturnType<typeof itemwise> {
  const expiries = new Map<string, number>()
  const shown = (key: string, entry: Entry<Bytes> | undefined): Entry<Bytes> | undefined => {
    const expiresAt = expiries.get(key)
    const over = expiresAt !== undefined && expiresAt <= clock()
    if (over && removes !== 'never') {
      void tick().then(() => inner.write({ type: 'delete', key, version: '0'.repeat(24) }))
    }
    return entry === undefined || (over && hides) ? undefined : { ...entry, expiresAt }
  }
  return itemwise(inner, {
    read: ({ key }) => shown(key, inner.entry(key)),
    write: (mutation) => {
      if (mutation.type !== 'set') return inner.write(mutation)
      if (mutation.expiresAt === undefined) expiries.delete(mutation.key)
      else if (mutation.expiresAt !== 'keep') expiries.set(mutation.key, mutation.expiresAt)
      return inner.write({ ...mutation, expiresAt: undefined })
    },
  })
}

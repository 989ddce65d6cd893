import { createHash } from 'node:crypto'
import type { Bytes, Mutation, WriteResult } from '@unikv/core'
import { type BrokenStore, itemwise, type Sound, tick } from './broken-store.ts'

/** Stores whose conditions, touches and increments are not what they say. */
export const brokenConditions: readonly BrokenStore[] = [
  {
    fault: 'checks a condition first and acts later',
    topic: 'races',
    found: 'of sixteen writers that make a key one wins, and its value stays',
    breaks: (inner) =>
      itemwise(inner, {
        write: async (mutation) => {
          if (!holds(inner, mutation)) return { conditionFailed: true }
          await tick()
          return inner.write(unconditional(mutation))
        },
      }),
  },
  {
    fault: 'checks conditions of sets atomically, and those of deletes not',
    topic: 'races',
    found: 'of deletes and sets of the same version one wins',
    breaks: (inner) =>
      itemwise(inner, {
        write: async (mutation) => {
          if (mutation.type !== 'delete') return inner.write(mutation)
          if (!holds(inner, mutation)) return { conditionFailed: true }
          await tick()
          return inner.write(unconditional(mutation))
        },
      }),
  },
  {
    fault: 'deletes whatever the condition says',
    topic: 'conditions',
    found: 'a delete of the present version takes effect, and one of any other does not',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => inner.write(mutation.type === 'delete' ? unconditional(mutation) : mutation),
      }),
  },
  {
    fault: 'takes the condition null for none',
    topic: 'conditions',
    found: 'a set of a new key takes effect once',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => inner.write(mutation.ifVersion === null ? unconditional(mutation) : mutation),
      }),
  },
  {
    fault: 'makes a record although its version was asked for',
    topic: 'conditions',
    found: 'a set of a version of an absent key does not make it',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          inner.write(inner.entry(mutation.key) === undefined ? unconditional(mutation) : mutation),
      }),
  },
  {
    fault: 'takes the hash of the value for its version',
    topic: 'conditions',
    found: 'a version from before a delete never matches the record that was made after it',
    breaks: (inner) => {
      const given = new Map<string, string>()
      const hashed = (mutation: Mutation<Bytes>) => {
        const version = createHash('sha256')
          .update(mutation.type === 'set' ? mutation.value : '')
          .digest('hex')
          .slice(0, 24)
        given.set(mutation.version, version)
        const { ifVersion } = mutation
        return {
          ...mutation,
          version,
          ifVersion: typeof ifVersion === 'string' ? (given.get(ifVersion) ?? ifVersion) : ifVersion,
        }
      }
      return itemwise(inner, { write: (mutation) => inner.write(hashed(mutation)) })
    },
  },
  {
    fault: 'refuses, but changes the expiry all the same',
    topic: 'conditions',
    found: 'a refused set changes no expiry',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          const result = inner.write(mutation)
          if (
            'conditionFailed' in result &&
            mutation.type === 'set' &&
            typeof mutation.expiresAt === 'number'
          ) {
            inner.write({
              type: 'touch',
              key: mutation.key,
              version: mutation.version,
              expiresAt: mutation.expiresAt,
            })
          }
          return result
        },
      }),
  },
  {
    fault: 'gives a touched record a new version',
    topic: 'touch',
    found: 'a touch changes the expiry and keeps value and version',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          const there = inner.entry(mutation.key)
          if (mutation.type !== 'touch' || there === undefined) return inner.write(mutation)
          return inner.write({ ...mutation, type: 'set', value: there.value })
        },
      }),
  },
  {
    fault: 'touches by reading and writing the value',
    topic: 'touch',
    found: 'touches at the same time as writes bring no earlier value back',
    breaks: (inner) => itemwise(inner, { write: (mutation) => touchByRewriting(inner, mutation) }),
  },
  {
    fault: 'brings a deleted record back by a touch',
    topic: 'touch',
    found: 'touches at the same time as deletes bring nothing back',
    breaks: (inner) => itemwise(inner, { write: (mutation) => touchByRewriting(inner, mutation) }),
  },
  {
    fault: 'takes a touch of nothing for a success',
    topic: 'touch',
    found: 'a touch of an absent or expired record is refused and makes nothing',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          const result = inner.write(mutation)
          return mutation.type === 'touch' && 'conditionFailed' in result
            ? { version: mutation.version }
            : result
        },
      }),
  },
  {
    fault: 'increments by reading and writing',
    topic: 'increment',
    found: 'increments at the same time count each, over two instances too',
    breaks: (inner) => itemwise(inner, { write: (mutation) => incrementSlowly(inner, mutation, Number) }),
  },
  {
    fault: 'takes what is no number for zero',
    topic: 'increment',
    found: 'a value that is not a number is not counted, and stays as it is',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => incrementSlowly(inner, mutation, (text) => Number.parseInt(text, 10) || 0),
      }),
  },
  {
    fault: 'counts beyond the safe integers',
    topic: 'increment',
    found: 'safe integers are exact to their ends, and are not left',
    breaks: (inner) => itemwise(inner, { write: (mutation) => incrementSlowly(inner, mutation, Number) }),
  },
  {
    fault: 'starts a counter at one, whatever it is told',
    topic: 'increment',
    found: 'a missing key starts at the initial number',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          inner.write(mutation.type === 'increment' ? { ...mutation, initial: 0 } : mutation),
      }),
  },
]

function holds(inner: Sound, { key, ifVersion }: Mutation<Bytes>): boolean {
  return ifVersion === undefined || ifVersion === (inner.entry(key)?.version ?? null)
}

function unconditional(mutation: Mutation<Bytes>): Mutation<Bytes> {
  return { ...mutation, ifVersion: undefined }
}

async function touchByRewriting(inner: Sound, mutation: Mutation<Bytes>): Promise<WriteResult> {
  const there = inner.entry(mutation.key)
  if (mutation.type !== 'touch' || there === undefined) return inner.write(mutation)
  await tick()
  inner.write({
    type: 'set',
    key: mutation.key,
    value: there.value,
    version: there.version as string,
    expiresAt: mutation.expiresAt,
  })
  return { version: there.version }
}

async function incrementSlowly(
  inner: Sound,
  mutation: Mutation<Bytes>,
  parse: (text: string) => number,
): Promise<WriteResult> {
  if (mutation.type !== 'increment') return inner.write(mutation)
  const there = inner.entry(mutation.key)
  await tick()
  const value =
    (there === undefined ? mutation.initial : parse(Buffer.from(there.value).toString())) + mutation.by
  inner.write({
    ...mutation,
    type: 'set',
    value: Buffer.from(String(value)),
    expiresAt: there === undefined ? mutation.expiresAt : 'keep',
  })
  return { version: mutation.version, value }
}

import { type Awaitable, type Bytes, type Capabilities, isStoreError, type KeyValue } from '@unikv/core'
import type { OperationContext } from './context.ts'
import type { OperationName } from './mix.ts'

/** A third way in which an operation may end, besides success and failure. */
export type Outcome = 'miss' | 'conflict' | 'stale'

/** Outcomes of a user's operation that are counted apart from successes. */
export function ownOutcomes(tellsStale: boolean): readonly Outcome[] {
  return tellsStale ? ['miss', 'conflict', 'stale'] : ['miss', 'conflict']
}

/** How an operation is done with a KeyValue. */
export interface OperationKind {
  /** Why it cannot be done with these capabilities; `undefined`: it can. */
  readonly missing?: (capabilities: Capabilities) => string | undefined
  /** Outcomes that are counted apart from successes. */
  readonly outcomes: readonly Outcome[]
  /** Start it. */
  start(context: OperationContext): Awaitable<unknown>
  /** The outcome that the answer tells; `undefined`: a success. */
  outcomeOf?(answer: unknown): Outcome | undefined
}

type Conditional = KeyValue<string, Bytes, Capabilities & { readonly conditionalWrite: true }>
type Counting = KeyValue<string, Bytes, Capabilities & { readonly increment: true }>
type Ordered = KeyValue<
  string,
  Bytes,
  Capabilities & { readonly scan: { readonly order: 'bytes' } & Exclude<Capabilities['scan'], false> }
>

const conflict: unique symbol = Symbol('conflict')

const missed = (answer: unknown): Outcome | undefined => (answer === undefined ? 'miss' : undefined)

/** Every operation of a mix. */
const operationKinds: Readonly<Record<OperationName, OperationKind>> = {
  read: {
    outcomes: ['miss'],
    start: ({ kv, keyOf, chooser, checks }) => {
      const number = chooser.next()
      const answer = kv.get(keyOf(number))
      return checks === undefined ? answer : checks.of(number, answer)
    },
    outcomeOf: missed,
  },
  insert: { outcomes: [], start: insert },
  update: {
    outcomes: [],
    start: ({ kv, keyOf, chooser, valueOf }) => {
      const number = chooser.next()
      return kv.set(keyOf(number), valueOf(number))
    },
  },
  delete: { outcomes: [], start: ({ kv, keyOf, chooser }) => kv.delete(keyOf(chooser.next())) },
  scan: {
    missing: ({ scan }) =>
      scan !== false && scan.order === 'bytes' ? undefined : 'it does not list keys in order',
    outcomes: [],
    start: scan,
  },
  'read-modify-write': { outcomes: ['miss'], start: readModifyWrite, outcomeOf: missed },
  'conditional-update': {
    missing: ({ conditionalWrite }) => (conditionalWrite ? undefined : 'it has no conditional writes'),
    outcomes: ['miss', 'conflict'],
    start: conditionalUpdate,
    outcomeOf: (answer) => (answer === conflict ? 'conflict' : missed(answer)),
  },
  increment: {
    missing: ({ increment }) => (increment ? undefined : 'it has no counters'),
    outcomes: [],
    start: ({ counters, keyOf, chooser }) => (counters as Counting).increment(keyOf(chooser.next())),
  },
  'batch-read': {
    outcomes: [],
    start: batchRead,
  },
  'batch-write': {
    outcomes: [],
    start: (context) => {
      const { kv, keyOf, valueOf } = context
      return kv.setMany(batchOf(context).map((number) => [keyOf(number), valueOf(number)] as const))
    },
  },
  'batch-insert': { outcomes: [], start: batchInsert },
}

/** A built-in operation; `undefined` for another name. */
export function builtIn(name: string): OperationKind | undefined {
  return Object.hasOwn(operationKinds, name) ? operationKinds[name as OperationName] : undefined
}

/** A record beyond the last one. Readers may choose it once it is acknowledged. */
async function insert({ kv, space, keyOf, valueOf }: OperationContext): Promise<unknown> {
  const number = space.insert()
  try {
    const written = await kv.set(keyOf(number), valueOf(number))
    space.acknowledge(number)
    return written
  } catch (error) {
    space.abandon(number)
    throw error
  }
}

/** Records beyond the last one, in one call. */
async function batchInsert({ kv, space, keyOf, valueOf, batch }: OperationContext): Promise<unknown> {
  const numbers = Array.from({ length: batch }, () => space.insert())
  try {
    const written = await kv.setMany(numbers.map((number) => [keyOf(number), valueOf(number)] as const))
    for (const number of numbers) space.acknowledge(number)
    return written
  } catch (error) {
    for (const number of numbers) space.abandon(number)
    throw error
  }
}

/** Entries in the order of keys, from a chosen one on. */
async function scan({ kv, keyOf, chooser, scanLength, checks }: OperationContext): Promise<number> {
  const number = chooser.next()
  const gte = keyOf(number)
  let from = gte
  let found = 0
  for await (const { items } of (kv as Ordered).entries({ gte, limit: scanLength() }).pages()) {
    checks?.checkScan(from, number, items)
    from = items.at(-1)?.[0] ?? from
    found += items.length
  }
  return found
}

async function readModifyWrite(context: OperationContext): Promise<unknown> {
  const { kv, keyOf, chooser, valueOf, checks } = context
  const number = chooser.next()
  const key = keyOf(number)
  const value = await kv.get(key)
  checks?.check([number], [value])
  const written = await kv.set(key, valueOf(number))
  return value === undefined ? undefined : written
}

/** A write that holds only if no other write came between the read and it. */
async function conditionalUpdate({ kv, keyOf, chooser, valueOf }: OperationContext): Promise<unknown> {
  const number = chooser.next()
  const key = keyOf(number)
  const head = await kv.head(key)
  if (head === undefined) return undefined
  try {
    return await (kv as Conditional).set(key, valueOf(number), { ifVersion: head.version ?? null })
  } catch (error) {
    if (isStoreError(error) && error.code === 'CONDITION_FAILED') return conflict
    throw error
  }
}

async function batchRead(context: OperationContext): Promise<unknown> {
  const { kv, keyOf, checks } = context
  const numbers = batchOf(context)
  const values = await kv.getMany(numbers.map(keyOf))
  checks?.check(numbers, values)
  return values
}

/** The numbers of a batch, all different. Where the law draws the same ones again and again, the first others fill it. */
function batchOf({ batch, chooser, space }: OperationContext): readonly number[] {
  const found = new Set<number>()
  for (let tries = 0; found.size < batch && tries < 4 * batch; tries++) found.add(chooser.next())
  for (let number = space.first; found.size < batch && number <= space.last; number++) found.add(number)
  return [...found]
}

import { type Bytes, type KeyValue, keyValue, type Store, StoreError } from '@unikv/core'
import { derive } from '@unikv/core/adapter'
import { throughStore } from '../../run/through-store.ts'
import { wrong } from '../../study/faults.ts'

/** The levels of writes and reads that are measured together. `default`: the call says nothing, and the store decides. */
export interface LevelPair {
  readonly write: string
  readonly read: string
}

/** The level of a call that names none. */
export const noLevel = 'default'

/** `strong`, or `write:quorum/read:one`. */
export function pairText({ write, read }: LevelPair): string {
  return write === read ? write : `write:${write}/read:${read}`
}

const form = 'Write levels like strong,eventual or write:quorum/read:one.'

/**
 * The pairs of a text such as `strong,write:quorum/read:one`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the part that is wrong
 */
export function parseLevels(text: string): readonly LevelPair[] {
  const pairs = text.split(',').map((part) => pairOf(part.trim()))
  const seen = new Map(pairs.map((pair) => [pairText(pair), pair]))
  return [...seen.values()]
}

function pairOf(part: string): LevelPair {
  const [, alone] = /^(\w+)$/.exec(part) ?? []
  if (alone !== undefined) return { write: alone, read: alone }
  const [, write, read] = /^write:(\w+)\/read:(\w+)$/.exec(part) ?? []
  if (write !== undefined && read !== undefined) return { write, read }
  const problem = part === '' ? 'a level is missing' : `'${part}' is not a level`
  throw wrong(`--levels: ${problem}. ${form}`)
}

/** The pairs to measure where none are named: strong and eventual, or else every declared level, or else none. */
export function declaredPairs(store: Pick<Store<Bytes>, 'capabilities'>): readonly LevelPair[] {
  const { consistency: levels } = store.capabilities
  const both = ['strong', 'eventual']
  const chosen = both.every((level) => levels.includes(level)) ? both : levels
  const named = chosen.length === 0 ? [noLevel] : chosen
  return named.map((level) => ({ write: level, read: level }))
}

/**
 * Refuse a pair with a level that the store does not declare.
 *
 * @throws {StoreError} `UNSUPPORTED` with the levels that it has
 */
export function checkPairs(
  { name, store }: { readonly name: string; readonly store: Pick<Store<Bytes>, 'capabilities'> },
  pairs: readonly LevelPair[],
): void {
  const { consistency: levels } = store.capabilities
  const asked = pairs.flatMap(({ write, read }) => [write, read])
  const unknown = asked.find((level) => level !== noLevel && !levels.includes(level))
  if (unknown === undefined) return
  const known =
    levels.length === 0 ? 'it declares none, so leave --levels out' : `it has ${levels.join(', ')}`
  throw new StoreError(
    'UNSUPPORTED',
    `${name} does not declare the consistency level '${unknown}': ${known}.`,
  )
}

/**
 * The records of a namespace, with the levels of a pair in each call. Calls are not merged into batches: those of an application
 * that names a level are not either.
 */
export function atLevels(
  store: Store<Bytes>,
  pair: LevelPair,
  { path, timeoutMs }: { readonly path: readonly string[]; readonly timeoutMs: number },
): KeyValue<string, Bytes> {
  const all: KeyValue<string, Bytes> = keyValue(leveled(store, pair), [], { timeoutMs, coalesce: false })
  return path.reduce((kv, name) => kv.namespace(name), all)
}

function leveled(store: Store<Bytes>, { write, read }: LevelPair): Store<Bytes> {
  const how = (level: string): { readonly consistency?: string } =>
    level === noLevel ? {} : { consistency: level }
  const [writing, reading] = [how(write), how(read)]
  return throughStore(store, {
    dataset: store.dataset,
    read: (reads, call) => store.read(reads, derive(call, reading)),
    write: (mutations, call) => store.write(mutations, derive(call, writing)),
    scan: (range, call) => store.scan(range, derive(call, reading)),
  })
}

import type { Capabilities } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'

/**
 * The abilities of a store behind HTTP, where its program does not say more: those of nearly all stores. `capabilitiesOf` asks
 * the server for all of them.
 */
export const portable = Object.freeze({
  scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: false,
  increment: false,
  existed: false,
  batch: { atomicity: 'none', maxItems: 100, maxBytes: 1_048_576, coalesce: { min: 2, max: 32 } },
  maxKeyBytes: 180,
  maxValueBytes: 1_000_000,
  durability: 'memory',
  isolation: 'eventual',
  consistency: [],
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Capabilities)

/** The abilities of the store behind the server that a program names in place of those in `portable`. */
export type HttpOffer = Partial<Omit<Capabilities, 'documents' | 'deltas' | 'sync'>>

/** Capabilities of a store behind HTTP. */
export type HttpCapabilities<C extends HttpOffer = HttpOffer> = Capabilities & {
  readonly [K in keyof typeof portable]: K extends keyof C ? C[K] : (typeof portable)[K]
}

type Check = (told: unknown) => boolean

const oneOf =
  (...known: readonly unknown[]): Check =>
  (told) =>
    known.includes(told)
const flag = oneOf(true, false)
const count: Check = (told) => Number.isSafeInteger(told) && (told as number) >= 1
const listOf =
  (of: Check): Check =>
  (told) =>
    Array.isArray(told) && told.every(of)
const either =
  (...checks: readonly Check[]): Check =>
  (told) =>
    checks.some((check) => check(told))
const shaped =
  (shape: Readonly<Record<string, Check>>): Check =>
  (told) =>
    typeof told === 'object' &&
    told !== null &&
    Object.entries(shape).every(([name, check]) => check((told as Readonly<Record<string, unknown>>)[name]))

/** The abilities that there are. */
const abilities = {
  scan: either(
    oneOf(false),
    shaped({
      order: oneOf('bytes', 'none'),
      delivery: oneOf('once', 'at-least-once'),
      prefix: oneOf('indexed', 'filtered', 'namespaces'),
      reverse: either(flag, oneOf(undefined)),
    }),
  ),
  conditionalWrite: flag,
  conditionalRead: flag,
  ttl: either(oneOf(false), shaped({ kind: oneOf('native', 'lazy'), precisionMs: count })),
  touch: flag,
  increment: flag,
  existed: either(flag, oneOf(undefined)),
  find: oneOf(false, undefined),
  batch: shaped({
    atomicity: oneOf('none', 'partition', 'all'),
    maxItems: count,
    maxBytes: count,
    coalesce: either(oneOf(false), shaped({ min: count, max: count })),
  }),
  maxKeyBytes: count,
  maxValueBytes: count,
  durability: oneOf('memory', 'buffered', 'flushed', 'replicated'),
  isolation: oneOf('eventual', 'read-committed', 'linearizable'),
  consistency: listOf((told) => typeof told === 'string'),
  evicts: flag,
  sealed: flag,
  documents: oneOf(false),
  deltas: oneOf(false, undefined),
  holds: either(oneOf(undefined), listOf(oneOf('compressed', 'deltas'))),
  sync: oneOf('none'),
} satisfies Readonly<Record<keyof Capabilities, Check>>

/** The abilities that a server tells, and nothing else; `undefined`: they are none that there are. */
export function capabilitiesIn(told: unknown): Capabilities | undefined {
  if (!shaped(abilities)(told)) return undefined
  const known = Object.keys(abilities).map((name) => [name, (told as Record<string, unknown>)[name]])
  return Object.fromEntries(known.filter(([, ability]) => ability !== undefined)) as Capabilities
}

/** From weak to strong. */
const orders = {
  durability: ['memory', 'buffered', 'flushed', 'replicated'],
  isolation: ['eventual', 'read-committed', 'linearizable'],
  atomicity: ['none', 'partition', 'all'],
} as const

/**
 * Refuse to promise more than the server's store can keep.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the names of what it lacks
 */
export function checkKept(promised: Capabilities, kept: Capabilities, where: string): void {
  const lacking = [...lacks(promised, kept)]
  if (lacking.length === 0) return
  throw invalidConfig(
    `The store at ${where} does not offer what is said of it: ${lacking.join(', ')}. Ask it by capabilitiesOf(), or change \`capabilities\`.`,
  )
}

function* lacks(promised: Capabilities, kept: Capabilities): Generator<string> {
  for (const flag of ['conditionalWrite', 'conditionalRead', 'touch', 'increment', 'existed'] as const)
    if (promised[flag] === true && kept[flag] !== true) yield flag
  for (const limit of ['maxKeyBytes', 'maxValueBytes'] as const)
    if (promised[limit] > kept[limit]) yield `${limit} ${promised[limit]} (${kept[limit]})`
  for (const limit of ['maxItems', 'maxBytes'] as const)
    if (promised.batch[limit] > kept.batch[limit])
      yield `batch.${limit} ${promised.batch[limit]} (${kept.batch[limit]})`
  for (const risk of ['evicts'] as const) if (!promised[risk] && kept[risk]) yield `that it never ${risk}`
  if (promised.scan !== false && !listsSo(promised.scan, kept.scan)) yield 'scan'
  if (promised.ttl !== false && !(kept.ttl !== false && kept.ttl.precisionMs <= promised.ttl.precisionMs))
    yield 'ttl'
  if (isLess(orders.durability, kept.durability, promised.durability))
    yield `durability ${promised.durability}`
  if (isLess(orders.isolation, kept.isolation, promised.isolation)) yield `isolation ${promised.isolation}`
  if (isLess(orders.atomicity, kept.batch.atomicity, promised.batch.atomicity)) yield 'batch.atomicity'
  for (const level of promised.consistency)
    if (!kept.consistency.includes(level)) yield `consistency ${level}`
}

function listsSo(promised: Exclude<Capabilities['scan'], false>, kept: Capabilities['scan']): boolean {
  return (
    kept !== false &&
    (promised.order === 'none' || kept.order === 'bytes') &&
    (promised.delivery === 'at-least-once' || kept.delivery === 'once') &&
    (promised.reverse !== true || kept.reverse === true)
  )
}

function isLess<T extends string>(order: readonly T[], kept: T, promised: T): boolean {
  return order.indexOf(kept) < order.indexOf(promised)
}

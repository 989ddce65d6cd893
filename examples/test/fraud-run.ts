import { setTimeout as pause } from 'node:timers/promises'
import type { Action } from '@unikv/tuner'
import { type LoadFigures, SteadyLoad } from '../driving/steady-load.ts'
import type { Database, Sums, Window } from '../fraud/database.ts'
import { type Evaluated, evaluateAgain } from '../fraud/evaluate-again.ts'
import { MadeUpPayments } from '../fraud/made-up.ts'
import { deviceRule, isBroken, windowOf } from '../fraud/rules.ts'
import { openService, type Service } from '../fraud/service.ts'
import { keyOf, type Transaction } from '../fraud/transaction.ts'

export interface FraudSize {
  readonly seed: number
  readonly records: number
  /** Payments that are judged again. */
  readonly again: number
  readonly perSecond: number
  /** Most judgements at once; further payments are refused meanwhile. */
  readonly mostAtOnce: number
  readonly everyMs: number
  /** How long the load is measured before the rule comes, and after its index was kept. */
  readonly measureMs: number
  /** How long the owner thinks before saying yes. */
  readonly thinkMs: number
}

/** Past payments that were judged again. */
export interface Again extends Evaluated {
  /** How many break the new rule, by a search through all of them. */
  readonly expected: number
}

/** The effect of a new rule on an attribute without an index. */
export interface FraudResult {
  readonly steps: readonly string[]
  /** Once the index was kept. */
  readonly again: Again
  /** With the first rules alone. */
  readonly calm: LoadFigures
  /** With the new rule, until its index was approved. */
  readonly before: LoadFigures
  /** Once the index was kept. */
  readonly after: LoadFigures
  /** The median of the best second of it: other work of the machine is in the others. */
  readonly best: number
  readonly proposedAfterMs: number
  readonly effectiveAfterMs: number
  /** Medians of the seconds from the arrival of the rule on. */
  readonly medians: readonly (number | undefined)[]
  readonly plans: readonly [before: string, after: string]
}

const batch = 1000
/** A million in a day. */
const betweenMs = 86.4
const longestMs = 120_000
/** Queries that waited for the index end within this time. */
const settleMs = 1000

/** A new rule arrives under load: the tuner finds what it lacks, and is told yes. */
export async function newRule(database: Database, size: FraudSize): Promise<FraudResult> {
  const { seed, records, perSecond, mostAtOnce, everyMs, measureMs, thinkMs } = size
  const actions = new Map<string, Action>()
  const service = await openService(database, { everyMs, onStep: (action) => actions.set(action.id, action) })
  const payments = new MadeUpPayments(seed, records)
  const firstAt = Math.round(Date.now() - records * betweenMs)
  await fill(service, payments, { records, firstAt })
  for (const attribute of ['ip', 'card'] as const) await database.addIndex(attribute)
  const load = new SteadyLoad({
    perSecond,
    mostAtOnce,
    start: (sequence) => service.pay(payments.paymentAt(Date.now()), sequence),
  })
  try {
    await pause(measureMs)
    const calm = load.take()
    const arrivedAt = Date.now()
    await service.judge.addRule(deviceRule)
    const plan = await database.explain(deviceRule.by)
    const proposal = await until(actions, 'proposed')
    const proposedAfterMs = Date.now() - arrivedAt
    load.take()
    await pause(thinkMs)
    const before = load.take()
    const approvedAt = Date.now()
    await service.tuning.approve(proposal.id)
    await service.tuning.look() // not at the next time
    await until(actions, 'checking', proposal)
    const effectiveAfterMs = Date.now() - approvedAt
    await pause(settleMs)
    load.take()
    const settledAt = Date.now()
    const kept = await until(actions, 'kept', proposal)
    await pause(measureMs)
    const after = load.take()
    const medians = load.medians(arrivedAt)
    const best = Math.min(...load.medians(settledAt).map((median) => median ?? Infinity))
    const plans = [plan, await database.explain(deviceRule.by)] as const
    const steps = kept.steps.map(({ state }) => state)
    await load.close()
    const again = await judgedAgain(
      service,
      firstAt + Math.round((records - size.again) * betweenMs),
      size.again,
    )
    return { steps, again, calm, before, after, best, proposedAfterMs, effectiveAfterMs, medians, plans }
  } finally {
    await load.close().catch(() => {}) // was told before
    await database.drop()
    await service.close()
  }
}

/** Past payments, in the order of time. */
async function fill(
  service: Service,
  payments: MadeUpPayments,
  { records, firstAt }: { readonly records: number; readonly firstAt: number },
): Promise<void> {
  for (let i = 0; i < records; i += batch) {
    const some = Array.from({ length: Math.min(batch, records - i) }, (_, j) => {
      const at = firstAt + Math.round((i + j) * betweenMs)
      return [keyOf(at, i + j), payments.paymentAt(at)] as const
    })
    await service.payments.setMany(some, { timeoutMs: 60_000 })
  }
}

/** The last payments of the past, judged again, beside what the new rule says of them in memory. */
async function judgedAgain({ payments, judge }: Service, fromAt: number, count: number): Promise<Again> {
  const toAt = fromAt + Math.round(count * betweenMs)
  const evaluated = await evaluateAgain(payments, judge, { fromAt, toAt })
  const past: Transaction[] = []
  const gte = keyOf(fromAt - deviceRule.windowMs, 0)
  for await (const [, { value }] of payments.entries({ gte, lt: keyOf(toAt, 0) })) past.push(value)
  const expected = past.filter(
    (payment) => payment.at >= fromAt && isBroken(deviceRule, sumsOf(past, windowOf(deviceRule, payment))),
  )
  return { ...evaluated, expected: expected.length }
}

function sumsOf(past: readonly Transaction[], { by, value, fromAt, toAt, others }: Window): Sums {
  const found = past.filter((one) => one[by] === value && one.at > fromAt && one.at <= toAt)
  const cents = found.reduce((sum, one) => sum + one.cents, 0)
  const different = others === undefined ? [] : found.map((one) => one[others])
  return { count: found.length, cents, others: new Set(different).size }
}

/** The action for the new rule, once it has reached a state. */
async function until(
  actions: ReadonlyMap<string, Action>,
  state: string,
  { id }: { readonly id?: string } = {},
): Promise<Action> {
  for (const endAt = Date.now() + longestMs; Date.now() < endAt; await pause(20)) {
    const found = [...actions.values()].find(
      (action) =>
        (id === undefined || action.id === id) &&
        action.tactic === 'add-index' &&
        action.steps.some((step) => step.state === state),
    )
    if (found !== undefined) return found
  }
  const seen = [...actions.values()].map(
    ({ title, steps, verdict }) =>
      `${title}: ${steps.map((step) => step.state).join(', ')} ${JSON.stringify(verdict)}`,
  )
  throw new Error(
    `The index was not ${state} within ${longestMs / 1000} s. Seen: ${seen.join('; ') || 'nothing'}`,
  )
}

import type { Judge } from './risk.ts'
import type { Payments } from './service.ts'
import { keyOf, type Transaction } from './transaction.ts'

/** The payments of yesterday by the rules of today. */
export interface Evaluated {
  readonly payments: number
  readonly perMinute: number
  /** How many break something, by its name. */
  readonly broken: ReadonlyMap<string, number>
}

/** Which payments, and how many at once. Times are milliseconds since the epoch. */
interface AgainOptions {
  readonly fromAt?: number
  readonly toAt?: number
  readonly atOnce?: number
}

/** Judge past payments again, some at once, in the order of time. */
export async function evaluateAgain(
  payments: Payments,
  judge: Judge,
  { fromAt = 0, toAt = Date.now(), atOnce = 8 }: AgainOptions = {},
): Promise<Evaluated> {
  const startedAt = performance.now()
  const broken = new Map<string, number>()
  let count = 0
  const entries = payments.entries({ gte: keyOf(fromAt, 0), lt: keyOf(toAt, 0) })[Symbol.asyncIterator]()
  const one = async (payment: Transaction): Promise<void> => {
    count++
    for (const name of (await judge.riskOf(payment)).broken) broken.set(name, (broken.get(name) ?? 0) + 1)
  }
  let next = Promise.resolve(entries.next())
  const worker = async (): Promise<void> => {
    for (;;) {
      // One asks for the next entry after the other.
      const asked = next.then((result) => result)
      next = asked.then(({ done }) => (done === true ? asked : entries.next()))
      const { done, value } = await asked
      if (done === true) return
      await one(value[1].value)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const perMinute = (count * 60_000) / (performance.now() - startedAt)
  return { payments: count, perMinute, broken }
}

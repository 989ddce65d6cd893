import type { Sums } from './database.ts'
import type { Attribute, Transaction } from './transaction.ts'

/** A rule about the payments of a sliding window that have something in common. */
export interface Rule {
  readonly name: string
  readonly by: Attribute
  readonly windowMs: number
  readonly mostPayments?: number
  readonly mostCents?: number
  /** Most values of another attribute, such as cards of one address. */
  readonly mostOthers?: readonly [attribute: Attribute, most: number]
  /** A payment that breaks it is so much riskier. */
  readonly score: number
}

const hourMs = 3_600_000

/** Rules that a merchant begins with. */
export const firstRules: readonly Rule[] = [
  {
    name: 'address',
    by: 'ip',
    windowMs: hourMs,
    mostPayments: 100,
    mostCents: 2_000_000,
    mostOthers: ['card', 5],
    score: 40,
  },
  { name: 'card', by: 'card', windowMs: 24 * hourMs, mostPayments: 100, mostCents: 2_000_000, score: 30 },
]

/** A rule that comes later, by an attribute that no query used before. */
export const deviceRule: Rule = {
  name: 'device',
  by: 'device',
  windowMs: hourMs,
  mostPayments: 100,
  mostOthers: ['card', 3],
  score: 50,
}

/** Whether payments of a window, with this one among them, break a rule. */
export function isBroken(rule: Rule, { count, cents, others }: Sums): boolean {
  const { mostPayments = Infinity, mostCents = Infinity, mostOthers = [undefined, Infinity] } = rule
  return count > mostPayments || cents > mostCents || others > mostOthers[1]
}

/** The window of a rule that ends with a payment. */
export function windowOf(
  { by, windowMs, mostOthers }: Rule,
  payment: Transaction,
): { by: Attribute; value: string; fromAt: number; toAt: number; others: Attribute | undefined } {
  const { at } = payment
  return { by, value: payment[by], fromAt: at - windowMs, toAt: at, others: mostOthers?.[0] }
}

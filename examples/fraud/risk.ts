import type { Monitor } from '@unikv/monitor'
import type { Database } from './database.ts'
import type { List } from './lists.ts'
import { isBroken, type Rule, windowOf } from './rules.ts'
import type { Transaction } from './transaction.ts'

/** How risky a payment is: 0 is not at all, 100 and more is refused. */
export interface Risk {
  readonly score: number
  /** Names of the rules and lists that it breaks. */
  readonly broken: readonly string[]
}

/** Judges payments by lists, and by what was paid before. */
export class Judge {
  readonly #database: Database
  readonly #monitor: Monitor
  readonly #black: List
  readonly #white: List
  #rules: readonly Rule[]

  constructor(
    database: Database,
    monitor: Monitor,
    { black, white, rules }: { readonly black: List; readonly white: List; readonly rules: readonly Rule[] },
  ) {
    this.#database = database
    this.#monitor = monitor
    this.#black = black
    this.#white = white
    this.#rules = rules
  }

  /** From now on there is one more rule. */
  async addRule(rule: Rule): Promise<void> {
    await this.#database.addAttribute(rule.by)
    this.#rules = [...this.#rules, rule]
  }

  async riskOf(payment: Transaction): Promise<Risk> {
    if (this.#white.has(payment)) return { score: 0, broken: [] }
    if (this.#black.has(payment)) return { score: 100, broken: ['black list'] }
    const rules = this.#rules
    const isEachBroken = await Promise.all(rules.map((rule) => this.#isBroken(rule, payment)))
    const broken = rules.filter((_, i) => isEachBroken[i])
    return {
      score: broken.reduce((sum, { score }) => sum + score, 0),
      broken: broken.map(({ name }) => name),
    }
  }

  async #isBroken(rule: Rule, payment: Transaction): Promise<boolean> {
    const window = windowOf(rule, payment)
    // The attribute that the query selects by: without it a tuner does not know which index would help.
    const by = { by: [rule.by] }
    const sums = await this.#monitor.measure('transactions', () => this.#database.sums(window), by)
    return isBroken(rule, sums)
  }
}

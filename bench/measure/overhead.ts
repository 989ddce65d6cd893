import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { clientCommand } from './cores.ts'
import type { Ability, Order } from './overhead-process.ts'
import { thousands, times } from './report.ts'
import { type Interval, interleaved, type Outcome, outcomesOf, type Round } from './rounds.ts'

/** What was measured of one operation. */
export interface OverheadLine {
  readonly store: string
  readonly operation: string
  readonly outcomes: readonly Outcome[]
  /** The figure, its limit, and whether it is kept. */
  readonly cells: readonly string[]
  readonly kept: boolean
}

/** How long to measure. */
export interface Effort {
  /** How often both start anew, with other processes and other files. */
  readonly starts: number
  /** Each time; more where the ratio is less exact than that, up to a limit. */
  readonly rounds: number
  readonly mostRounds: number
  /** Width of the interval of 95 % of the ratio. */
  readonly exactness: number
  /** How long a round of one caller is, of whose latencies the median counts. */
  readonly latencyMs: number
  /** And of many calls at once, or batches: several times as long as from one collection of garbage to the next, on either side. */
  readonly throughputMs: number
  /** How long an operation runs before it is measured. */
  readonly warmUpMs: number
}

/**
 * Measure unikv against the native client of a store, operation by operation, interleaved. Each has a process of its own, as
 * in an application: in a common one, one pays for the garbage of the other, and the compiler sees the calls of both. What it
 * makes of them, and where files come to lie, differs from start to start.
 */
export async function overheadOf(
  store: string,
  url: string,
  effort: Effort,
): Promise<readonly OverheadLine[]> {
  // A server compiles too (Java), or fills what it keeps in memory: what is measured first is of another server.
  if (url !== '') await measuredOnce({ store, url, start: 0 }, { ...effort, rounds: 1, mostRounds: 1 })
  const measured = new Map<string, Measured>()
  for (let start = 1; start <= effort.starts; start++)
    for (const { ability, rounds } of await measuredOnce({ store, url, start }, effort)) {
      const before = measured.get(ability.operation)?.rounds ?? rounds.map(() => [])
      const all = before.map((some, i) => [...some, ...(rounds[i] as readonly Round[])])
      measured.set(ability.operation, { ability, rounds: all })
    }
  return Array.from(measured.values(), (one) => lineOf(store, one))
}

const names = ['native', 'unikv'] as const

/** Rounds of each client, in the order of their names. */
interface Measured {
  readonly ability: Ability
  readonly rounds: readonly (readonly Round[])[]
}

/** One start of both clients of a store. */
interface Start {
  readonly store: string
  readonly url: string
  readonly start: number
}

async function measuredOnce(of: Start, effort: Effort): Promise<readonly Measured[]> {
  // unikv first: it makes what both need of the server.
  const unikv = await Apart.start('unikv', of)
  const native = await Apart.start('native', of)
  const measured: Measured[] = []
  for (const [i, ability] of native.abilities.entries()) {
    if (!ability.isOffered) continue
    const clients = [native, unikv]
    for (const one of clients) await one.ask('collect garbage')
    await Promise.all(clients.map((one) => one.ask({ round: i, warmUpMs: effort.warmUpMs })))
    const durationMs = ability.workers === undefined ? effort.latencyMs : effort.throughputMs
    const contestants = clients.map((one) => ({
      name: one.name,
      run: () => one.ask({ round: i, durationMs }) as Promise<Round>,
    }))
    const outcomes = await interleaved(contestants, effort.rounds, {
      most: effort.mostRounds,
      isEnough: ([, own]) => widthOf(judged(ability, own as Outcome).interval) <= effort.exactness,
    })
    measured.push({ ability, rounds: outcomes.map(({ rounds }) => rounds) })
  }
  await Promise.all([unikv.close(), native.close()])
  return measured
}

/** A client in its process. */
class Apart {
  readonly name: string
  readonly abilities: readonly Ability[]
  readonly #child: ChildProcess

  private constructor(name: string, abilities: readonly Ability[], child: ChildProcess) {
    this.name = name
    this.abilities = abilities
    this.#child = child
  }

  static async start(name: string, { store, url, start }: Start): Promise<Apart> {
    const module = new URL('./overhead-process.js', import.meta.url)
    const child = fork(module, [store, name, url, String(start)], clientCommand(url === ''))
    return new Apart(name, (await answerOf(child)) as readonly Ability[], child)
  }

  ask(order: Order): Promise<unknown> {
    this.#child.send(order)
    return answerOf(this.#child)
  }

  async close(): Promise<void> {
    await this.ask('close')
    this.#child.kill()
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const answered = new AbortController()
  const { signal } = answered
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`The process of a client ended with ${code}.`)
  })
  ended.catch(() => {})
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [unknown]
    return message
  } finally {
    answered.abort()
  }
}

interface Judged {
  readonly ratio: number
  readonly interval: Interval
  readonly kept: boolean
  readonly budget: string
  readonly show: (outcome: Outcome) => string
}

function judged({ workers }: Ability, outcome: Outcome): Judged {
  return workers === undefined ? latencyOf(outcome) : throughputOf(outcome)
}

function latencyOf({ latencyRatio: ratio, latencyInterval: interval }: Outcome): Judged {
  const show = ({ p50Us }: Outcome): string => `${p50Us.toFixed(0)} µs`
  return { ratio, interval, kept: ratio <= 1.05, budget: '≤ 1.05 ×', show }
}

function throughputOf({ throughputRatio: ratio, throughputInterval: interval }: Outcome): Judged {
  const show = ({ opsPerSecond }: Outcome): string => `${thousands(opsPerSecond)}/s`
  return { ratio, interval, kept: ratio >= 0.95, budget: '≥ 0.95 ×', show }
}

function widthOf([low, high]: Interval): number {
  return high - low
}

function lineOf(store: string, { ability, rounds }: Measured): OverheadLine {
  const { operation } = ability
  const outcomes = outcomesOf(names, rounds)
  const [base, own] = outcomes as [Outcome, Outcome]
  const { ratio, interval, kept, budget, show } = judged(ability, own)
  const range = interval.map((end) => end.toFixed(2)).join('–')
  const verdict = kept ? 'kept' : 'MISSED'
  const cells = [store, operation, show(base), show(own), times(ratio), range, budget, verdict]
  return { store, operation, outcomes, kept, cells }
}

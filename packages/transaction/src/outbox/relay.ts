import { AbortController, pause } from '@unikv/core/platform'
import { isCode } from '../log/log.ts'
import { Claims } from './claims.ts'
import type { News, OpenedOutbox } from './core.ts'
import { Handing } from './handing.ts'
import { Line } from './line.ts'
import {
  type Handlers,
  planOf,
  type Relay,
  type RelayOptions,
  type RelayPlan,
  type RelayStatistics,
} from './options.ts'

/** Longest wait after looks that failed, in milliseconds. */
const mostRestMs = 5000

/** @throws {StoreError} `INVALID_CONFIG` */
export function startRelay(
  outbox: OpenedOutbox,
  handlers: Handlers<Record<string, unknown>>,
  options: RelayOptions<Record<string, unknown>>,
): Relay {
  const relay = new RunningRelay(outbox, planOf(handlers, options))
  relay.start()
  return relay
}

/** A relay: it looks for lanes with news from time to time, and keeps its claims. */
class RunningRelay implements Relay {
  readonly #outbox: OpenedOutbox
  readonly #plan: RelayPlan
  readonly #handing: Handing
  readonly #claims: Claims
  readonly #line: Line
  readonly #stop = new AbortController()
  /** Aborted when nothing is under way any more. */
  readonly #over = new AbortController()
  /** Aborted when there is something to look at. */
  #wake = new AbortController()
  #loops: readonly Promise<void>[] = []
  #ended: Promise<void> | undefined

  constructor(outbox: OpenedOutbox, plan: RelayPlan) {
    this.#outbox = outbox
    this.#plan = plan
    const { records } = outbox.core
    this.#handing = new Handing(plan)
    this.#claims = new Claims(records, plan)
    const renew = this.#claims.renew.bind(this.#claims)
    this.#line = new Line(plan, { records, handing: this.#handing, renew })
  }

  start(): void {
    const unlisten = this.#outbox.core.listen((news) => this.#hear(news))
    this.#loops = [this.#looking().finally(unlisten), this.#keeping()]
  }

  statistics(): RelayStatistics {
    return { ...this.#handing.statistics(), lanes: this.#claims.held.length }
  }

  stop(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #end(): Promise<void> {
    this.#stop.abort()
    this.#wake.abort()
    await this.#loops[0]
    await this.#line.end()
    this.#over.abort()
    await this.#loops[1]
    await this.#claims.release()
  }

  get #isOver(): boolean {
    return this.#stop.signal.aborted
  }

  /** Messages of this process need no look where their lanes are held. */
  #hear(news: News): void {
    const isElsewhere = this.#claims.hear(news)
    this.#load()
    if (isElsewhere) this.#wake.abort()
  }

  #load(): void {
    for (const held of this.#claims.held) void this.#line.load(held)
  }

  async #looking(): Promise<void> {
    for (let failures = 0; !this.#isOver; ) {
      this.#wake = new AbortController()
      try {
        await this.#claims.look(await this.#outbox.lanes())
        this.#load()
        failures = 0
      } catch (error) {
        failures++
        this.#plan.tell(error)
        if (isCode(error, 'CLOSED')) void this.stop()
      }
      const restMs = failures === 0 ? 0 : Math.min(mostRestMs, 2 ** failures)
      await pause(Math.max(this.#plan.pollMs, restMs), { signal: this.#wake.signal })
    }
  }

  /** Renew claims in time, after `stop` too while messages are under way. */
  async #keeping(): Promise<void> {
    const { signal } = this.#over
    const everyMs = this.#plan.leaseMs / 5
    while (!signal.aborted) {
      await pause(everyMs, { signal })
      await this.#claims.keep(everyMs)
      this.#line.pump()
    }
  }
}

import { newVersion } from '@unikv/core'
import { agingClock } from '@unikv/core/platform'
import { ClaimWatch } from './claim-watch.ts'
import type { News } from './core.ts'
import { HeldLane } from './held-lane.ts'
import type { Claim } from './layout.ts'
import type { RelayPlan } from './options.ts'
import type { FoundClaim, OutboxRecords } from './records.ts'

/** The lanes that one relay works on: claimed by condition, renewed in time, and left to others when they are empty. */
export class Claims {
  readonly #id = newVersion()
  readonly #records: OutboxRecords
  readonly #plan: Pick<RelayPlan, 'leaseMs' | 'tell'>
  readonly #watch: ClaimWatch
  readonly #held = new Map<number, HeldLane>()
  /** Newest numbers of lanes that were found empty. */
  readonly #done = new Map<number, number>()

  constructor(records: OutboxRecords, plan: Pick<RelayPlan, 'leaseMs' | 'tell'>) {
    this.#records = records
    this.#plan = plan
    this.#watch = new ClaimWatch(this.#id, plan.leaseMs)
  }

  /** The lanes that are held now. */
  get held(): readonly HeldLane[] {
    return [...this.#held.values()]
  }

  /** Tell the lanes that are held of messages. Returns whether others have some. */
  hear(news: News): boolean {
    for (const [lane, last] of news) this.#held.get(lane)?.hear(last)
    return [...news.keys()].some((lane) => !this.#held.has(lane))
  }

  /** See which lanes have news, and claim those that are free. One request where there are none. */
  async look(lanes: number): Promise<void> {
    const heads = await this.#records.heads(lanes)
    const wanted: number[] = []
    for (const [lane, last] of heads.entries()) {
      const held = this.#held.get(lane)
      held?.hear(last)
      if (held === undefined && last > (this.#done.get(lane) ?? 0)) wanted.push(lane)
    }
    if (wanted.length === 0) return
    const askedAt = agingClock()
    const claims = await this.#records.claims(wanted)
    await Promise.all(
      wanted.map(async (lane, i) => {
        const found = claims[i] as FoundClaim
        const last = heads[lane] as number
        if (found.value.waiting.length === 0 && found.value.readTo >= last) this.#done.set(lane, last)
        else if (this.#watch.isFree(lane, found, askedAt)) await this.#take(lane, found, last)
      }),
    )
  }

  /** Renew a claim, and write down how far its lane is. Resolves to whether the lane is still held; it never fails. */
  async renew(held: HeldLane): Promise<boolean> {
    await this.#write(held, () => held.claim(this.#id))
    return !held.isLost
  }

  /** Renew all claims, and leave lanes that have been empty for so long to others. It never fails. */
  async keep(idleMs: number): Promise<void> {
    const before = agingClock() - idleMs
    await Promise.all(
      this.held.map(async (held) => {
        await held.writing
        const isIdle = held.isEmpty && held.usedAt < before
        await (isIdle ? this.#leave(held) : this.renew(held))
      }),
    )
  }

  /** Leave all lanes to others. It never fails: they wait for the lease then. */
  async release(): Promise<void> {
    await Promise.all(this.held.map((held) => this.#leave(held)))
  }

  async #leave(held: HeldLane): Promise<void> {
    this.#lose(held)
    await this.#write(held, () => held.claim(undefined))
  }

  async #take(lane: number, found: FoundClaim, last: number): Promise<void> {
    const askedAt = agingClock()
    const version = await this.#records.claim(lane, { ...found.value, by: this.#id }, found.version)
    if (version === undefined) return
    const held = new HeldLane(lane, found, version, this.#sureFrom(askedAt))
    held.hear(last)
    this.#held.set(lane, held)
  }

  /** One write of a claim comes after the other, as each replaces the version of the one before. */
  #write(held: HeldLane, claim: () => Claim): Promise<unknown> {
    held.writing = held.writing.then(async () => {
      const askedAt = agingClock()
      try {
        const version = await this.#records.claim(held.lane, claim(), held.version)
        if (version === undefined) return this.#lose(held)
        held.version = version
        held.sureUntil = this.#sureFrom(askedAt)
      } catch (error) {
        this.#plan.tell(error)
      }
    })
    return held.writing
  }

  /** Others count the lease from when they see the claim, which is later. */
  #sureFrom(askedAt: number): number {
    return askedAt + 0.75 * this.#plan.leaseMs
  }

  #lose(held: HeldLane): void {
    if (this.#held.get(held.lane) === held) this.#held.delete(held.lane)
    held.lost.abort()
  }
}

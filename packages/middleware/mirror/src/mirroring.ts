import {
  type Bytes,
  type CallOptions,
  isConditionFailed,
  isStoreError,
  type Mutation,
  newVersion,
  type Store,
  type StoreError,
  type WriteResult,
  type Written,
  writePrepared,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type Counters, newCounters } from './events.ts'
import { inParts } from './in-parts.ts'
import { Journal, notNoted } from './journal.ts'
import type { Lane } from './lane.ts'
import { Lanes } from './lanes.ts'
import type { MirrorSettings } from './mirror-options.ts'
import { Pause } from './pause.ts'
import type { Pair } from './repair.ts'
import { Repairs } from './repairs.ts'
import { compareRecords, type Found, trace } from './same-record.ts'
import { Side } from './side.ts'

/** Most mutations on their way to the secondary; more are owed instead, as these hold values. */
const maxUnderWay = 1_024

/** A mutation that the primary acknowledged, as the secondary gets it. */
interface Copy {
  readonly lane: Lane
  readonly mutation: Mutation<Bytes>
  /** What the primary has if nobody wrote since. */
  readonly left: Found
}

/** Writes that go to both: the primary decides, and the secondary gets what it acknowledged. */
export class Mirroring {
  readonly pair: Pair
  readonly repairs: Repairs
  readonly lanes: Lanes = new Lanes()
  readonly counters: Counters = newCounters()
  readonly #settings: MirrorSettings
  readonly #journal: Journal | undefined
  readonly #adoptionPause: Pause
  readonly #working = new Set<Promise<unknown>>()
  #underWay = 0
  #adoption: Promise<void> | undefined
  #isAdopted: boolean

  constructor(primary: Store<Bytes>, secondary: Store<Bytes>, settings: MirrorSettings) {
    this.#settings = settings
    this.#journal =
      settings.journal === undefined ? undefined : new Journal(settings.journal, settings, this.counters)
    this.#isAdopted = this.#journal === undefined
    this.#adoptionPause = new Pause(settings)
    this.pair = {
      primary: this.#side(primary),
      secondary: this.#side(secondary),
      precisionMs: Math.max(precisionOf(primary), precisionOf(secondary)),
    }
    this.repairs = new Repairs({
      lanes: this.lanes,
      pair: this.pair,
      settings,
      counters: this.counters,
      journal: this.#journal,
      keep: (work) => this.#keep(work),
      onRoom: () => this.start(),
    })
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    this.start()
    // Until the primary's own dispatch says otherwise.
    call.sent = false
    const lanes = mutations.map(({ key }) => this.lanes.enter(key))
    let results: readonly WriteResult[]
    try {
      const noted = this.#journal === undefined ? mutations : await this.#noted(mutations, lanes, call)
      results = await writePrepared(this.pair.primary.store, noted, call)
    } catch (error) {
      const outcomes = mutations.map(() => error)
      await this.#answerable(this.#follow(mutations, lanes, outcomes), call)
      throw error
    }
    await this.#answerable(this.#follow(mutations, lanes, results), call)
    return results
  }

  /** Once: read the marks that an earlier process left in the journal. After a failure, again. */
  start(): void {
    const isDue = !this.#isAdopted || (this.repairs.spilled && this.#hasRoom)
    if (!isDue || this.#adoption !== undefined || this.#adoptionPause.isOn) return
    this.#adoption = this.#adopt().finally(() => (this.#adoption = undefined))
    this.#keep(this.#adoption)
  }

  /** Resolves when the marks of earlier processes are read, or cannot be. */
  async started(): Promise<void> {
    this.start()
    await this.#adoption
  }

  /** Wait for what is under way, and try what is owed once more. */
  async drain(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
    await this.repairs.tryAll()
  }

  async close(): Promise<void> {
    await Promise.all([
      this.pair.primary.store.close(),
      this.pair.secondary.store.close(),
      this.#journal?.close(),
    ])
  }

  #side(store: Store<Bytes>): Side {
    const { timeoutMs } = this.#settings
    return new Side(store, {
      timeoutMs,
      pause: new Pause(this.#settings),
      onLate: (keys) => {
        for (const key of keys) this.#oweLate(this.lanes.of(key))
      },
    })
  }

  /** A write that was given up is over only now: what it did is not known, and it may have undone a repair. */
  #oweLate(lane: Lane): void {
    if (this.#journal !== undefined && lane.marks.size === 0) {
      const call = callOptions({ deadlineAt: performance.now() + this.#settings.timeoutMs })
      const ended = (): void => void this.repairs.settle(lane)
      this.#keep(this.#journal.note([lane], call, ended).catch(() => {}))
    }
    this.repairs.owe(lane, { code: 'TIMEOUT', doubt: true })
  }

  /** Note the keys in the durable journal; mutations whose key could not be noted are refused. */
  async #noted(
    mutations: readonly Mutation<Bytes>[],
    lanes: readonly Lane[],
    call: CallOptions,
  ): Promise<readonly (Mutation<Bytes> | StoreError)[]> {
    const ended = (): void => {
      for (const lane of lanes) void this.repairs.settle(lane)
    }
    const noted = await (this.#journal as Journal).note(lanes, call, ended)
    return mutations.map((mutation, i) => {
      const result = noted[i]
      return isStoreError(result) ? notNoted(result, this.#settings.journal?.name ?? '') : mutation
    })
  }

  /** See to the secondary, now that the primary has answered. What is returned never rejects. */
  #follow(
    mutations: readonly Mutation<Bytes>[],
    lanes: readonly Lane[],
    outcomes: readonly unknown[],
  ): readonly (Promise<unknown> | undefined)[] {
    const copies: Copy[] = []
    const work: (Promise<unknown> | undefined)[] = []
    for (const [i, lane] of lanes.entries()) {
      const outcome = outcomes[i] as WriteResult
      const wasAlone = this.lanes.leave(lane)
      const changed = whatChanged(outcome)
      if (changed === 'nothing') work.push(this.repairs.settle(lane))
      else if (changed === 'unknown') {
        this.counters.unknownOutcomes++
        this.repairs.owe(lane, { code: 'OUTCOME_UNKNOWN', doubt: true })
      } else {
        this.counters.writes++
        const copy = copyOf(lane, mutations[i] as Mutation<Bytes>, outcome as Written)
        if (copy !== undefined && wasAlone && this.#mayCopy(lane, copies.length)) copies.push(copy)
        else work.push(this.#owe(lane))
      }
    }
    for (const { lane } of copies) lane.busy = true
    if (copies.length > 0) {
      const sending = this.#send(copies)
      this.#keep(sending)
      work.push(sending)
    }
    return work
  }

  #mayCopy(lane: Lane, more: number): boolean {
    return !lane.busy && !lane.owed && !this.repairs.isFailing && this.#underWay + more < maxUnderWay
  }

  /** The promise is of the next repair, if one may be expected soon. */
  #owe(lane: Lane): Promise<void> | undefined {
    const isSoon = !this.repairs.isFailing
    const tried = isSoon ? lane.tried() : undefined
    this.repairs.owe(lane, {})
    return tried
  }

  async #send(copies: readonly Copy[]): Promise<void> {
    const { secondary } = this.pair
    this.#underWay += copies.length
    const results: WriteResult[] = []
    const parts = inParts(
      copies.map(({ mutation }) => mutation),
      secondary.store.capabilities.batch,
    )
    for (const part of parts) results.push(...(await secondary.write(part)))
    const checks = await this.#checks(copies, results)
    this.#underWay -= copies.length
    const removals = copies.map((copy, i) => this.#sent(copy, results[i] as WriteResult, checks.get(copy)))
    await this.#later(removals)
  }

  /** Whether the primary still has what was sent: others may have written since, and mirrored that before. */
  async #checks(
    copies: readonly Copy[],
    results: readonly WriteResult[],
  ): Promise<ReadonlyMap<Copy, boolean>> {
    const acknowledged = copies.filter(({ lane }, i) => isDone(results[i] as WriteResult) && !lane.owed)
    if (this.#settings.writers === 'one' || acknowledged.length === 0) return new Map()
    const found = await this.pair.primary.read(
      acknowledged.map(({ mutation: { key } }) => ({ key, head: true })),
    )
    return new Map(
      acknowledged.map((copy, i) => {
        const now = found[i]
        const isSame = !isStoreError(now) && compareRecords(now, copy.left, this.pair.precisionMs) === 'same'
        return [copy, isSame]
      }),
    )
  }

  #sent({ lane }: Copy, result: WriteResult, isStillSo = true): Promise<void> | undefined {
    lane.busy = false
    if (!isDone(result)) {
      this.counters.secondaryFailures++
      const code = isStoreError(result) ? result.code : 'CONDITION_FAILED'
      this.repairs.owe(lane, { code, doubt: code === 'OUTCOME_UNKNOWN', inMs: this.#settings.baseMs })
      lane.tell()
      return undefined
    }
    this.counters.mirrored++
    if (!isStillSo) this.repairs.owe(lane, {})
    else if (lane.owed) this.repairs.wake()
    return this.repairs.settle(lane)
  }

  /** Wait for the secondary, as long as that was asked for and the call allows it. */
  async #answerable(work: readonly (Promise<unknown> | undefined)[], call: CallOptions): Promise<void> {
    const parts = work.filter((one) => one !== undefined)
    if (parts.length === 0) return
    const all = Promise.all(parts)
    const { acknowledge, background, timeoutMs } = this.#settings
    if (acknowledge === 'both' || background === undefined) {
      // The answer has to be there before the caller is told that there is none.
      const left = call.settled === true ? 0 : (call.deadlineAt - performance.now()) / 2
      if (await isOver(all, Math.min(timeoutMs, left))) return
    }
    background?.(all)
  }

  /** Work that the answer need not wait for, if somebody takes it. */
  async #later(work: readonly (Promise<unknown> | undefined)[]): Promise<void> {
    const parts = work.filter((one) => one !== undefined)
    if (parts.length === 0) return
    const all = Promise.all(parts)
    this.#keep(all)
    if (this.#settings.background === undefined) await all
    else this.#settings.background(all)
  }

  #keep(work: Promise<unknown>): void {
    this.#working.add(work)
    void work.finally(() => this.#working.delete(work))
  }

  get #hasRoom(): boolean {
    return this.repairs.dirty.size <= this.#settings.maxDirty / 2
  }

  /** Owe what marks in the journal name: an earlier process was killed, or had no room. */
  async #adopt(): Promise<void> {
    const { repairs, lanes } = this
    const journal = this.#journal as Journal
    repairs.spilled = false
    try {
      for await (const { key, markKey, version } of journal.marks()) {
        const known = lanes.find(key)
        if (known?.marks.has(markKey) === true) continue
        const isIn = known !== undefined && repairs.dirty.has(known)
        if (!isIn && repairs.dirty.size >= this.#settings.maxDirty) {
          repairs.spilled = true
          break
        }
        const lane = lanes.of(key)
        lane.marks.set(markKey, version)
        repairs.owe(lane, { doubt: true })
      }
      this.#isAdopted = true
      this.#adoptionPause.well()
    } catch (error) {
      journal.failed(error)
      this.#adoptionPause.fail()
    }
  }
}

function precisionOf({ capabilities: { ttl } }: Store<Bytes>): number {
  return ttl === false ? 1 : ttl.precisionMs
}

function whatChanged(outcome: WriteResult): 'nothing' | 'unknown' | 'something' {
  if (isStoreError(outcome)) return outcome.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'nothing'
  // What a store throws that is no error of this library says nothing.
  if (outcome instanceof Error) return 'unknown'
  return isConditionFailed(outcome) ? 'nothing' : 'something'
}

function isDone(result: WriteResult): boolean {
  return !isStoreError(result) && !isConditionFailed(result)
}

/** The mutation for the secondary; `undefined` if only the primary can tell what the record is now. */
function copyOf(lane: Lane, mutation: Mutation<Bytes>, { version }: Written): Copy | undefined {
  const { key, type } = mutation
  if (type === 'delete') return { lane, mutation: { type, key, version: newVersion() }, left: undefined }
  if (type !== 'set' || mutation.expiresAt === 'keep' || version === undefined) return undefined
  const { expiresAt } = mutation
  // Whoever wrote it has its bytes back when the primary has answered.
  const value = new Uint8Array(mutation.value)
  return {
    lane,
    mutation: { type, key, value, version, expiresAt },
    left: trace(version, expiresAt),
  }
}

/** Whether work ends within so many milliseconds. */
async function isOver(work: Promise<unknown>, ms: number): Promise<boolean> {
  if (!(ms > 0)) return false
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

import { type CallOptions, isPromise, isWritten, type Mutation, type WriteResult } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'
import { clearTimeout, Silence, setTimeout } from '@unikv/core/platform'
import { untrusted } from '../values/cached-entry.ts'
import type { BusListener, BusMember, BusWrite, InvalidationBus } from './bus.ts'
import { type News, Untold, unversioned } from './untold.ts'

/** Pings within `maxStaleMs`. */
const pings = 4
/** Longest wait of a write for the bus. */
const tellWithinMs = 250
/** Longest wait of a stack that is closed. */
const leaveWithinMs = 250
/** Epochs whose ends are remembered, for stale answers. */
const rememberedEpochs = 64

/** Statistics of a bus for one tier: plain numbers, without keys. */
export interface BusStats {
  /** Whether entries are answered without asking now. */
  readonly trusted: boolean
  /** Milliseconds since the ping was sent that came back last; `Infinity`: none did. */
  readonly confirmedMsAgo: number
  /** How old that was at most when an entry was answered: nothing that was answered was older. */
  readonly worstStaleMs: number
  /** The longest way of a ping, in milliseconds. */
  readonly worstEchoMs: number
  /** Keys, and tags, of which others told, or the store: then those that this process wrote are among them. */
  readonly invalidations: number
  /** How often all that was loaded was voided, as something was missed. */
  readonly voids: number
  /** Keys that were written, and tags that were invalidated, and not told in time. They are told when that can be. */
  readonly untold: number
  /** How often the bus could not be joined. It is tried again with each ping. */
  readonly joinFailures: number
}

/** The actions of a cache when the bus tells it something. */
export interface BusTarget {
  /** Others wrote this key. */
  forget(write: BusWrite): void
  /** Others invalidated these tags. */
  void(tags: readonly string[]): void
  /** Nothing that is under way may be kept or joined. */
  overtakeAll(): void
}

/** The part that one cache takes in a bus: how far its entries can be trusted without asking. */
export class BusLink implements BusListener {
  /** `undefined` until it has joined: a transport may be up at once. */
  #member: BusMember | undefined
  readonly #bus: InvalidationBus
  #isJoining = false
  #hasLeft = false
  #joinFailures = 0
  readonly #storeTells: boolean
  readonly #target: BusTarget
  readonly #maxStaleMs: number
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  readonly #sentAt = new Map<number, number>()
  /** When the trust in what was loaded in former epochs ended. */
  readonly #ended = new Map<number, number>()
  readonly #untold: Untold
  #isUp = false
  #epoch = 1
  #confirmedAt = Number.NEGATIVE_INFINITY
  #token = 0
  #worstStaleMs = 0
  #worstEchoMs = 0
  #invalidations = 0
  #voids = 0
  #untoldCount = 0

  constructor(bus: InvalidationBus, maxStaleMs: number, now: () => number, target: BusTarget) {
    this.#target = target
    this.#maxStaleMs = maxStaleMs
    this.#now = () => numberOf(now)
    this.#untold = new Untold(maxStaleMs / pings)
    this.#storeTells = bus.storeTells === true
    this.#bus = bus
    this.#join()
    this.#pingLater()
  }

  /** Epoch for a load that begins now. */
  get epoch(): number {
    return this.#isUp ? this.#epoch : untrusted
  }

  /** Whether what was loaded in this epoch may be answered without asking. */
  trusts(epoch: number): boolean {
    if (epoch !== this.#epoch || !this.#isUp) return false
    const staleMs = this.#now() - this.#confirmedAt
    if (!(staleMs <= this.#maxStaleMs)) return false
    if (staleMs > this.#worstStaleMs) this.#worstStaleMs = staleMs
    return true
  }

  /** Whether readers may be told what was asked for before they came. */
  get mayJoin(): boolean {
    return this.#isUp && this.#now() - this.#confirmedAt <= this.#maxStaleMs
  }

  /** When the trust in what was loaded in this epoch ends, or ended, on the clock of the cache. */
  trustedUntil(epoch: number): number {
    return epoch === this.#epoch ? this.#trustEnds : (this.#ended.get(epoch) ?? Number.NEGATIVE_INFINITY)
  }

  get #trustEnds(): number {
    return this.#confirmedAt + this.#maxStaleMs
  }

  /** Tell of a write that has ended, with any outcome. Resolves in time for the call, and never rejects. */
  async tell(
    mutations: readonly Mutation<unknown>[],
    results: readonly (WriteResult | undefined)[],
    call?: CallOptions,
  ): Promise<void> {
    if (this.#storeTells) return
    const writes = mutations.map(({ type, key }, i): BusWrite => {
      const result = results[i]
      const isKnown = type === 'set' && result !== undefined && isWritten(result)
      return { key, version: isKnown ? result.version : undefined }
    })
    const news = { keys: writes.map(({ key }) => key), tags: [], all: false }
    await this.#tell(news, (member) => member.tell(writes), call)
  }

  /** Tell of these keys once more after so long, by when a write of unknown outcome has taken effect, or never will. */
  tellAgain(mutations: readonly Mutation<unknown>[], afterMs: number): void {
    if (this.#storeTells) return
    setTimeout(() => {
      this.#untold.add({ keys: mutations.map(({ key }) => key), tags: [], all: false })
      this.#catchUp()
    }, afterMs).unref()
  }

  /** Tell of tags that were invalidated. Resolves in time, and never rejects. */
  async tellTags(tags: readonly string[]): Promise<void> {
    await this.#tell({ keys: [], tags, all: false }, (member) => tagsBy(member, tags))
  }

  /** Tell that anything may have been written. Resolves in time, and never rejects. */
  async tellAll(call: CallOptions): Promise<void> {
    if (this.#storeTells) return
    await this.#tell({ keys: [], tags: [], all: true }, (member) => member.tell('all'), call)
  }

  up(): void {
    this.#isUp = true
    this.#void()
    this.#ping()
    this.#untold.renew()
    this.#catchUp()
  }

  down(): void {
    if (!this.#isUp) return
    this.#isUp = false
    this.#void()
  }

  written(writes: readonly BusWrite[]): void {
    this.#invalidations += writes.length
    for (const write of writes) this.#target.forget(write)
  }

  invalidated(tags: readonly string[]): void {
    this.#invalidations += tags.length
    this.#target.void(tags)
  }

  missed(): void {
    this.#void()
  }

  echo(token: number): void {
    const sentAt = this.#sentAt.get(token)
    if (sentAt === undefined || !this.#isUp) return
    for (const earlier of this.#sentAt.keys()) if (earlier <= token) this.#sentAt.delete(earlier)
    this.#worstEchoMs = Math.max(this.#worstEchoMs, this.#now() - sentAt)
    this.#confirmedAt = sentAt
    this.#catchUp()
  }

  stats(): BusStats {
    const staleMs = this.#now() - this.#confirmedAt
    return {
      trusted: this.#isUp && staleMs <= this.#maxStaleMs,
      confirmedMsAgo: staleMs,
      worstStaleMs: this.#worstStaleMs,
      worstEchoMs: this.#worstEchoMs,
      invalidations: this.#invalidations,
      voids: this.#voids,
      untold: this.#untoldCount,
      joinFailures: this.#joinFailures,
    }
  }

  /** Resolves in time and never rejects: errors of a bus that closes do not concern the stack. */
  async leave(): Promise<void> {
    clearTimeout(this.#timer)
    this.#hasLeft = true
    this.#isUp = false
    await inTime(async () => this.#member?.leave(), leaveWithinMs)
  }

  /** Stops trusting all entries loaded and all pings sent so far. */
  #void(): void {
    this.#ended.set(this.#epoch, Math.min(this.#now(), this.#trustEnds))
    this.#ended.delete(this.#epoch - rememberedEpochs)
    this.#epoch++
    this.#voids++
    this.#confirmedAt = Number.NEGATIVE_INFINITY
    this.#sentAt.clear()
    this.#target.overtakeAll()
  }

  /** @throws what the bus throws at once */
  #join(): void {
    const joined = this.#bus.join(this)
    if (!isPromise(joined)) return this.#joined(joined)
    this.#isJoining = true
    joined.then(
      (member) => {
        this.#isJoining = false
        this.#joined(member)
      },
      () => {
        this.#isJoining = false
        this.#joinFailures++
      },
    )
  }

  #joined(member: BusMember): void {
    this.#member = member
    if (this.#hasLeft) void this.leave()
    else if (this.#isUp) this.#ping()
  }

  #joinAgain(): void {
    if (this.#member !== undefined || this.#isJoining) return
    try {
      this.#join()
    } catch {
      this.#joinFailures++
    }
  }

  /** Again and again; the timer keeps no process alive. */
  #pingLater(): void {
    this.#timer = setTimeout(() => {
      this.#joinAgain()
      this.#ping()
      this.#pingLater()
    }, this.#maxStaleMs / pings)
    this.#timer.unref()
  }

  #ping(): void {
    const member = this.#member
    if (!this.#isUp || member === undefined) return
    const token = ++this.#token
    this.#sentAt.set(token, this.#now())
    // A client may throw at once, or answer no promise.
    void (async () => member.ping(token))().catch(() => this.#sentAt.delete(token))
    this.#catchUp()
    // Pings that do not come back are forgotten after a while.
    if (this.#sentAt.size > 2 * pings) this.#sentAt.delete(this.#sentAt.keys().next().value as number)
  }

  /** Tell what could not be told before, if it is time. */
  #catchUp(): void {
    if (!this.#isUp || this.#member === undefined) return
    if (this.#untold.isDue(this.#now(), this.#confirmedAt)) void this.#tellAgain(this.#untold.take())
  }

  /** Never rejects. */
  async #tellAgain(news: News): Promise<void> {
    const isTold = await this.#told(news, async (member) => {
      if (news.all) return member.tell('all')
      if (news.keys.length > 0) await member.tell(unversioned(news))
      if (news.tags.length > 0) await tagsBy(member, news.tags)
    })
    if (isTold) this.#untold.renew()
    else this.#untold.failed(news, this.#now())
  }

  /** Tell, or note that it has to be told later. */
  async #tell(news: News, tell: (member: BusMember) => Promise<void>, call?: CallOptions): Promise<void> {
    if (await this.#told(news, tell, call)) return
    this.#untoldCount += news.keys.length + news.tags.length + (news.all ? 1 : 0)
    this.#untold.add(news)
  }

  /** Whether it was told in time: half of what the call has left at most. */
  async #told(news: News, tell: (member: BusMember) => Promise<void>, call?: CallOptions): Promise<boolean> {
    const member = this.#member
    if (!this.#isUp || member === undefined) return false
    const halfMs = call === undefined ? tellWithinMs : leftMs(call) / 2
    const work = async (): Promise<void> => {
      await tell(member)
      this.#untold.remove(news)
    }
    return inTime(work, Math.max(0, Math.min(tellWithinMs, halfMs)))
  }
}

/** Whether work has ended well within this time; what it throws is as good as no end. */
async function inTime(work: () => Promise<unknown>, ms: number): Promise<boolean> {
  let silence: Silence | undefined
  const late = new Promise<false>((resolve) => {
    silence = new Silence(ms, () => resolve(false))
  })
  const done = work().then(
    () => true,
    () => false,
  )
  const isInTime = await Promise.race([done, late])
  silence?.end()
  return isInTime
}

/** Reads a clock; `NaN` if it fails, so that nothing is trusted. */
function numberOf(clock: () => number): number {
  try {
    return clock()
  } catch {
    return Number.NaN
  }
}

function tagsBy(member: BusMember, tags: readonly string[]): Promise<void> {
  return member.tellTags === undefined ? member.tell('all') : member.tellTags(tags)
}
